"""Numbers over the turns of a run: latencies, budgets, and how exactly they were measured."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf, isinf

from pydantic import BaseModel

from assistant_gateway.timing.timeline import MS
from evaluator.results.statistics import RunningMean, nearest_rank
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


@dataclass(frozen=True, slots=True)
class JudgedTurns:
    """Of the turns of a unit that count for the agent how many were judged, and missed a limit.

    `credits` are those of the judged turns, where they are known.
    """

    judged: int = 0
    hard: int = 0
    soft: int = 0
    credits: tuple[float, ...] = ()

    @classmethod
    def of(cls, turns: Iterable[TurnScore]) -> "JudgedTurns":
        judged = [turn for turn in turns if turn.judged]
        return cls(
            judged=len(judged),
            hard=sum(turn.hard_miss for turn in judged),
            soft=sum(turn.soft_miss for turn in judged),
            credits=tuple(turn.credit for turn in judged if turn.credit is not None),
        )


class TurnColumns:
    """What was measured in the turns of a run, as columns of numbers: 8 bytes each.

    Latencies are over turns that neither bench nor faults delayed. A reply that was due and never
    came counts as infinite. Other spans that never happened, such as an effect, are left out.
    """

    def __init__(self) -> None:
        self.turns = 0
        self._spans_ms: dict[str, array[float]] = {}
        self._errors_ms = array("d")
        self._more_errors_ms = array("d")  # of turns that were delayed
        self._waits_ms = array("d")
        self._snr_db = array("d")
        self._excluded = self._degraded = self._undecided = 0
        self._words = self._word_errors = self._recognised = self._changed = 0

    @classmethod
    def of(cls, turns: Iterable[TurnScore]) -> "TurnColumns":
        columns = cls()
        for turn in turns:
            columns.add(turn)
        return columns

    def add(self, turn: TurnScore) -> None:
        self.turns += 1
        self._excluded += turn.excluded
        self._degraded += turn.degraded
        self._undecided += turn.undecided
        if turn.cpu_wait_ms is not None:
            self._waits_ms.append(turn.cpu_wait_ms)
        if turn.snr_db is not None:
            self._snr_db.append(turn.snr_db)
        if turn.words:
            errors = turn.word_errors or 0
            self._words += turn.words
            self._word_errors += errors
            self._recognised += 1
            self._changed += errors > 0
        if turn.counts_for_latency:
            self._errors_ms.append(turn.harness_error_ms)
            self._add_spans(turn.spans)
        else:
            self._more_errors_ms.append(turn.harness_error_ms)

    def _add_spans(self, spans: dict[str, int | None]) -> None:
        silent = spans.get("upl") is None
        for name, span_ns in spans.items():
            if span_ns is not None:
                value = span_ns / MS
            elif name in REPLY_SPANS or (name in FIRST_SPANS and silent):
                value = inf
            else:
                continue
            if name not in self._spans_ms:
                self._spans_ms[name] = array("d")
            self._spans_ms[name].append(value)

    def latency_ms(self) -> dict[str, Latency]:
        """Percentiles per span by nearest rank."""
        return {name: _latency(sorted(measured)) for name, measured in self._spans_ms.items()}

    @property
    def error_ms(self) -> float:
        """The measurement error that 99 % of the turns whose latencies count do not exceed."""
        return nearest_rank(sorted(self._errors_ms), 0.99) if self._errors_ms else 0.0

    @property
    def trusted(self) -> bool:
        """Whether the bench was fast enough to trust these latencies."""
        return self._excluded <= max(1, MOST_EXCLUDED * self.turns)

    def harness(self) -> HarnessFigures:
        errors_ms = sorted(chain(self._errors_ms, self._more_errors_ms))
        waited_ms = sorted(self._waits_ms)
        return HarnessFigures(
            error_ms_p50=_percentile(errors_ms, 0.5),
            error_ms_p99=_percentile(errors_ms, 0.99),
            cpu_wait_ms_p50=_percentile(waited_ms, 0.5),
            cpu_wait_ms_p99=_percentile(waited_ms, 0.99),
            degraded=self._degraded,
            excluded=self._excluded,
            undecided=self._undecided,
            trusted=self.trusted,
        )

    def snr(self) -> SnrFigures | None:
        """None if no turn had noise in it."""
        if not self._snr_db:
            return None
        found = sorted(self._snr_db)
        p50 = nearest_rank(found, 0.5)
        return SnrFigures(min=found[0], p50=p50, max=found[-1], n=len(found))

    def recognition(self) -> RecognitionFigures | None:
        """None if no recogniser was simulated."""
        if not self._recognised:
            return None
        return RecognitionFigures(
            word_error_rate=self._word_errors / self._words,
            words=self._words,
            turns=self._recognised,
            turns_changed=self._changed,
        )


def evaluated_turns(units: Iterable[UnitResult]) -> Iterator[TurnScore]:
    """The turns of all units that count for the agent."""
    return (turn for unit in units if unit.score.evaluated for turn in unit.score.turns)


def latency_ms(turns: Iterable[TurnScore]) -> dict[str, Latency]:
    """Percentiles per span, as `TurnColumns` has them."""
    return TurnColumns.of(turns).latency_ms()


def harness(turns: Iterable[TurnScore]) -> HarnessFigures:
    return TurnColumns.of(turns).harness()


def _latency(ordered: list[float]) -> Latency:
    found = {name: nearest_rank(ordered, share) for name, share in PERCENTILES.items()}
    return Latency(
        **{name: None if isinf(value) else value for name, value in found.items()},
        n=len(ordered),
        missing=sum(map(isinf, ordered)),
    )


def budget(units: Iterable[JudgedTurns]) -> BudgetFigures:
    """Turns that the bench delayed are left out unless a hard limit was missed anyhow."""
    turns = hard = soft = 0
    credit = RunningMean()
    for unit in units:
        turns += unit.judged
        hard += unit.hard
        soft += unit.soft
        for each in unit.credits:
            credit.add(each)
    return BudgetFigures(
        hard_miss_rate=hard / turns if turns else None,
        soft_miss_rate=soft / turns if turns else None,
        hard_misses=hard,
        score_mean=credit.value,
        turns=turns,
    )


def _percentile(ordered: Sequence[float], share: float) -> float | None:
    return nearest_rank(ordered, share) if ordered else None
