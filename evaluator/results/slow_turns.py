"""The turns that missed a limit of their budget, each with what took the time."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pydantic import BaseModel

from assistant_gateway.timing.budgets import Limit, Measured, limits_of
from assistant_gateway.timing.timeline import MS, SECOND
from evaluator.results.store import UnitResult
from evaluator.scoring.scores import TurnScore

SPANS: dict[Measured, str] = {
    "first_speech": "upl",
    "content": "upl_content",
    "effect": "effect_latency",
}
MISSED = ("missing", "hard", "soft")  # the worst first


class TimePart(NamedTuple):
    """A part of a latency, in the order in which parts follow each other."""

    name: str
    took_ms: float


class SlowTurn(BaseModel, frozen=True):
    """A turn and the limit it missed most; `took_ms` is null if that never came.

    `mark` is hard or missing for what was too late, soft for what was slow.
    """

    task_id: str
    trial: int
    turn: int
    turn_class: str
    span: str
    mark: str
    took_ms: float | None
    limit_ms: float
    parts: tuple[TimePart, ...]

    @property
    def late(self) -> bool:
        return self.mark != "soft"

    @property
    def beyond_ms(self) -> float:
        """How far beyond the limit it was; infinite if it never came."""
        return float("inf") if self.took_ms is None else self.took_ms - self.limit_ms

    @property
    def longest(self) -> TimePart | None:
        """What took most of the time."""
        return max(self.parts, key=lambda part: part.took_ms, default=None)


class LateInOne(SlowTurn, frozen=True):
    """A turn that is too late in one of two runs, in `late_trials`, and in no trial of the other.

    `other_ms` is what the same span took in the other run: null if it never came, or if that run
    has no such turn (`in_other` is false).
    """

    late_trials: int
    in_other: bool
    other_ms: float | None


def slow_turns(units: Iterable[UnitResult]) -> list[SlowTurn]:
    """By turn class; in each, what was missed worst comes first."""
    return sorted((slow for unit in units for slow in slow_turns_of(unit)), key=_worst_first)


def slow_turns_of(unit: UnitResult) -> Iterator[SlowTurn]:
    """In their order; nothing if the unit does not count for the agent."""
    for turn in unit.score.turns if unit.score.evaluated else ():
        if slow := _slow(unit, turn):
            yield slow


class SlowTurns:
    """The turns of a run that missed a limit, by class: how many, and the `most` worst of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._worst: dict[str, list[SlowTurn]] = {}
        self.late: Counter[str] = Counter()
        self.slow: Counter[str] = Counter()

    def add(self, unit: UnitResult) -> None:
        for found in slow_turns_of(unit):
            (self.late if found.late else self.slow)[found.turn_class] += 1
            kept = self._worst.setdefault(found.turn_class, [])
            kept.append(found)
            if len(kept) >= 2 * self._most:
                kept.sort(key=_worst_first)
                del kept[self._most :]

    @property
    def number(self) -> int:
        return self.late.total() + self.slow.total()

    def worst(self) -> dict[str, list[SlowTurn]]:
        """By turn class, the worst first."""
        return {
            name: sorted(found, key=_worst_first)[: self._most]
            for name, found in sorted(self._worst.items())
        }


def _worst_first(slow: SlowTurn) -> tuple[str, bool, float, str, int, int]:
    place = slow.task_id, slow.trial, slow.turn
    return slow.turn_class, not slow.late, -slow.beyond_ms, *place


def _slow(unit: UnitResult, turn: TurnScore) -> SlowTurn | None:
    if not turn.soft_miss:
        return None
    limits = limits_of(turn.turn_class, turn.verdict)
    judged = SPANS if not turn.held_up else {"first_speech": "upl"}
    missed = sorted(
        (MISSED.index(mark), -_beyond(turn.spans.get(span), limits[name], mark), span, name)
        for name, span in judged.items()
        if (mark := str(turn.verdict.mark(name))) in MISSED and name in limits
    )
    for place, _, span, name in missed[:1]:
        took_ns = turn.spans.get(span)
        return SlowTurn(
            task_id=unit.task_id,
            trial=unit.trial,
            turn=turn.turn,
            turn_class=turn.turn_class,
            span=span,
            mark=MISSED[place],
            took_ms=None if took_ns is None else took_ns / MS,
            limit_ms=_limit_s(limits[name], MISSED[place]) * 1000,
            parts=() if took_ns is None else tuple(_parts(turn.spans, span, took_ns)),
        )
    return None


def _limit_s(limit: Limit, mark: str) -> float:
    return limit.soft_s if mark == "soft" else limit.hard_s


def _beyond(took_ns: int | None, limit: Limit, mark: str) -> float:
    return 0.0 if took_ns is None else took_ns / SECOND - _limit_s(limit, mark)


def _parts(spans: dict[str, int | None], span: str, took_ns: int) -> Iterator[TimePart]:
    """What followed what from the end of the driver's speech until the span was over."""
    detected = min(spans.get("eou_delay") or 0, took_ns)
    first_text, first_speech = spans.get("ttft_text"), spans.get("upl")
    written = None if first_text is None else detected + first_text
    moments = [("end of speech found", detected)]
    if span == "effect_latency" and (written is None or written >= took_ns):
        moments.append(("until the call had an effect", took_ns))
    else:
        if written is not None:
            moments.append(("until the first text", written))
        if first_speech is not None:
            moments.append(("from text to speech", first_speech))
        then = "from text to effect" if span == "effect_latency" else "from speech to content"
        moments.append((then, took_ns))
    before = 0
    for name, until in moments:
        until = max(before, min(until, took_ns))
        if until > before:
            yield TimePart(name, (until - before) / MS)
        before = until
