"""Units, turns, calls and latencies of a run as flat rows: for tables, CSV and JSON Lines."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from assistant_gateway.timing.timeline import MS
from evaluator.scoring.evidence import COMPONENTS
from evaluator.scoring.turn_score import TurnScore
from evaluator.stored_run.parts import StoredTurn
from evaluator.stored_run.unit import StoredUnit
from evaluator.views.captions import JUDGED

Level = Literal["units", "turns", "calls", "spans"]
Row = dict[str, Any]
# The slowest of each judged latency in a unit, in ms.
SLOWEST = {f"{span}_ms_max": span for span in JUDGED.values()}
UNIT_COLUMNS = (
    *("task_id", "trial", "attempt", "task_type", "title", "outcome", "reward", "reward_in_time"),
    *("in_time", "failure", "reason", "end_reason", "turns", "turns_too_late"),
    *SLOWEST,
    *("calls", "calls_failed", "session_s", "started_at", "finished_at"),
    *("agent_cost_usd", "agent_input_tokens", "agent_output_tokens"),
    *COMPONENTS,
)


def rows(units: Iterable[StoredUnit], of: Level) -> Iterator[Row]:
    """The rows of one table, in order."""
    for unit in units:
        match of:
            case "units":
                yield unit_row(unit)
            case "turns":
                yield from ({**_of(unit), **_turn_row(turn)} for turn in unit.turns)
            case "calls":
                yield from _call_rows(unit)
            case "spans":
                yield from _span_rows(unit)
            case _:
                raise ValueError(f"no rows of {of!r}; expected units, turns, calls or spans")


def unit_row(unit: StoredUnit) -> Row:
    """One unit with the columns of `UNIT_COLUMNS`; null where there is nothing to say."""
    score, usage = unit.result.score, unit.result.usage.get("agent")
    values: Row = {
        **_of(unit),
        "attempt": unit.attempt,
        "task_type": unit.task_type,
        "title": unit.title,
        "outcome": unit.outcome,
        "reward": unit.reward,
        "reward_in_time": score.reward_in_time,
        "in_time": unit.in_time,
        "failure": unit.failure,
        "reason": unit.reason,
        "end_reason": score.end_reason,
        "turns": len(score.turns),
        "turns_too_late": sum(turn.hard_miss for turn in score.turns),
        **{name: _slowest(score.turns, span) for name, span in SLOWEST.items()},
        "calls": len(unit.calls) if unit.record else None,
        "calls_failed": sum(not each.succeeded for each in unit.calls) if unit.record else None,
        "session_s": None if unit.ended_ns is None else unit.ended_ns / MS / 1000,
        "started_at": unit.result.started_at,
        "finished_at": unit.result.finished_at,
        "agent_cost_usd": unit.cost_usd.get("agent"),
        "agent_input_tokens": usage.input_tokens if usage else None,
        "agent_output_tokens": usage.output_tokens if usage else None,
        **{name: unit.components.get(name) for name in COMPONENTS},
    }
    return {name: values[name] for name in UNIT_COLUMNS}


def _of(unit: StoredUnit) -> Row:
    return {"task_id": unit.task_id, "trial": unit.trial}


def _slowest(turns: Iterable[TurnScore], span: str) -> float | None:
    measured = [ns for turn in turns if (ns := turn.spans.get(span)) is not None]
    return max(measured) / MS if measured else None


def _turn_row(turn: StoredTurn) -> Row:
    return {
        "turn": turn.number,
        "turn_class": turn.turn_class,
        "driver": turn.driver,
        "agent": turn.agent,
        "asked_ms": _ms(turn.asked_ns),
        "ended_ms": _ms(turn.ended_ns),
        "too_late": turn.too_late,
        "slow": turn.slow,
        "score": turn.score,
        "counts": turn.counts,
        "calls": len(turn.calls),
        **{f"{span.name}_ms": span.ms for span in turn.spans},
    }


def _call_rows(unit: StoredUnit) -> Iterator[Row]:
    for call in unit.calls:
        yield {
            **_of(unit),
            "turn": call.turn,
            "call_id": call.call_id,
            "tool": call.tool,
            "arguments": dict(call.arguments),
            "asked_ms": _ms(call.asked_ns),
            "took_ms": call.took_ms,
            "status": call.status,
            "error": call.error,
            "changed": call.changed,
            "fault": call.fault,
            "output": call.output,
        }


def _span_rows(unit: StoredUnit) -> Iterator[Row]:
    for turn, span in unit.spans:
        yield {
            **_of(unit),
            "turn": turn.number,
            "turn_class": turn.turn_class,
            "span": span.name,
            "ms": span.ms,
            "mark": span.mark,
            "counts": turn.counts,
        }


def _ms(ns: int | None) -> float | None:
    return None if ns is None else ns / MS
