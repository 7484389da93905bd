"""Latency budgets by turn class, and the verdict over one turn.

Seconds count from the true end of user speech. `target` is a median goal, `soft` full credit up to
here, `hard` no credit and a recorded miss. The class comes from the task, never from the agent.
Sources and reasons: `docs/architecture.md`, budgets.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assistant_gateway.timeline import MS, SECOND

TurnClass = Literal["A", "B", "C", "D", "E", "F", "G", "H"]
Mark = Literal["ok", "soft", "hard", "missing", "n/a"]


@dataclass(frozen=True, slots=True)
class Limit:
    soft_s: float
    hard_s: float
    target_s: float | None = None

    def mark(self, latency_ns: int | None) -> Mark:
        if latency_ns is None:
            return "missing"
        if latency_ns > self.hard_s * SECOND:
            return "hard"
        return "soft" if latency_ns > self.soft_s * SECOND else "ok"


@dataclass(frozen=True, slots=True)
class Budget:
    """What one class of turn may take."""

    first_speech: Limit
    content: Limit | None = None
    effect: Limit | None = None
    max_gap: Limit = Limit(2.0, 4.0)
    no_reply_s: float = 10.0


_FIRST = Limit(1.5, 3.0, 0.8)
_PROMPT = Limit(1.2, 2.5, 0.7)

BUDGETS: Mapping[TurnClass, Budget] = {
    "A": Budget(_FIRST),
    "B": Budget(_FIRST, content=Limit(2.0, 3.5), effect=Limit(1.5, 3.0)),
    "C": Budget(_FIRST, content=Limit(3.0, 5.0)),
    "D": Budget(
        Limit(1.5, 3.0, 1.0),
        content=Limit(5.0, 8.0),
        effect=Limit(8.0, 12.0),
        max_gap=Limit(3.0, 5.0),
        no_reply_s=15.0,
    ),
    "E": Budget(_PROMPT, content=Limit(1.2, 2.5)),
    "F": Budget(_PROMPT, content=Limit(2.0, 3.5), effect=Limit(1.5, 3.0)),
    "G": Budget(_FIRST, content=Limit(2.0, 3.5)),
    "H": Budget(_PROMPT, content=Limit(1.5, 2.5), effect=Limit(1.0, 2.0)),
}


def verdict(turn_class: TurnClass, spans: Mapping[str, int | None]) -> dict[str, Any]:
    """Judge one turn by `upl`, `upl_content`, `effect_latency` and `max_gap`.

    A reply that never came is a miss; an effect that never came is the task's business, not the
    clock's, so it is not applicable here.
    """
    budget = BUDGETS[turn_class]
    effect = spans.get("effect_latency")
    marks: dict[str, Mark] = {
        "first_speech": budget.first_speech.mark(spans.get("upl")),
        "content": budget.content.mark(spans.get("upl_content")) if budget.content else "n/a",
        "effect": budget.effect.mark(effect) if budget.effect and effect is not None else "n/a",
        "max_gap": budget.max_gap.mark(spans.get("max_gap")),
    }
    judged = [marks[name] for name in ("first_speech", "content", "effect")]
    hard = any(mark in ("hard", "missing") for mark in judged)
    return {
        "class": turn_class,
        **marks,
        "hard_miss": hard,
        "soft_miss": hard or "soft" in judged,
    }


def no_reply_ns(turn_class: TurnClass) -> int:
    return int(BUDGETS[turn_class].no_reply_s * 1000) * MS
