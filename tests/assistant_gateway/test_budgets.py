import pytest

from assistant_gateway.budgets import BUDGETS, Limit, verdict
from assistant_gateway.timeline import SECOND

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
    assert judged["first_speech"] == "missing"
    assert judged["hard_miss"]


def test_an_early_filler_does_not_excuse_late_content() -> None:
    judged = verdict("B", {**IN_TIME, "upl_content": 4 * SECOND})
    assert (judged["first_speech"], judged["content"]) == ("ok", "hard")
    assert judged["hard_miss"]


def test_an_effect_that_never_came_is_not_the_clocks_business() -> None:
    assert verdict("B", IN_TIME)["effect"] == "n/a"
    assert not verdict("B", IN_TIME)["hard_miss"]
