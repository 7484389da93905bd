"""`codriver score`: score stored records again; no car, no bus, and a model only as a judge."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast, get_args

from rich.text import Text

from assistant_gateway.models.model import ModelUnusable
from assistant_gateway.models.spending import Usage
from evaluator.event_loop import run_async
from evaluator.judge.phase import Judging, judge_run
from evaluator.problems import InfraProblem, Problem, UsageProblem, first_cause
from evaluator.reference.difficulty import facts_of
from evaluator.results.broken_agent import diagnosed
from evaluator.results.manifest import Manifest, task_checksums
from evaluator.results.store import RunStore, UnitResult, open_store
from evaluator.results.summary import summary
from evaluator.results.verdict_changes import (
    Pair,
    changed_rules,
    changed_units,
    differing,
    rules_table,
)
from evaluator.scoring.imported_runs import RECORDED, untimed
from evaluator.scoring.judgements import Judged, bills, judgements
from evaluator.scoring.scores import Profile, score
from evaluator.task.selection import load_tasks, load_world, task_in
from evaluator.task.task import Task
from evaluator.task.worlds import world_checksum
from evaluator.views.printing import print_json, print_rich
from evaluator.views.table import headline, table
from evaluator.views.totals import totals_table
from vehicle_bus.world.world import World

log = logging.getLogger(__name__)
REPLACED = ("profile", "tasks", "world")  # what `codriver score` may replace


class ScoresChanged(Problem):
    """With `--gate`: the stored scores are not those of the records today."""


@dataclass(frozen=True, slots=True)
class Rescored:
    """A run with new scores; `pairs` has each unit before and after, `judged` a judge's answers."""

    manifest: Manifest
    pairs: Sequence[Pair]
    judged: Sequence[Judged] = ()

    @property
    def units(self) -> list[UnitResult]:
        return [after for _, after in self.pairs]

    @property
    def changed(self) -> list[Pair]:
        return [pair for pair in self.pairs if differing(pair[0].score, pair[1].score)]


def rescore(
    folder: Path,
    profile: str | None,
    tasks_from: Path | None,
    world_folder: Path | None,
    out: Path | None,
    judging: Judging | None = None,
    *,
    gate: bool = False,
    as_json: bool,
) -> None:
    """Raises `UsageProblem` if tasks of the run are missing, and with `gate` `ScoresChanged`.

    With `out` the run is stored there as well, with the same records and the new scores. Without
    `judging` the latest judge counts.
    """
    if profile is not None and profile not in get_args(Profile):
        raise UsageProblem(f"--profile is one of {', '.join(get_args(Profile))}, not {profile!r}")
    if out is not None and out.resolve() == folder.resolve():
        out = None
    sources = tasks_from, world_folder
    rescored = run_async(_rescore(folder, cast(Profile | None, profile), sources, out, judging))
    _print(rescored, out or folder, as_json=as_json)
    if gate and rescored.changed:
        raise ScoresChanged(f"{len(rescored.changed)} of {len(rescored.pairs)} scores changed")


def _print(rescored: Rescored, folder: Path, *, as_json: bool) -> None:
    """The summary of the new scores, and which units changed."""
    figures = summary(rescored.manifest, rescored.units, out=str(folder), judged=rescored.judged)
    rules = changed_rules(rescored.pairs)
    if as_json:
        changed = changed_units(rescored.changed)
        print_json({**figures.model_dump(), "changed": changed, "changed_rules": rules})
        return
    print_rich(
        table(rescored.manifest, diagnosed(rescored.units)),
        "",
        totals_table(figures),
        Text(headline(figures)),
        f"{len(rescored.changed)} of {len(rescored.pairs)} scores changed",
        *(
            f"{after.task_id}:{after.trial}: {', '.join(differing(before.score, after.score))}"
            for before, after in rescored.changed
        ),
        *(("", rules_table(rules)) if rules else ()),
    )


