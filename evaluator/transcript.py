"""An episode as people read it: who said and did what, in session time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from evaluator.record import Call, Record

SHOWN = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened `t_ns` after the session began."""

    t_ns: int
    who: str
    what: str
    text: str


def transcript(record: Record) -> list[Line]:
    """What was said, called, answered, changed and measured, in order.

    `who` is driver, agent, car or bench; `what` is said, call, reply, state, turn, control or end.
    A message that nobody can read shows up as `unreadable`.
    """
    lines = [
        *_spoken(record),
        *(line for call in record.calls for line in _called(record, call)),
        *_measured(record),
        *_unreadable(record),
    ]
    return sorted(lines, key=lambda line: line.t_ns)


def _spoken(record: Record) -> Iterator[Line]:
    """Both sides as the agent's socket saw them: final words of the driver, text of the agent."""
    text: list[str] = []
    began_ns = 0
    for frame in record.frames:
        data, t_ns = frame.get("data") or {}, int(frame.get("t_ns") or 0)
        match frame.get("type"):
            case "input.transcript.final":
                yield Line(t_ns, "driver", "said", str(data.get("text", "")))
            case "response.text.delta":
                began_ns = began_ns if text else t_ns
                text.append(str(data.get("delta", "")))
            case "response.done" if text:
                yield Line(began_ns, "agent", "said", "".join(text))
                text = []
            case "error":
                yield Line(t_ns, "bench", "error", str(data.get("message", "")))
    if text:
        yield Line(began_ns, "agent", "said", "".join(text) + " …")


def _called(record: Record, call: Call) -> Iterator[Line]:
    asked_ns = call.command.t_ns or call.command.at_ns
    yield Line(asked_ns, "agent", "call", f"{call.tool}({_brief(call.arguments)})")
    reply = call.reply
    if reply is None:
        yield Line(asked_ns, "car", "reply", "none")
        return
    yield Line(reply.t_ns, "car", "reply", f"{reply.status} {reply.output}"[:SHOWN])
    if reply.revision_after > reply.revision_before:
        before = record.state_at(reply.revision_before) or {}
        after = record.state_at(reply.revision_after) or {}
        changed = {name: after[name] for name in after if after[name] != before.get(name)}
        yield Line(reply.t_ns, "car", "state", _brief(changed))


def _measured(record: Record) -> Iterator[Line]:
    for turn in record.turns:
        miss = "hard miss" if turn.verdict.get("hard_miss") else "in time"
        spans = ", ".join(
            f"{name} {'never' if span is None else f'{span / 1e6:.0f} ms'}"
            for name, span in turn.spans.items()
        )
        yield Line(
            turn.t_ns, "bench", "turn", f"{turn.turn} class {turn.turn_class} {miss}: {spans}"
        )
    for control in record.controls:
        yield Line(control.t_ns, "driver", "control", f"{control.word} ({control.reason})")
    if record.end is not None:
        yield Line(record.end.t_ns, "bench", "end", record.end.reason)


def _unreadable(record: Record) -> Iterator[Line]:
    for entry in record.entries:
        if not entry.fields:
            yield Line(0, "bench", "unreadable", f"{entry.rest} ({len(entry.payload)} bytes)")


def _brief(values: dict[str, Any]) -> str:
    return ", ".join(f"{name}={orjson.dumps(value).decode()}" for name, value in values.items())[
        :SHOWN
    ]
