"""The units of a run that failed: what kind of failure it was, and why."""

from collections.abc import Sequence
from typing import Any

from evaluator.results.store import UnitResult
from evaluator.scoring.failure_kinds import KINDS
from evaluator.views.captions import OUTCOMES, caption
from evaluator.views.sentences import readable


def failed_units(units: Sequence[UnitResult]) -> list[UnitResult]:
    """Those without a success, with driver and infrastructure errors, in their order."""
    return [unit for unit in units if unit.score.outcome != "success"]


def row(unit: UnitResult) -> dict[str, Any]:
    """Fields for `--json`; `t_ns` is the moment in session time, null if unknown."""
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
    """For people: the unit as `--unit` takes it, the kind of failure, and the reason."""
    failure = unit.score.failure
    name = f"{unit.task_id}:{unit.trial}"
    if failure is None:
        return name, caption(OUTCOMES, unit.score.outcome), readable(unit.score.reason)
    return name, KINDS[failure.kind], readable(failure.evidence)
