from typing import Any

import pytest

from evaluator.reference.difficulty import Difficulty
from evaluator.results.store import UnitResult
from evaluator.results.summary import summary
from evaluator.views.totals import totals_table
from tests.evaluator.episodes import manifest, unit


def hard(task_id: str, trial: int = 0, outcome: str = "success", **more: Any) -> UnitResult:
    axes = {"calls": 4, "domains": ("climate",), "rules": (), "kept_back": 0, "conditions": 0}
    found = Difficulty(**{**axes, "manner": "calm", **more.pop("axes", {})})
    made = unit(task_id, trial, outcome)
    return made.model_copy(update={"difficulty": found, **more})


def limit(task_id: str, twin: str, outcome: str, trial: int = 0) -> UnitResult:
    return hard(task_id, trial, outcome, twin=twin, family=twin)


def test_units_are_grouped_by_each_axis() -> None:
    units = [
        hard("base_1"),
        hard("base_2", outcome="failure", axes={"calls": 9, "domains": ("climate", "weather")}),
        unit("base_3"),
    ]
    total = summary(manifest(), units)
    calls = {name: part.reward_mean for name, part in total.by_difficulty["calls"].items()}
    assert calls == {"4-5": 1.0, "6+": 0.0, "unknown": 1.0}
    assert set(total.by_difficulty["manner"]) == {"calm", "unknown"}
    assert set(total.by_difficulty["domains"]) == {"1", "2", "unknown"}


def test_the_map_has_the_share_of_tasks_solved_by_calls_and_another_axis() -> None:
    units = [hard("base_1", trial, outcome) for trial, outcome in enumerate(["success", "failure"])]
    units += [hard("base_2"), hard("base_3", outcome="infra_error")]
    units += [hard("base_4", outcome="failure", axes={"rules": ("008",)})]
    cells = summary(manifest(num_trials=2), units).difficulty_map
    assert set(cells) == {"domains", "rules", "kept_back", "conditions", "manner"}
    assert cells["rules"]["4-5"]["0"].model_dump() == {"tasks": 2, "solved": 0.75}
    assert cells["rules"]["4-5"]["1-2"].model_dump() == {"tasks": 1, "solved": 0.0}


def test_a_pair_is_solved_if_both_were_in_the_same_trial() -> None:
    units = [
        hard("base_1", 0), hard("base_1", 1, "failure"), hard("base_2"),
        limit("limit_1", "base_1", "success"), limit("limit_1", "base_1", "success", 1),
        limit("limit_2", "base_2", "failure"), limit("limit_3", "base_9", "success"),
    ]  # fmt: skip
    pairs = summary(manifest(num_trials=2), units).pairs
    assert pairs is not None
    assert (pairs.pairs, pairs.played) == (2, 3)
    assert (pairs.both, pairs.only_limit, pairs.only_twin, pairs.neither) == (1, 1, 1, 0)
    assert pairs.solved.value == pytest.approx((1 / 2 + 0) / 2)
    assert pairs.solved.tasks == 2, "families are what is drawn"


def test_pairs_that_are_all_solved_have_wilsons_interval() -> None:
    units = [hard(f"base_{n}") for n in range(4)]
    units += [limit(f"limit_{n}", f"base_{n}", "success") for n in range(4)]
    total = summary(manifest(), units)
    assert total.pairs is not None
    assert (total.pairs.solved.value, total.pairs.solved.hi) == (1.0, 1.0)
    assert 0.4 < total.pairs.solved.lo < 0.6
    last = list(totals_table(total).columns[0].cells)[-1]
    assert last == "limit and twin"


def test_without_twins_there_are_no_pairs() -> None:
    total = summary(manifest(), [hard("base_1"), limit("limit_1", "base_7", "success")])
    assert total.pairs is None
    assert list(totals_table(total).columns[0].cells) == ["base"]