async def _rescore(
    folder: Path,
    profile: Profile | None,
    sources: tuple[Path | None, Path | None],
    out: Path | None,
    judging: Judging | None,
) -> Rescored:
    model = judging.model if judging else None
    async with open_store(folder, judging=model is not None) as store:
        tasks_from, world_folder = store.manifest.sources(*sources)
        world = load_world(tasks_from, world_folder)
        tasks = {task.task_id: task for task in load_tasks(tasks_from, world)}
        chosen = profile or cast(Profile, store.manifest.profile)
        if judging is not None:
            await judge_run(store, tasks, chosen, judging)
        judged = await _judged(store, chosen, judging)
        rescored = await score_again(store, tasks, world, chosen, judged)
        rescored = _in_world(rescored, world_checksum(tasks_from, world_folder))
        if model is not None and _same_run(store.manifest, rescored.manifest):
            await store.rescored(rescored.units)
        if out is not None:
            await _keep(store, rescored, out)
        return rescored


async def judge_and_score(
    store: RunStore, tasks: Mapping[str, Task], world: World, judging: Judging | None
) -> list[Judged]:
    """Judge a run that was just played, and score it with the judge's answers.

    Raises `InfraProblem` if the judge cannot be used; what was played is safe.
    """
    if judging is None or judging.model is None:
        return []
    profile = cast(Profile, store.manifest.profile)
    try:
        await judge_run(store, tasks, profile, judging)
    except* ModelUnusable as error:
        raise InfraProblem(
            f"{first_cause(error)}; what was played is stored, judge it later with: "
            f"codriver score {store.folder} --judge {judging.model.name}"
        ) from error
    judged = await _judged(store, profile, judging)
    await store.rescored((await score_again(store, tasks, world, profile, judged)).units)
    return judged


async def _judged(store: RunStore, profile: Profile, judging: Judging | None) -> list[Judged]:
    """The answers of the judge that was asked for, by default of the latest."""
    if judging is None:
        return await store.judged(profile)
    return await store.judged(profile, judging.judge) if judging.model else []


async def score_again(
    store: RunStore,
    tasks: Mapping[str, Task],
    world: World,
    profile: Profile | None = None,
    judged: Sequence[Judged] | None = None,
) -> Rescored:
    """Score every unit with these tasks, by default in the profile and by the judge of the run."""
    chosen = profile or cast(Profile, store.manifest.profile)
    if judged is None:
        judged = await _judged(store, chosen, None)
    decided, used = judgements(judged), bills(judged)
    pairs: list[Pair] = []
    for unit in await store.units():
        task = task_in(tasks, unit.task_id, unit.words)
        infra = unit.score.reason if unit.score.outcome == "infra_error" else None
        answers = decided.get(unit.unit, {})
        record = await store.record(*unit.unit)
        new = score(record, task, world, chosen, infra=infra, judgements=answers)
        if store.manifest.pace == RECORDED:
            new = untimed(new)
        after = unit.model_copy(update={"score": new, **facts_of(tasks[unit.task_id])})
        pairs.append((unit, after.billed(used.get(unit.unit, Usage())) if judged else after))
    checksums = store.manifest.tasks | task_checksums(
        tasks[name] for name in store.manifest.tasks if name in tasks
    )
    manifest = store.manifest.model_copy(update={"profile": chosen, "tasks": checksums})
    return Rescored(manifest, pairs, judged)


def _in_world(rescored: Rescored, world: str) -> Rescored:
    """The run as one of the world it was scored with."""
    played = rescored.manifest.world
    if played and played != world:
        log.warning("the world differs from the one this run was played in")
    manifest = rescored.manifest.model_copy(update={"world": world if played else ""})
    return replace(rescored, manifest=manifest)


def _same_run(stored: Manifest, scored: Manifest) -> bool:
    return all(getattr(stored, name) == getattr(scored, name) for name in REPLACED)


async def _keep(store: RunStore, rescored: Rescored, out: Path) -> None:
    options = {**rescored.manifest.options, "rescored_from": str(store.folder)}
    manifest = rescored.manifest.model_copy(update={"options": options})
    async with open_store(out, manifest=manifest) as kept:
        for unit in rescored.units:
            unit = unit.model_copy(update={"sound": None})  # its file stays in the other folder
            await kept.save(unit, await store.record(*unit.unit))
        for judged in rescored.judged:
            await kept.save_judged(judged)
