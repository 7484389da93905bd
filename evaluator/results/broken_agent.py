"""Whether the agent of a run looks broken: what single episodes show, and what all of them do."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

from pydantic import BaseModel

from evaluator.results.store import CommonAnswer, RunStore, UnitResult
from evaluator.scoring.failure_kinds import Failure

LEAST_TASKS = 3
MOST_OF_THEM = 0.8


class BrokenAgent(BaseModel, frozen=True):
    """In how many `episodes` that failed the agent looks broken; `example` says how."""

    episodes: int
    example: str


class CommonAnswers:
    """What the agent said, and nothing else, in units that come one after the other."""

    def __init__(self) -> None:
        self._evaluated = 0
        self._episodes: Counter[str] = Counter()
        self._tasks: dict[str, set[str]] = defaultdict(set)

    def add(self, unit: UnitResult) -> None:
        if unit.score.evaluated:
            self._evaluated += 1
            if answer := unit.score.same_answer:
                self._episodes[answer] += 1
                if len(self._tasks[answer]) < LEAST_TASKS:
                    self._tasks[answer].add(unit.task_id)

    def to_everything(self) -> str | None:
        """The answer in most episodes of at least three tasks."""
        for answer, episodes in self._episodes.most_common(1):
            tasks = len(self._tasks[answer])
            return given_everywhere(CommonAnswer(answer, episodes, tasks, self._evaluated))
        return None


def diagnosed(units: Iterable[UnitResult], answers: CommonAnswers) -> Iterator[UnitResult]:
    """The units; failures of an agent that answers all tasks alike are of that kind."""
    answer = answers.to_everything()
    return (relabelled(unit, answer) for unit in units)


def all_diagnosed(units: Sequence[UnitResult]) -> list[UnitResult]:
    """The same of a whole run."""
    answers = CommonAnswers()
    for unit in units:
        answers.add(unit)
    return list(diagnosed(units, answers))


async def diagnosed_units(store: RunStore) -> AsyncIterator[UnitResult]:
    """The same of a stored run, one after the other."""
    answer = await answer_to_everything(store)
    async for unit in store.each_unit():
        yield relabelled(unit, answer)


async def diagnosed_unit(store: RunStore, name: str) -> UnitResult:
    """One unit of a stored run, called TASK or TASK:TRIAL; raises `UsageProblem`."""
    unit = await store.unit(name)
    return relabelled(unit, await answer_to_everything(store)) if may_be_broken(unit) else unit


async def answer_to_everything(store: RunStore) -> str | None:
    """What the agent said, and nothing else, in most episodes of at least three tasks."""
    return given_everywhere(await store.common_answer())


def given_everywhere(found: CommonAnswer | None) -> str | None:
    """The answer, if most episodes of at least three tasks had it."""
    if found is None:
        return None
    most = found.tasks >= LEAST_TASKS and found.episodes >= MOST_OF_THEM * found.evaluated
    return found.answer if most else None


def may_be_broken(unit: UnitResult) -> bool:
    """Whether its failure is of another kind if the agent answers everything alike."""
    failure = unit.score.failure
    known = failure is not None and failure.kind == "broken_agent"
    return unit.score.outcome == "failure" and not known and bool(unit.score.same_answer)


def relabelled(unit: UnitResult, answer: str | None) -> UnitResult:
    """The same, but a failure with the `answer` to everything is one of a broken agent."""
    score = unit.score
    if not answer or score.same_answer != answer or not may_be_broken(unit):
        return unit
    evidence = f'it gives every task the same answer: "{answer}"'
    failure = Failure(kind="broken_agent", evidence=evidence)
    return unit.model_copy(update={"score": score.model_copy(update={"failure": failure})})
