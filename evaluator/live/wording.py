"""Texts of a failed expectation: what was expected, what happened, the last turns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assistant_gateway.timing.timeline import MS
from evaluator.record.record import Call

LAST_TURNS = 4


def failed(what: str, *more: str) -> AssertionError:
    """The error a test raises."""
    return AssertionError("\n".join([what, *more]))


def call_text(tool: str, arguments: Mapping[str, Any]) -> str:
    given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return f"{tool}({given})"


def call_line(call: Call) -> str:
    """A call and what the car answered."""
    answer = "no answer"
    if call.reply is not None:
        answer = call.reply.status if call.succeeded else f"{call.reply.status} {call.reply.error}"
        if call.reply.fault:
            answer += f" (fault: {call.reply.fault})"
    return f"  {call_text(call.tool, call.arguments)} -> {answer}"


def call_lines(tool: str, calls: Iterable[Call]) -> list[str]:
    """All commands of one tool, under a heading."""
    lines = [call_line(call) for call in calls if call.tool == tool]
    return [f"{tool} was commanded:", *lines] if lines else [f"{tool} was never commanded"]


def turn_lines(driver: str, calls: Iterable[Call], car: str) -> tuple[str, ...]:
    """One turn of a conversation."""
    return (
        f"  driver: {driver}",
        *(f"  {call_line(call)}" for call in calls),
        f"  car:    {car or '(says nothing)'}",
    )


def conversation_lines(turns: Sequence[tuple[str, ...]]) -> list[str]:
    """The last turns, under a heading."""
    if not turns:
        return ["nobody has said anything yet"]
    return ["the conversation:", *(line for turn in turns[-LAST_TURNS:] for line in turn)]


def spans_line(spans: Mapping[str, int | None]) -> str:
    """All spans of a turn."""
    durations = (
        f"{name} {'never' if took_ns is None else f'{took_ns / MS:.0f} ms'}"
        for name, took_ns in spans.items()
    )
    return f"measured: {', '.join(durations)}"
