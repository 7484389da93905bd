"""`codriver score`: score stored records again; no car, no bus, and a model only as a judge."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast, get_args

from rich.text import Text

from assistant_gateway.models.model import ModelUnusable
from assistant_gateway.models.spending import Usage
from evaluator.judge.phase import Judging, judge_run
from evaluator.problems import InfraProblem, Problem, UsageProblem, first_cause
from evaluator.record.record import Record
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
from evaluator.run_async import run_async
from evaluator.scoring.judgements import Judged, bills, judgements
from evaluator.scoring.policies import Judgement
from evaluator.scoring.scores import Profile, score
from evaluator.scoring.untimed import RECORDED, untimed
from evaluator.task.selection import load_tasks, load_world
from evaluator.task.task import Task
from evaluator.task.worlds import world_checksum
from evaluator.views.printing import print_json, print_rich
from evaluator.views.table import headline, table
from evaluator.views.totals import totals_table
from vehicle_bus.world.world import World

log = logging.getLogger(__name__)
REPLACED = ("profile", "tasks", "world")  # what a run may be scored with anew


class ScoresChanged(Problem):
    """The gate of `--gate`: the stored scores are not what these records are worth now."""


@dataclass(frozen=True, slots=True)
class Rescored:
    """A run under another light; `changed` are the units that came out differently, as pairs.

    `rules` tells which rules were decided otherwise, and how often.
    """

    manifest: Manifest
    units: list[UnitResult]
    changed: tuple[Pair, ...]
    rules: list[dict[str, Any]]
    judged: tuple[Judged, ...] = ()


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
    """Raises `UsageProblem` if the tasks the run was made of are not to be found, and
    `ScoresChanged` if a gate was asked for.

    With `out` the run is stored there as well, with the same records and the new scores. Without
    `judging` the words of the judge that was heard last count.
    """
    if profile is not None and profile not in get_args(Profile):
        raise UsageProblem(f"--profile is one of {', '.join(get_args(Profile))}, not {profile!r}")
    if out is not None and out.resolve() == folder.resolve():
        out = None
    rescored = run_async(
        _rescore(folder, cast(Profile | None, profile), tasks_from, world_folder, out, judging)
    )
    show_rescored(rescored, out or folder, as_json=as_json)
    if gate and rescored.changed:
        raise ScoresChanged(f"{len(rescored.changed)} of {len(rescored.units)} scores changed")


def show_rescored(rescored: Rescored, folder: Path, *, as_json: bool) -> None:
    """The summary of the new scores, and which units changed."""
    figures = summary(rescored.manifest, rescored.units, out=str(folder), judged=rescored.judged)
    if as_json:
        changed = changed_units(rescored.changed)
        print_json({**figures.model_dump(), "changed": changed, "changed_rules": rescored.rules})
        return
    changes = [
        f"{after.task_id}:{after.trial}: {', '.join(differing(before.score, after.score))}"
        for before, after in rescored.changed
    ]
    count = f"{len(rescored.changed)} of {len(rescored.units)} scores changed"
    units = table(rescored.manifest, rescored.units)
    rules = ("", rules_table(rescored.rules)) if rescored.rules else ()
    print_rich(units, "", totals_table(figures), Text(headline(figures)), count, *changes, *rules)


async def _rescore(
    folder: Path,
    profile: Profile | None,
    tasks_from: Path | None,
    world_folder: Path | None,
    out: Path | None,
    judging: Judging | None,
) -> Rescored:
    model = judging.model if judging else None
    async with open_store(folder, judging=model is not None) as store:
        tasks_from, world_folder = store.manifest.sources(tasks_from, world_folder)
        world = load_world(tasks_from, world_folder)
        tasks = {task.task_id: task for task in load_tasks(tasks_from, world)}
        chosen = profile or cast(Profile, store.manifest.profile)
        if judging is not None:
            await judge_run(store, tasks, chosen, judging)
        heard = await words(store, chosen, judging)
        held = world_checksum(tasks_from, world_folder)
        rescored = _in_world(await judged_again(store, tasks, world, chosen, heard), held)
        if model is not None and _same_run(store.manifest, rescored.manifest):
            await _keep_scores(store, rescored)
        if out is not None:
            await _keep(store, rescored, out)
        return rescored


async def judge_and_score(
    store: RunStore, tasks: Mapping[str, Task], world: World, judging: Judging | None
) -> list[Judged]:
    """Judge a run that was just played and make the judge's word count in its scores.

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
    heard = await words(store, profile, judging)
    await _keep_scores(store, await judged_again(store, tasks, world, profile, heard))
    return heard


