"""Judging: a phase of its own over stored records. No conversation is ever played again for it.

What was judged is kept at once, so an interrupted phase goes on where it stopped, and a failed
question leaves a rule undecided, nothing else.
"""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant_gateway.models.model import Model, ModelChoice, RetryPolicy, open_model
from evaluator.judge.judge import RETRY, SHAPE, rule_on
from evaluator.judge.question import Case, case, template
from evaluator.progress import Progress, progress
from evaluator.record.episode import Episode
from evaluator.results.manifest import checksum
from evaluator.results.store import RunStore
from evaluator.scoring.judgements import Judged
from evaluator.scoring.rules_kept import rules_count, undecided
from evaluator.scoring.scores import Profile
from evaluator.task.selection import task_in
from evaluator.task.task import Task


@dataclass(frozen=True, slots=True)
class Judging:
    """How a run is to be judged: by a model, or, without one, not at all."""

    model: ModelChoice | None = None
    concurrency: int = 8
    quiet: bool = False
    retry: RetryPolicy = RETRY

    @property
    def judge(self) -> str | None:
        return judge_name(self.model.name) if self.model else None


def judge_name(model: str) -> str:
    """A judge is a model with a prompt; with another prompt it is another judge."""
    return f"{model}@{checksum([template(), SHAPE.schema])[:12]}"


async def judge_run(
    store: RunStore,
    tasks: Mapping[str, Task],
    profile: Profile,
    judging: Judging,
) -> None:
    """Ask about every rule that code left undecided and this judge has not decided yet.

    Raises `ModelUnusable` if the model cannot be used at all; what was judged until then stays.
    """
    if judging.model is None:
        return
    judge = judge_name(judging.model.name)
    known = await store.judged(profile, judge)
    decided = {one.question for one in known if one.followed is not None}
    cases = [
        found
        for found in await open_cases(store, tasks, profile)
        if (found.task_id, found.trial, found.policy) not in decided
    ]
    if not cases:
        return
    waiting = deque(cases)
    with progress(len(cases), quiet=judging.quiet) as shown:
        async with (
            open_model(judging.model, judging.retry) as model,
            asyncio.TaskGroup() as working,
        ):
            for number in range(min(judging.concurrency, len(cases))):
                asking = _work(store, waiting, model, (judge, profile), shown)
                working.create_task(asking, name=f"judge {number}")


async def open_cases(
    store: RunStore, tasks: Mapping[str, Task], profile: Profile
) -> Sequence[Case]:
    """What a judge could decide in the episodes that count for the agent, where rules count."""
    cases: list[Case] = []
    async for unit in store.each_unit():
        task = task_in(tasks, unit.task_id, unit.words)
        if not unit.score.evaluated or not rules_count(task.task_type, profile):
            continue
        episode = Episode(await store.record(*unit.unit), task)
        cases += [
            case(unit.trial, episode, policy, finding)
            for policy, finding in undecided(episode, profile).items()
        ]
    return cases


async def _work(
    store: RunStore, waiting: deque[Case], model: Model, by: tuple[str, str], shown: Progress
) -> None:
    judge, profile = by
    while waiting:
        asked = waiting.popleft()
        ruling = await rule_on(model, asked.prompt)
        verdict = ruling.judgement
        judged = Judged(
            judge=judge,
            profile=profile,
            task_id=asked.task_id,
            trial=asked.trial,
            policy=asked.policy,
            followed=verdict.followed if verdict else None,
            reason=verdict.reason if verdict else ruling.why,
            verdicts=ruling.verdicts,
            usage=ruling.usage,
        )
        await store.save_judged(judged)
        shown.advance(_line(judged))


def _line(judged: Judged) -> str:
    said = {True: "kept", False: "broken", None: "not judged"}[judged.followed]
    return f"{judged.task_id}:{judged.trial} rule {judged.policy}: {said}, {judged.reason}"
