"""Units and their conversations as JSON that the scripts of a page draw."""

from typing import Any

from assistant_gateway.timing.budgets import BUDGETS, Limit
from assistant_gateway.timing.timeline import MS
from evaluator.record.record import Record
from evaluator.report.car_course import car_course
from evaluator.report.conversations import compact
from evaluator.results.store import UnitResult
from evaluator.scoring.failure_kinds import KINDS
from evaluator.scoring.policies import POLICIES
from evaluator.views.captions import (
    COMPONENTS,
    FAILED_COMPONENTS,
    JUDGED,
    MARKS,
    OUTCOMES,
    SPANS,
    TASK_TYPES,
    TURN_CLASSES,
)
from evaluator.views.car_values import layout
from evaluator.views.sentences import readable
from vehicle_bus.world.world import World

Content = dict[str, Any]


def listed(unit: UnitResult) -> Content:
    """A unit as a list shows it; `slowest_ms` is the longest first speech."""
    score = unit.score
    spoken = [turn.spans.get("upl") for turn in score.turns if turn.counts_for_latency]
    return {
        "id": unit.task_id,
        "trial": unit.trial,
        "type": unit.task_type,
        "title": unit.title,
        "outcome": score.outcome,
        "timed": None if score.components.get("r_realtime") is None else score.in_time,
        "reason": readable(score.reason),
        "kind": score.failure.kind if score.failure else None,
        "turns": len(score.turns),
        "hard": sum(turn.hard_miss for turn in score.turns),
        "slowest_ms": max((ns / MS for ns in spoken if ns is not None), default=None),
    }


def told(
    unit: UnitResult, record: Record, world: World | None = None, heard: Content | None = None
) -> Content:
    """What is told of a unit when it is opened: conversation, verdict, values of the car.

    And what was `heard`, if it was kept.
    """
    return {
        "lines": compact(unit, record),
        "verdict": _verdict(unit),
        "car": car_course(record, world),
        **({"heard": heard} if heard else {}),
    }


def _verdict(unit: UnitResult) -> Content:
    score = unit.score
    return {
        "components": score.components,
        "why": {name: readable(why) for name, why in score.why.items()},
        "evidence": readable(score.failure.evidence) if score.failure else None,
        "policies": {name: mark.state for name, mark in score.policies.items()},
        "persona": unit.persona,
        "script": unit.script,
        "disputed": unit.driver.disputed if unit.driver else None,
    }


def captions() -> Content:
    """Names in units and conversations, and what people read for them."""
    return {
        "budgets": {
            name: {judged: _limit(getattr(budget, judged)) for judged in JUDGED}
            for name, budget in BUDGETS.items()
        },
        "judged": JUDGED,
        "spans": SPANS,
        "classes": TURN_CLASSES,
        "marks": MARKS,
        "types": TASK_TYPES,
        "outcomes": OUTCOMES,
        "components": COMPONENTS,
        "failed": FAILED_COMPONENTS,
        "rules": {name: policy.rule for name, policy in POLICIES.items()},
        "kinds": KINDS,
        "groups": layout(),
    }


def _limit(limit: Limit | None) -> list[float] | None:
    return None if limit is None else [limit.soft_s, limit.hard_s]