async def words(store: RunStore, profile: Profile, judging: Judging | None) -> list[Judged]:
    """What the judge asked for said about this run; by default the one that was heard last."""
    if judging is None:
        return await store.judged(profile)
    return await store.judged(profile, judging.judge) if judging.model else []


async def judged_again(
    store: RunStore,
    tasks: Mapping[str, Task],
    world: World,
    profile: Profile | None = None,
    heard: Sequence[Judged] | None = None,
) -> Rescored:
    """Score every unit of a run with these tasks, by default in the profile of the run.

    `heard` is what a judge said, by default the one that was heard last.
    """
    chosen = profile or cast(Profile, store.manifest.profile)
    heard = await words(store, chosen, None) if heard is None else heard
    decided, used = judgements(heard), bills(heard)
    units: list[UnitResult] = []
    stored = await store.units()
    for unit in stored:
        task = tasks.get(unit.task_id)
        if task is None:
            raise UsageProblem(
                f"task {unit.task_id} of this run is not among the tasks; name them with "
                "--tasks-from"
            )
        record = await store.record(*unit.unit)
        said = decided.get(unit.unit, {})
        bill = used.get(unit.unit, Usage()) if heard else None
        again = _billed(_judged(unit, record, task, world, chosen, said), bill)
        if store.manifest.pace == RECORDED:
            again = again.model_copy(update={"score": untimed(again.score)})
        units.append(again)
    pairs = list(zip(stored, units, strict=True))
    changed = tuple(pair for pair in pairs if differing(pair[0].score, pair[1].score))
    now = task_checksums(tasks.values())
    manifest = store.manifest.model_copy(
        update={
            "profile": chosen,
            "tasks": {name: now.get(name, was) for name, was in store.manifest.tasks.items()},
        }
    )
    return Rescored(manifest, units, changed, changed_rules(pairs), tuple(heard))


async def _keep_scores(store: RunStore, rescored: Rescored) -> None:
    """Make the new scores those of the run itself."""
    for unit in rescored.units:
        await store.rescored(unit)


def _in_world(rescored: Rescored, world: str) -> Rescored:
    """The run as one of the world it was scored with."""
    played = rescored.manifest.world
    if played and played != world:
        log.warning("the world differs from the one this run was played in")
    manifest = rescored.manifest.model_copy(update={"world": world if played else ""})
    return replace(rescored, manifest=manifest)


def _same_run(stored: Manifest, scored: Manifest) -> bool:
    return all(getattr(stored, name) == getattr(scored, name) for name in REPLACED)


def _billed(unit: UnitResult, judge: Usage | None) -> UnitResult:
    if judge is None:
        return unit
    return unit.model_copy(
        update={
            "usage": {**unit.usage, "judge": judge},
            "cost": {**unit.cost, "judge": judge.cost_usd},
        }
    )


def _judged(
    unit: UnitResult,
    record: Record,
    task: Task,
    world: World,
    profile: Profile,
    said: Mapping[str, Judgement],
) -> UnitResult:
    infra = unit.score.reason if unit.score.outcome == "infra_error" else None
    return unit.model_copy(
        update={
            "score": score(record, task, world, profile, infra=infra, judgements=said),
            **task.facts,
        }
    )


async def _keep(store: RunStore, rescored: Rescored, out: Path) -> None:
    options = {**rescored.manifest.options, "rescored_from": str(store.folder)}
    manifest = rescored.manifest.model_copy(update={"options": options})
    async with open_store(out, manifest=manifest) as kept:
        for unit in rescored.units:
            await kept.save(unit, await store.record(*unit.unit))
        for judged in rescored.judged:
            await kept.save_judged(judged)
