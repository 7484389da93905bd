"""How a summary tells of episodes with faults."""

import pytest

from evaluator.results.verdict_figures import FaultKindCounts, RecoveryFigures


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        (("knob",), "recovered in 0 of 1 episode with manual changes"),
        (("knob", "loss"), "recovered in 0 of 1 episode with faults"),
    ],
)
def test_what_somebody_sets_by_hand_is_called_no_fault(kinds: tuple[str, ...], told: str) -> None:
    counts = FaultKindCounts(faulted=1, recovered=0)
    figures = RecoveryFigures(
        **counts.model_dump(),
        noticed=None,
        retries_mean=0,
        retries_max=0,
        hammered=0,
        false_claims=0,
        by_kind=dict.fromkeys(kinds, counts),
    )
    assert str(figures) == told
