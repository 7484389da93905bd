"""A run as OpenTelemetry traces in OTLP/JSON: a trace per unit, with turns and calls of tools.

Names and attributes follow the conventions for generative AI (`gen_ai.*`). Session time counts from
the moment at which the unit was begun; in virtual pace it is simulated. Where an agent sent a
`traceparent`, spans belong to its trace: the session below the span of `session.ready`, a call
below that of its frame.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from evaluator.stored_run.parts import StoredCall, StoredTurn
from evaluator.stored_run.run import StoredRun
from evaluator.stored_run.unit import StoredUnit

Json = dict[str, Any]
SPAN_KIND_INTERNAL = 1
SPAN_KIND_CLIENT = 3
STATUS_OK, STATUS_ERROR = 1, 2
BLAMELESS = ("infra_error", "user_error")


class SpanIds(NamedTuple):
    """Where a span belongs, in hex."""

    trace: str
    span: str


def write_otlp(run: StoredRun, out: Path) -> dict[str, int]:
    """One export request per line and unit, as collectors write and read files. Counts spans."""
    units = spans = 0
    with out.open("wb") as file:
        for unit in run:
            request, number = export_request(run, unit)
            units, spans = units + 1, spans + number
            file.write(orjson.dumps(request, option=orjson.OPT_APPEND_NEWLINE))
    return {"units": units, "spans": spans}


def export_request(run: StoredRun, unit: StoredUnit) -> tuple[Json, int]:
    """The trace of a unit as the body of an export request, and its number of spans."""
    spans = list(_spans(run, unit))
    resource = {
        "service.name": "codriver",
        "service.version": run.manifest.codriver,
        "codriver.run.id": run.run_id,
        "codriver.run.label": run.label or None,
        "codriver.agent": run.manifest.described_agent,
        "codriver.user": run.user,
        "codriver.pace": run.pace,
        "codriver.profile": run.profile,
    }
    scope = {"name": "codriver", "version": run.manifest.codriver}
    scoped = [{"scope": scope, "spans": spans}]
    return {
        "resourceSpans": [{"resource": {"attributes": _attributes(resource)}, "scopeSpans": scoped}]
    }, len(spans)


def _spans(run: StoredRun, unit: StoredUnit) -> Iterator[Json]:
    began_ns = int(unit.started_at.timestamp() * 1_000_000) * 1000
    outer = _parent(unit.traceparent)
    root = SpanIds(outer.trace if outer else _id(run, unit, "trace", 32), _id(run, unit, "", 16))
    yield _session(run, unit, root, outer, began_ns)
    turns: dict[int | None, SpanIds] = {}
    for turn in unit.turns:
        if turn.asked_ns is not None and turn.ended_ns is not None:
            ids = SpanIds(root.trace, _id(run, unit, f"turn {turn.number}", 16))
            turns[turn.number] = ids
            times = began_ns + turn.asked_ns, began_ns + max(turn.ended_ns, turn.asked_ns)
            yield _turn(turn, ids, root, times)
    for number, call in enumerate(unit.calls):
        inner = turns.get(call.turn, root)
        parent = _parent(call.traceparent) if call.traceparent != unit.traceparent else None
        ids = SpanIds((parent or inner).trace, _id(run, unit, f"call {number}", 16))
        yield _call(call, ids, parent or inner, inner, began_ns)


def _session(
    run: StoredRun, unit: StoredUnit, ids: SpanIds, parent: SpanIds | None, began_ns: int
) -> Json:
    score, usage = unit.result.score, unit.result.usage.get("agent")
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "codriver",
        "gen_ai.agent.name": run.agent,
        "gen_ai.conversation.id": f"{run.run_id}/{unit.name}",
        "gen_ai.usage.input_tokens": usage.input_tokens if usage else None,
        "gen_ai.usage.output_tokens": usage.output_tokens if usage else None,
        "error.type": unit.failure or (None if unit.solved else unit.outcome),
        "codriver.task.id": unit.task_id,
        "codriver.task.type": unit.task_type,
        "codriver.trial": unit.trial,
        "codriver.outcome": unit.outcome,
        "codriver.reward": unit.reward,
        "codriver.in_time": unit.in_time,
        "codriver.end_reason": score.end_reason,
        "codriver.cost.agent_usd": unit.cost_usd.get("agent"),
        **{f"codriver.component.{name}": value for name, value in unit.components.items()},
    }
    ended_ns = unit.ended_ns
    if ended_ns is None:
        ended_ns = int((unit.finished_at - unit.started_at).total_seconds() * 1_000_000) * 1000
    span = _span(f"invoke_agent {run.agent}", ids, parent, (began_ns, began_ns + ended_ns))
    status = {"code": STATUS_OK} if unit.solved else _error(unit.reason)
    return {**span, "kind": SPAN_KIND_CLIENT, "status": status,
            "attributes": _attributes(attributes)}  # fmt: skip


def _turn(turn: StoredTurn, ids: SpanIds, parent: SpanIds, times: tuple[int, int]) -> Json:
    attributes: Json = {
        "codriver.turn": turn.number,
        "codriver.turn.class": turn.turn_class,
        "codriver.turn.too_late": turn.too_late,
        "codriver.turn.score": turn.score,
        "codriver.turn.counts": turn.counts,
        "gen_ai.input.messages": _message("user", turn.driver),
        "gen_ai.output.messages": _message("assistant", turn.agent),
    }
    events = []
    for span in turn.spans:
        attributes[f"codriver.span.{span.name}_ms"] = span.ms
        if span.mark in ("soft", "hard", "missing"):
            values = {
                "codriver.span": span.name,
                "codriver.ms": span.ms,
                "codriver.mark": span.mark,
            }
            at_ns = times[0] + max(span.ns or 0, 0)
            events.append({"name": "codriver.limit_missed", "timeUnixNano": str(at_ns),
                           "attributes": _attributes(values)})  # fmt: skip
    span_fields = _span(f"turn {turn.number}", ids, parent, times)
    status = _error("too late") if turn.too_late else {"code": STATUS_OK}
    return {**span_fields, "kind": SPAN_KIND_INTERNAL, "status": status, "events": events,
            "attributes": _attributes(attributes)}  # fmt: skip


def _call(call: StoredCall, ids: SpanIds, parent: SpanIds, turn: SpanIds, began_ns: int) -> Json:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.tool,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": call.call_id,
        "gen_ai.tool.call.arguments": orjson.dumps(dict(call.arguments)).decode(),
        "gen_ai.tool.call.result": call.output,
        "error.type": None if call.succeeded else call.error or call.status or "no answer",
        "codriver.fault": call.fault,
        "codriver.changed": call.changed,
    }
    answered_ns = call.asked_ns if call.answered_ns is None else call.answered_ns
    times = began_ns + call.asked_ns, began_ns + max(answered_ns, call.asked_ns)
    span = _span(f"execute_tool {call.tool}", ids, parent, times)
    status = {"code": STATUS_OK} if call.succeeded else _error(call.output or "no answer")
    links = [] if turn.trace == ids.trace else [{"traceId": turn.trace, "spanId": turn.span}]
    return {**span, "kind": SPAN_KIND_INTERNAL, "status": status, "links": links,
            "attributes": _attributes(attributes)}  # fmt: skip


def _span(name: str, ids: SpanIds, parent: SpanIds | None, times: tuple[int, int]) -> Json:
    begins_ns, ends_ns = times
    return {
        "traceId": ids.trace,
        "spanId": ids.span,
        "parentSpanId": parent.span if parent else "",
        "name": name,
        "startTimeUnixNano": str(begins_ns),
        "endTimeUnixNano": str(ends_ns),
    }


def _error(why: str) -> Json:
    return {"code": STATUS_ERROR, "message": why}


def _parent(traceparent: str | None) -> SpanIds | None:
    if traceparent is None:
        return None
    _, trace, span, _ = traceparent.split("-")
    return SpanIds(trace, span)


def _id(run: StoredRun, unit: StoredUnit, what: str, digits: int) -> str:
    """The same whenever the unit is exported again."""
    named = f"{run.run_id} {unit.name} {unit.attempt} {what}"
    return hashlib.sha256(named.encode()).hexdigest()[:digits]


def _message(role: str, text: str) -> str | None:
    parts = [{"type": "text", "content": text}]
    return orjson.dumps([{"role": role, "parts": parts}]).decode() if text else None


def _attributes(values: Json) -> list[Json]:
    """As OTLP has them; what is null is left out."""
    return [
        {"key": name, "value": _value(value)} for name, value in values.items() if value is not None
    ]


def _value(value: object) -> Json:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
    return {"stringValue": str(value)}
