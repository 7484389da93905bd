"""Conversations inside the page: compact lines, packed per task, unpacked when opened."""

import base64
import zlib
from typing import Any

import orjson

from assistant_gateway.timing.timeline import MS
from evaluator.record.record import Record
from evaluator.results.store import UnitResult
from evaluator.views.score_findings import annotated
from evaluator.views.sentences import state_changes
from evaluator.views.transcript import Line

Conversation = list[list[Any]]
LONGEST = 1500
LEVEL = 6
WITH_TEXT = ("said", "error", "end", "unreadable", "breach", "fault", "by_hand")


def compact(unit: UnitResult, record: Record) -> Conversation:
    """One row `[t_ms, who, what, text, until_ms, detail]` per line of the transcript."""
    return [_row(line) for line in annotated(record, unit.score)]


def pack(content: Any) -> str:
    """A JSON value as base64 of its deflated text, as browsers can unpack it."""
    packed = zlib.compress(orjson.dumps(content), LEVEL)
    return base64.b64encode(packed).decode()


def _row(line: Line) -> list[Any]:
    until_ms = None if line.until_ns is None else line.until_ns // MS
    return [line.t_ns // MS, line.who, line.what, _text(line), until_ms, _detail(line)]


def _text(line: Line) -> str:
    """Only where the page cannot make it from the detail."""
    return line.text[:LONGEST] if line.what in WITH_TEXT else ""


def _detail(line: Line) -> Any:
    detail = line.detail
    match line.what:
        case "said":
            heard_ns = detail.get("heard_ns")
            return {
                "progress": detail.get("kind") == "progress",
                "heard": None if heard_ns is None else heard_ns // MS,
                "words": detail.get("heard_words"),
                **{name: detail[name] for name in ("recognised", "seat") if name in detail},
            }
        case "call":
            return {"tool": detail["tool"], "arguments": _clipped(detail["arguments"])}
        case "reply" if detail:
            output = str(detail["output"])
            cut = output[:LONGEST] + (" …" if len(output) > LONGEST else "")
            return {"status": detail["status"], "output": cut, "error": detail["error"]}
        case "state":
            return list(state_changes(detail))
        case "turn":
            spans = {
                name: None if span is None else span // MS for name, span in detail["spans"].items()
            }
            return {**detail, "spans": spans}
    return dict(detail)


def _clipped(arguments: Any) -> Any:
    text = orjson.dumps(arguments)
    return arguments if len(text) <= LONGEST else {"…": text[:LONGEST].decode(errors="ignore")}
