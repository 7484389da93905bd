"""`codriver score`: score stored records again; no car, no bus, and a model only as a judge."""

import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any, cast, get_args

import orjson
from rich.text import Text

from assistant_gateway.models.model import ModelUnusable
from assistant_gateway.models.spending import Usage
from evaluator.event_loop import run_async
from evaluator.judge.phase import Judging, judge_run
from evaluator.problems import InfraProblem, Problem, UsageProblem, first_cause
from evaluator.reference.difficulty import facts_of
from evaluator.results.broken_agent import CommonAnswers, diagnosed
from evaluator.results.manifest import Manifest, task_checksums
from evaluator.results.rows.run_rows import RunRows
from evaluator.results.rows.sample import MOST_SHOWN
from evaluator.results.store import RunStore, UnitResult, open_store
from evaluator.results.summary import summary
from evaluator.results.verdict_changes import (
    ChangedRules,
    Pair,
    changed_unit,
    differing,
    rules_table,
)
from evaluator.scoring.imported_runs import RECORDED, untimed
from evaluator.scoring.judgements import Judged, bills, judgements
from evaluator.scoring.scores import Profile, score
from evaluator.task.selection import load_tasks, load_world, task_in
from evaluator.task.task import Task
from evaluator.task.worlds import world_checksum
from evaluator.views.printing import print_json_list, print_rich
from evaluator.views.table import headline, table
from evaluator.views.totals import totals_table
from vehicle_bus.world.world import World

log = logging.getLogger(__name__)
MOST_BYTES_IN_MEMORY = 50_000_000
REPLACED = ("profile", "tasks", "world")  # what `codriver score` may replace


class ScoresChanged(Problem):
    """With `--gate`: the stored scores are not those of the records today."""


class Rescored:
    """The units of a run with new scores, kept in a file."""

    def __init__(self, file: IO[bytes]) -> None:
        self.units = self.changed = 0
        self.rules = ChangedRules()
        self._answers = CommonAnswers()
        self._file = file

    def add(self, before: UnitResult, after: UnitResult) -> None:
        changed = bool(differing(before.score, after.score))
        self.units += 1
        self.changed += changed
        self.rules.add(before, after)
        self._answers.add(after)
        pair = after, before if changed else None
        self._file.write(orjson.dumps([each and each.model_dump(mode="json") for each in pair]))
        self._file.write(b"\n")

    def pairs(self) -> Iterator[tuple[UnitResult, UnitResult | None]]:
        """Each unit with its new score, and as it was before if its verdict changed."""
        self._file.seek(0)
        for line in self._file:
            after, before = orjson.loads(line)
            yield (
                UnitResult.model_validate(after),
                UnitResult.model_validate(before) if before else None,
            )

    async def each_unit(self) -> AsyncIterator[UnitResult]:
        for after, _ in self.pairs():
            yield after

    def diagnosed(self) -> Iterator[UnitResult]:
        return diagnosed((after for after, _ in self.pairs()), self._answers)


@dataclass(frozen=True, slots=True)
class RescoredRun:
    """What was scored, how, and with which answers of a judge."""

    manifest: Manifest
    judged: Sequence[Judged]
    scored: Rescored


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
    chosen = cast(Profile | None, profile)
    scored = run_async(_rescore(folder, chosen, sources, out, judging, as_json=as_json))
    if gate and scored.changed:
        raise ScoresChanged(f"{scored.changed} of {scored.units} scores changed")


async def _print(run: RescoredRun, folder: Path, *, as_json: bool) -> None:
    """The summary of the new scores, and which units changed."""
    scored, rows, shown = run.scored, RunRows(), list[UnitResult]()
    for unit in scored.diagnosed():
        rows.add(unit)
        if len(shown) < MOST_SHOWN:
            shown.append(unit)
    figures = summary(run.manifest, rows, out=str(folder), judged=run.judged)
    rules = scored.rules.rows()
    if as_json:
        after = {"changed_rules": rules}
        await print_json_list(figures.model_dump(), "changed", _changed_units(scored), after)
        return
    changed = islice(_changed_lines(scored), MOST_SHOWN)
    more = f", the first {MOST_SHOWN} of them are listed (all: --json)"
    few = f"the first {MOST_SHOWN} of {scored.units} units"
    print_rich(
        table(run.manifest, shown),
        *((few,) if scored.units > MOST_SHOWN else ()),
        "",
        totals_table(figures),
        Text(headline(figures)),
        f"{scored.changed} of {scored.units} scores changed"
        f"{more if scored.changed > MOST_SHOWN else ''}",
        *changed,
        *(("", rules_table(rules)) if rules else ()),
    )


