"""Whether the agent of a run looks broken: what single episodes show, and what all of them do."""

from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel

from evaluator.results.store import UnitResult
from evaluator.scoring.failure_kinds import Failure

LEAST_TASKS = 3
MOST_OF_THEM = 0.8


class BrokenAgent(BaseModel, frozen=True):
    """In how many `episodes` that failed the agent looks broken; `example` says how."""

    episodes: int
    example: str


def diagnosed(units: Sequence[UnitResult]) -> list[UnitResult]:
    """The units; failures of an agent that answers all tasks alike are of that kind."""
    answer = _answer_to_everything(units)
    return [_relabelled(unit, answer) if answer else unit for unit in units]


def broken_agent_figures(units: Sequence[UnitResult]) -> BrokenAgent | None:
    """None if no failed episode looks so."""
    failures = [unit.score.failure for unit in diagnosed(units) if unit.score.failure]
    found = [each.evidence for each in failures if each.kind == "broken_agent"]
    return BrokenAgent(episodes=len(found), example=found[0]) if found else None


def _answer_to_everything(units: Sequence[UnitResult]) -> str | None:
    """What the agent said, and nothing else, in most episodes of at least three tasks."""
    evaluated = [unit for unit in units if unit.score.evaluated]
    answers = Counter(unit.score.same_answer for unit in evaluated)
    for answer, episodes in answers.most_common(1):
        tasks = {unit.task_id for unit in evaluated if unit.score.same_answer == answer}
        if answer and len(tasks) >= LEAST_TASKS and episodes >= MOST_OF_THEM * len(evaluated):
            return answer
    return None


def _relabelled(unit: UnitResult, answer: str) -> UnitResult:
    score = unit.score
    known = score.failure is not None and score.failure.kind == "broken_agent"
    if score.outcome != "failure" or score.same_answer != answer or known:
        return unit
    evidence = f'it gives every task the same answer: "{answer}"'
    failure = Failure(kind="broken_agent", evidence=evidence)
    return unit.model_copy(update={"score": score.model_copy(update={"failure": failure})})
