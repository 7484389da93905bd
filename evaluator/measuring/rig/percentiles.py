"""Figures out of many measurements."""

from collections.abc import Sequence

from evaluator.results.statistics import nearest_rank

Percentiles = dict[str, float | None]
UNKNOWN: Percentiles = {"p50": None, "p99": None}


def percentiles(took_ns: Sequence[int], unit_ns: int) -> Percentiles:
    """Median and 99th percentile in units of `unit_ns`; null without a measurement."""
    if not took_ns:
        return dict(UNKNOWN)
    ordered = sorted(took / unit_ns for took in took_ns)
    return {
        name: round(nearest_rank(ordered, share), 3)
        for name, share in (("p50", 0.5), ("p99", 0.99))
    }