async def _changed_units(scored: Rescored) -> AsyncIterator[dict[str, Any]]:
    for after, before in scored.pairs():
        if before is not None:
            yield changed_unit(before, after)


def _changed_lines(scored: Rescored) -> Iterator[str]:
    for after, before in scored.pairs():
        if before is not None:
            yield f"{after.name}: {', '.join(differing(before.score, after.score))}"


async def _rescore(
    folder: Path,
    profile: Profile | None,
    sources: tuple[Path | None, Path | None],
    out: Path | None,
    judging: Judging | None,
    *,
    as_json: bool,
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
        manifest = scored_manifest(store.manifest, tasks, chosen)
        manifest = _in_world(manifest, world_checksum(tasks_from, world_folder))
        with SpooledTemporaryFile(MOST_BYTES_IN_MEMORY) as file:
            scored = Rescored(file)
            async for before, after in score_again(store, tasks, world, chosen, judged):
                scored.add(before, after)
            run = RescoredRun(manifest, judged, scored)
            if model is not None and _same_run(store.manifest, manifest):
                await store.rescored(scored.each_unit())
            if out is not None:
                await _keep(store, run, out)
            await _print(run, out or folder, as_json=as_json)
        return scored


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
    pairs = score_again(store, tasks, world, profile, judged)
    await store.rescored(after async for _, after in pairs)
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
) -> AsyncIterator[Pair]:
    """Score every unit with these tasks, by default in the profile and by the judge of the run.

    Each unit before and after.
    """
    chosen = profile or cast(Profile, store.manifest.profile)
    if judged is None:
        judged = await _judged(store, chosen, None)
    decided, used = judgements(judged), bills(judged)
    async for unit in store.each_unit():
        task = task_in(tasks, unit.task_id, unit.words)
        infra = unit.score.reason if unit.score.outcome == "infra_error" else None
        answers = decided.get(unit.unit, {})
        record = await store.record(*unit.unit)
        new = score(record, task, world, chosen, infra=infra, judgements=answers)
        if store.manifest.pace == RECORDED:
            new = untimed(new)
        after = unit.model_copy(update={"score": new, **facts_of(tasks[unit.task_id])})
        yield unit, after.billed(used.get(unit.unit, Usage())) if judged else after


def scored_manifest(stored: Manifest, tasks: Mapping[str, Task], profile: Profile) -> Manifest:
    """That of a run scored with these tasks in a profile."""
    checksums = stored.tasks | task_checksums(tasks[name] for name in stored.tasks if name in tasks)
    return stored.model_copy(update={"profile": profile, "tasks": checksums})


def _in_world(manifest: Manifest, world: str) -> Manifest:
    """The run as one of the world it was scored with."""
    if manifest.world and manifest.world != world:
        log.warning("the world differs from the one this run was played in")
    return manifest.model_copy(update={"world": world if manifest.world else ""})


def _same_run(stored: Manifest, scored: Manifest) -> bool:
    return all(getattr(stored, name) == getattr(scored, name) for name in REPLACED)


async def _keep(store: RunStore, run: RescoredRun, out: Path) -> None:
    options = {**run.manifest.options, "rescored_from": str(store.folder)}
    manifest = run.manifest.model_copy(update={"options": options})
    async with open_store(out, manifest=manifest) as kept:
        async for unit in run.scored.each_unit():
            unit = unit.model_copy(update={"sound": None})  # its file stays in the other folder
            await kept.save(unit, await store.record(*unit.unit))
        for judged in run.judged:
            await kept.save_judged(judged)
