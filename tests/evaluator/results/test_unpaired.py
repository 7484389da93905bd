from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.reference.difficulty import Difficulty
from evaluator.results.comparison import Side
from evaluator.results.store import UnitResult
from evaluator.results.unpaired import unpaired
from tests.evaluator.episodes import manifest, unit

LIMIT = "hallucination_missing_tool"


def played(name: str, solved: bool, calls: int = 2, trial: int = 0, **more: Any) -> UnitResult:
    found = Difficulty(calls=calls, domains=(), rules=(), kept_back=0, conditions=0, manner="calm")
    outcome = "success" if solved else "failure"
    made = unit(name, trial, outcome, reward_in_time=float(solved), **more)
    return made.model_copy(update={"difficulty": found})


def side(name: str, solved: int, of: int, **more: Any) -> Side:
    units = [played(f"{name}_{n}", n < solved, **more) for n in range(of)]
    return Side(manifest(*(one.task_id for one in units)), units)


def joined(*sides: Side) -> Side:
    return Side(sides[0].manifest, [one for each in sides for one in each.units])


def test_many_tasks_solved_less_often_are_worse() -> None:
    found = unpaired(side("old", 90, 100), side("new", 60, 100))
    assert found is not None
    assert found.solved.difference == pytest.approx(-0.3)
    assert (found.solved.lo, found.solved.hi) == pytest.approx((-0.41, -0.18), abs=0.01)
    assert found.solved.verdict == "worse"
    assert (found.solved.first_tasks, found.solved.second_tasks) == (100, 100)


def test_a_few_tasks_do_not_look_certain() -> None:
    found = unpaired(side("old", 2, 2), side("new", 0, 1))
    assert found is not None
    assert found.solved.verdict == "undecided"


def test_a_harder_set_is_no_worse_agent() -> None:
    """Half of the easy and none of the hard tasks are solved on both sides."""
    old = joined(side("easy", 40, 80), side("hard", 0, 20, calls=7))
    new = joined(side("light", 10, 20), side("heavy", 0, 80, calls=8))
    found = unpaired(old, new)
    assert found is not None
    assert (found.solved.first, found.solved.second) == pytest.approx((0.4, 0.4))
    assert found.solved.difference == pytest.approx(0)


def test_types_are_compared_with_themselves_and_what_only_one_run_has_is_left_out() -> None:
    old = joined(side("base", 10, 10), side("limit", 5, 10, task_type=LIMIT))
    new = joined(side("other", 0, 10), side("hard", 5, 5, calls=9))
    found = unpaired(old, new)
    assert found is not None
    assert set(found.by_type) == {"base"}
    assert (found.solved.first_tasks, found.solved.second_tasks) == (10, 10)
    assert unpaired(side("old", 1, 1), side("new", 1, 1, task_type=LIMIT)) is None


def test_a_task_counts_once_however_many_trials_it_had() -> None:
    units = [played("base_1", trial == 0, trial=trial) for trial in range(50)]
    many = Side(manifest("base_1", num_trials=50), units)
    found = unpaired(many, side("new", 5, 10))
    assert found is not None
    assert (found.solved.first, found.solved.first_tasks) == (0.02, 1)
    assert found.solved.verdict == "undecided"


def test_in_time_is_left_out_where_latencies_are_not_judged() -> None:
    patient = side("new", 5, 10)
    conditions = {"patience_s": 600.0}
    patient = Side(patient.manifest.model_copy(update={"conditions": conditions}), patient.units)
    found = unpaired(side("old", 5, 10), patient)
    assert found is not None
    assert found.in_time is None


@given(st.integers(0, 9), st.integers(1, 9), st.integers(0, 9), st.integers(1, 9))
def test_turned_around_it_is_the_negative(one: int, of: int, two: int, of_two: int) -> None:
    sides = side("old", min(one, of), of), side("new", min(two, of_two), of_two)
    there, back = unpaired(*sides), unpaired(*reversed(sides))
    assert there is not None
    assert back is not None
    assert there.solved.lo <= there.solved.difference <= there.solved.hi
    assert (there.solved.difference, there.solved.lo) == pytest.approx(
        (-back.solved.difference, -back.solved.hi)
    )
