"""The units of a run that failed: what kind of failure it was, and why."""

from collections.abc import Sequence
from typing import Any

from evaluator.results.store import UnitResult
from evaluator.scoring.failure_kinds import KINDS
from evaluator.views.captions import OUTCOMES, caption


def failed_units(units: Sequence[UnitResult]) -> list[UnitResult]:
    """Those without a success, in their order; also what driver or bench have spoilt."""
    return [unit for unit in units if unit.score.outcome != "success"]


def row(unit: UnitResult) -> dict[str, Any]:
    """As `--json` tells it; `t_ns` is the moment in session time, if one can be named."""
    failure = unit.score.failure
    return {
        "task_id": unit.task_id,
        "trial": unit.trial,
        "task_type": unit.task_type,
        "outcome": unit.score.outcome,
        "kind": failure.kind if failure else None,
        "why": failure.evidence if failure else unit.score.reason,
        "t_ns": failure.t_ns if failure else None,
    }


def line(unit: UnitResult) -> tuple[str, str, str]:
    """For people: the unit as `--unit` takes it, the kind of failure, and why."""
    failure = unit.score.failure
    name = f"{unit.task_id}:{unit.trial}"
    if failure is None:
        return name, caption(OUTCOMES, unit.score.outcome), unit.score.reason
    return name, KINDS[failure.kind], failure.evidence
