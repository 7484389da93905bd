"""The first line of a comparison."""

from collections.abc import Mapping
from types import MappingProxyType

from evaluator.results.comparison import Comparison
from evaluator.results.differences import LatencyDifference
from evaluator.views.comparison import findings


def latency(difference_ms: float, lo: float, hi: float) -> LatencyDifference:
    return LatencyDifference(
        first=1000.0, second=1000.0 + difference_ms, difference=difference_ms, lo=lo, hi=hi,
        tasks=120, differing=100, turns=359, first_p95=2000.0, second_p95=2000.0,
        p95_lo=None, p95_hi=None, error_ms=1.0, trusted=True,
    )  # fmt: skip


def compared(
    apart: Mapping[str, Mapping[str, LatencyDifference]] = MappingProxyType({}),
    **latencies: LatencyDifference,
) -> Comparison:
    return Comparison(
        names=("hosted", "own"), mixed=(), conditions=(), not_judged=(), untrusted=(),
        by_person=(), solved=None, in_time=None, by_type={}, late_share=None, late_apart={},
        apart=apart, latencies=latencies, more_latencies={}, slower=(), slower_turns=(), tasks=(),
        late=(), late_first=(), changes=(), only_first=(), only_second=(), reworded=(),
    )  # fmt: skip


def test_a_latency_that_got_worse_is_named_before_what_may_be_chance() -> None:
    found = compared(
        upl=latency(11, -28, 66), upl_content=latency(135, 20, 243), max_gap=latency(-90, -150, -9)
    )
    worse, speech = findings(found, None)
    assert worse == "first content takes 0.14 s longer (95 % 0.02 to 0.24 s)"
    assert speech.startswith("first speech: no difference that is more than chance (11 ms later")


def test_of_a_latency_that_changed_otherwise_in_first_turns_the_worse_part_is_named() -> None:
    parts = {
        "first turn of a conversation": latency(900, 700, 999),
        "later turns": latency(9, -9, 20),
    }
    found = compared(
        {"upl_content": parts}, upl=latency(11, -28, 66), upl_content=latency(99, 1, 200)
    )
    worse, _ = findings(found, None)
    assert worse.startswith("first turn of a conversation: first content takes 0.90 s longer")
