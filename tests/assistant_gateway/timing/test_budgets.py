from pathlib import Path

import pytest

from assistant_gateway.timing.budgets import (
    BUDGETS,
    BudgetProfile,
    Budgets,
    Limit,
    budget_profile,
    limits_of,
    verdict,
)
from assistant_gateway.timing.profiles import BadProfile
from assistant_gateway.timing.timeline import SECOND

IN_TIME: dict[str, int | None] = {
    "upl": SECOND,
    "upl_content": SECOND,
    "effect_latency": None,
    "max_gap": SECOND,
}


def test_every_class_has_a_soft_limit_below_its_hard_one() -> None:
    assert set(BUDGETS) == set("ABCDEFGH")
    for budget in BUDGETS.values():
        limits = [budget.first_speech, budget.content, budget.effect, budget.max_gap]
        assert all(limit.soft_s < limit.hard_s for limit in limits if limit)


@pytest.mark.parametrize(
    ("latency_s", "mark"),
    [(None, "missing"), (1.5, "ok"), (1.6, "soft"), (3.0, "soft"), (3.1, "hard")],
)
def test_a_limit_gives_full_credit_up_to_soft_and_none_beyond_hard(
    latency_s: float | None, mark: str
) -> None:
    latency_ns = None if latency_s is None else int(latency_s * SECOND)
    assert Limit(1.5, 3.0).mark(latency_ns) == mark


def test_a_missing_reply_is_a_hard_miss() -> None:
    judged = verdict("A", {**IN_TIME, "upl": None})
    assert judged.first_speech == "missing"
    assert judged.hard_miss


def test_an_early_filler_does_not_excuse_late_content() -> None:
    judged = verdict("B", {**IN_TIME, "upl_content": 4 * SECOND})
    assert (judged.first_speech, judged.content) == ("ok", "hard")
    assert judged.hard_miss


def test_an_effect_that_never_came_is_not_the_clocks_business() -> None:
    assert verdict("B", IN_TIME).effect == "n/a"
    assert not verdict("B", IN_TIME).hard_miss


OWN_LINE = """
source: what our drivers told us, 2026
scale: 2
limits: {content: {soft_s: 1, hard_s: 2}}
classes: {B: {effect: {soft_s: 0.5, hard_s: 1}}}
"""


def own_profile(tmp_path: Path) -> BudgetProfile:
    file = tmp_path / "own_line.yaml"
    file.write_text(OWN_LINE, encoding="utf-8")
    return budget_profile(str(file))


def test_the_default_profile_is_the_table_of_classes() -> None:
    assert {name: Budgets().of(name) for name in BUDGETS} == BUDGETS


def test_a_file_scales_all_limits_and_replaces_some(tmp_path: Path) -> None:
    budget = Budgets(own_profile(tmp_path)).of("B")
    assert budget.first_speech == Limit(3.0, 6.0, 1.6)
    assert budget.content == Limit(1.0, 2.0)
    assert budget.effect == Limit(0.5, 1.0)


def test_a_limit_for_all_classes_gives_none_to_a_class_that_had_none(tmp_path: Path) -> None:
    assert Budgets(own_profile(tmp_path)).of("A").content is None


def test_the_limits_of_a_task_go_before_those_of_the_run(tmp_path: Path) -> None:
    own = Limit(4.0, 5.0)
    assert Budgets(own_profile(tmp_path), {"effect": own}).of("B").effect == own


def test_a_verdict_tells_its_limits_where_they_are_not_the_usual_ones() -> None:
    assert "limits" not in verdict("B", IN_TIME).model_dump()
    assert limits_of("B", verdict("B", IN_TIME)) == BUDGETS["B"].limits
    strict = Budgets(budget_profile("strict"))
    judged = verdict("B", IN_TIME, strict)
    assert limits_of("B", judged)["first_speech"] == Limit(1.125, 2.25)
    assert limits_of("B", judged).keys() == BUDGETS["B"].limits.keys()


@pytest.mark.parametrize("name", ["strict", "lenient"])
def test_scaled_limits_are_as_short_as_they_are_written(name: str) -> None:
    profile = budget_profile(name)
    seconds = [
        f"{second}"
        for turn_class in BUDGETS
        for limit in profile.of(turn_class).limits.values()
        for second in (limit.soft_s, limit.hard_s)
    ]
    assert max(map(len, seconds)) <= len("1.125")


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ("source: us\nscale: 0", "scale: Input should be greater than 0"),
        ("source: us\nlimits: {effect: {soft_s: 3, hard_s: 2}}", "limits.effect"),
        ("source: us\nclasses: {Z: {}}", "classes.Z"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused(tmp_path: Path, wrong: str, what: str) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(wrong, encoding="utf-8")
    with pytest.raises(BadProfile, match=what):
        budget_profile(str(file))
