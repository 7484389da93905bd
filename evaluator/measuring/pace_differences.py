"""One episode played in two paces: what is different, and whether the bench has owned up to it.

Virtual time loses nothing, so it says what should have come out. Pure.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from assistant_gateway.protocol import ToolCall, ToolResult
from assistant_gateway.timing.timeline import MS
from evaluator.record.record import Record
from evaluator.run.units import Played

ROUNDING_NS = MS // 1000  # a turn tells its own error in whole microseconds
CALL = "tool_call"


class Span(NamedTuple):
    """Where a span was measured; calls of tools have an id besides, others do not."""

    turn: int
    name: str
    cid: str = ""


class Difference(NamedTuple):
    """By how much a span was longer than in virtual time, and how wrong its turn says it is."""

    task_id: str
    span: Span
    ns: int
    declared_ns: int

    @property
    def is_declared(self) -> bool:
        return abs(self.ns) <= self.declared_ns + ROUNDING_NS


def differences(virtual: Played, other: Played) -> Iterator[Difference]:
    """Of each span that both have."""
    expected, found = spans(virtual.record), spans(other.record)
    declared_ns = {turn.turn: round(turn.harness_error_ms * MS) for turn in other.score.turns}
    for span in expected.keys() & found.keys():
        more_ns = found[span] - expected[span]
        yield Difference(other.unit.task.task_id, span, more_ns, declared_ns[span.turn])


def spans(record: Record) -> dict[Span, int]:
    """Whatever was timed in an episode, in ns; what never happened is left out."""
    timed = {
        Span(turn.turn, name): span_ns
        for turn in record.turns
        for name, span_ns in turn.spans.items() if span_ns is not None
    }  # fmt: skip
    called_ns: dict[str, int] = {}
    for frame in record.frames:
        cid = frame.cid or ""
        if isinstance(frame.body, ToolCall):
            called_ns[cid] = frame.t_ns
        elif isinstance(frame.body, ToolResult) and cid in called_ns:
            timed[Span(frame.turn or 0, CALL, cid)] = frame.t_ns - called_ns[cid]
    return timed


def of_another_kind(virtual: Played, other: Played) -> list[str]:
    """What has come out differently, in a sentence each: verdict, words, turns, calls, spans."""
    expected, found = _outline(virtual), _outline(other)
    return [
        f"{other.unit.task.task_id}: {what} {expected[what]} in virtual time, else {found[what]}"
        for what in expected
        if expected[what] != found[what]
    ]


def _outline(played: Played) -> dict[str, Any]:
    record, score = played.record, played.score
    return {
        "outcome": score.outcome,
        "reward": score.reward,
        "attempt": played.attempt,
        "control words": [control.word for control in record.controls],
        "turns": [(turn.turn, turn.handed_over) for turn in record.turns],
        "calls": [(call.tool, call.succeeded) for call in record.calls],
        "spans": sorted(spans(record)),
    }
