"""Numbers over the turns of a run: latencies, budgets, and how exactly they were measured."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import inf, isinf

from pydantic import BaseModel

from assistant_gateway.timing.timeline import MS
from evaluator.results.statistics import mean, nearest_rank
from evaluator.results.store import UnitResult
from evaluator.scoring.scores import TurnScore

FEWEST_TURNS = 5  # of which a p95 or an interval says something
MOST_EXCLUDED = 0.02  # of the turns of a run whose latencies are to be trusted
REPLY_SPANS = ("upl", "upl_content", "turnaround")
FIRST_SPANS = ("ttft_text", "first_delta", "first_sound")  # not due where ringing came first
PERCENTILES = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99, "max": 1.0}


class Latency(BaseModel, frozen=True):
    """Percentiles of one span in ms over `n` turns; null where it falls on one of the `missing`."""

    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    max: float | None
    n: int
    missing: int


class BudgetFigures(BaseModel, frozen=True):
    """Shares of the `turns` that were judged; `score_mean` is the mean credit of a turn."""

    hard_miss_rate: float | None
    soft_miss_rate: float | None
    hard_misses: int
    score_mean: float | None
    turns: int


class HarnessFigures(BaseModel, frozen=True):
    """How far the bench may have falsified latencies, and how many turns that concerns."""

    error_ms_p50: float | None
    error_ms_p99: float | None
    cpu_wait_ms_p50: float | None
    cpu_wait_ms_p99: float | None
    degraded: int
    excluded: int
    undecided: int
    trusted: bool


class SnrFigures(BaseModel, frozen=True):
    """How much louder than the noise drivers were, in dB over `n` turns."""

    min: float
    p50: float
    max: float
    n: int


class RecognitionFigures(BaseModel, frozen=True):
    """How many of the words that drivers said were lost or changed by the recogniser."""

    word_error_rate: float
    words: int
    turns: int
    turns_changed: int


def recognition_figures(turns: Iterable[TurnScore]) -> RecognitionFigures | None:
    """None if no recogniser was simulated."""
    found = [(turn.words, turn.word_errors or 0) for turn in turns if turn.words]
    if not found:
        return None
    words = sum(said for said, _ in found)
    return RecognitionFigures(
        word_error_rate=sum(errors for _, errors in found) / words,
        words=words,
        turns=len(found),
        turns_changed=sum(errors > 0 for _, errors in found),
    )


def snr_figures(turns: Iterable[TurnScore]) -> SnrFigures | None:
    """None if no turn had noise in it."""
    found = sorted(turn.snr_db for turn in turns if turn.snr_db is not None)
    if not found:
        return None
    return SnrFigures(min=found[0], p50=nearest_rank(found, 0.5), max=found[-1], n=len(found))


def evaluated_turns(units: Iterable[UnitResult]) -> list[TurnScore]:
    """The turns of all units that count for the agent."""
    return [turn for unit in units if unit.score.evaluated for turn in unit.score.turns]


def latency_ms(turns: Iterable[TurnScore]) -> dict[str, Latency]:
    """Percentiles per span by nearest rank, over turns that neither bench nor faults delayed.

    A reply that was due and never came counts as infinite and in `missing`. Other spans that never
    happened, such as an effect, are not counted.
    """
    values: dict[str, list[float]] = defaultdict(list)
    for turn in turns:
        if not turn.counts_for_latency:
            continue
        silent = turn.spans.get("upl") is None
        for name, span_ns in turn.spans.items():
            if span_ns is not None:
                values[name].append(span_ns / MS)
            elif name in REPLY_SPANS or (name in FIRST_SPANS and silent):
                values[name].append(inf)
    return {name: _latency(sorted(measured)) for name, measured in values.items()}


def _latency(ordered: list[float]) -> Latency:
    found = {name: nearest_rank(ordered, share) for name, share in PERCENTILES.items()}
    return Latency(
        **{name: None if isinf(value) else value for name, value in found.items()},
        n=len(ordered),
        missing=sum(map(isinf, ordered)),
    )


def budget(turns: Iterable[TurnScore]) -> BudgetFigures:
    """Turns that the bench delayed are left out unless a hard limit was missed anyhow."""
    judged = [turn for turn in turns if turn.judged]
    return BudgetFigures(
        hard_miss_rate=mean([float(turn.hard_miss) for turn in judged]),
        soft_miss_rate=mean([float(turn.soft_miss) for turn in judged]),
        hard_misses=sum(turn.hard_miss for turn in judged),
        score_mean=mean([turn.credit for turn in judged if turn.credit is not None]),
        turns=len(judged),
    )


def harness(turns: Sequence[TurnScore]) -> HarnessFigures:
    errors_ms = sorted(turn.harness_error_ms for turn in turns)
    waited_ms = sorted(turn.cpu_wait_ms for turn in turns if turn.cpu_wait_ms is not None)
    excluded = sum(turn.excluded for turn in turns)
    return HarnessFigures(
        error_ms_p50=_percentile(errors_ms, 0.5),
        error_ms_p99=_percentile(errors_ms, 0.99),
        cpu_wait_ms_p50=_percentile(waited_ms, 0.5),
        cpu_wait_ms_p99=_percentile(waited_ms, 0.99),
        degraded=sum(turn.degraded for turn in turns),
        excluded=excluded,
        undecided=sum(turn.undecided for turn in turns),
        trusted=excluded <= max(1, MOST_EXCLUDED * len(turns)),
    )


def _percentile(ordered: Sequence[float], share: float) -> float | None:
    return nearest_rank(ordered, share) if ordered else None
