"""`codriver score --from-car-bench`: public result files become a run that can be looked into.

Car, calls and words are reenacted and scored anew. The driver's last word and the verdicts of the
judge are taken from the file, since nobody can work them out again.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from rich.text import Text

from evaluator.car_bench.recorded_verdict import PUBLISHED, scored_record
from evaluator.car_bench.recordings import RecordedRun, read_recordings
from evaluator.car_bench.replay_in_process import reenact
from evaluator.problems import UsageProblem
from evaluator.reference.difficulty import facts_of
from evaluator.results.manifest import Manifest, origin, task_checksums
from evaluator.results.store import UnitResult, open_store
from evaluator.results.summary import summary
from evaluator.scoring.imported_runs import RECORDED
from evaluator.scoring.judgements import Judged
from evaluator.scoring.scores import Profile, Score
from evaluator.task.selection import load_tasks, load_world
from evaluator.task.task import Task
from evaluator.task.worlds import world_checksum
from evaluator.views.printing import print_json, print_rich
from evaluator.views.table import headline, table
from evaluator.views.totals import totals_table
from vehicle_bus.world.world import World


@dataclass(frozen=True, slots=True)
class Imported:
    """A run as it was reenacted; `differing` are calls our car answers otherwise, by unit."""

    manifest: Manifest
    units: Sequence[UnitResult]
    judged: Sequence[Judged]
    differing: Mapping[str, Sequence[str]]


def import_into(
    out: Path | None,
    run: Path | None,
    files: Sequence[Path],
    profile: str | None,
    tasks_from: Path | None,
    world_folder: Path | None,
    *,
    as_json: bool,
) -> None:
    """Reenact, score, store in `out` and print; raises `UsageProblem`."""
    if run is not None or out is None:
        raise UsageProblem("--from-car-bench makes a new run: name no run folder, but --out")
    chosen = profile or PUBLISHED
    if chosen not in get_args(Profile):
        raise UsageProblem(f"--profile is one of {', '.join(get_args(Profile))}, not {profile!r}")
    recordings = read_recordings(*files)
    found = recordings.runs
    world = load_world(tasks_from, world_folder)
    tasks = {task.task_id: task for task in load_tasks(tasks_from, world)}
    known = [run for run in found if run.task_id in tasks]
    _check(found, known)
    manifest = _manifest(found, tasks, cast(Profile, chosen), tasks_from, world_folder)
    imported = asyncio.run(_import(known, tasks, world, manifest, out))
    figures = summary(imported.manifest, imported.units, out=str(out), judged=imported.judged)
    if as_json:
        print_json(
            {
                **figures.model_dump(),
                "differing_answers": imported.differing,
                "skipped": recordings.skipped,
            }
        )
        return
    calls = sum(map(len, imported.differing.values()))
    print_rich(
        table(imported.manifest, imported.units),
        "",
        totals_table(figures),
        Text(headline(figures)),
        f"{len(imported.units)} recorded runs in {out}; our car answers {calls} calls otherwise",
        *(f"skipped {line}" for line in recordings.skipped),
        "times are unknown; the driver's last word and the judge's verdicts are the recorded ones",
    )


def _check(found: Sequence[RecordedRun], known: Sequence[RecordedRun]) -> None:
    if not known:
        names = ", ".join(sorted({run.task_id for run in found})[:3]) or "none at all"
        raise UsageProblem(f"--tasks-from holds none of the recorded tasks: {names}")
    seen: dict[tuple[str, int], str] = {}
    for run in known:
        unit = run.task_id, run.trial
        if unit in seen:
            raise UsageProblem(f"{run.task_id} trial {run.trial}: in {seen[unit]} and {run.where}")
        seen[unit] = run.where


def _trials(found: Sequence[RecordedRun]) -> list[int]:
    return sorted({run.trial for run in found})


def _manifest(
    found: Sequence[RecordedRun],
    tasks: Mapping[str, Task],
    profile: Profile,
    tasks_from: Path | None,
    world_folder: Path | None,
) -> Manifest:
    """Trials are numbered from 0; `options.trials` has their numbers in the file."""
    ids = list(dict.fromkeys(run.task_id for run in found))
    return Manifest(
        **origin(),
        run_id=f"recorded-{len(found)}",
        tasks=task_checksums([tasks[name] for name in ids if name in tasks]),
        num_trials=len(_trials(found)),
        seed=0,
        agent=RECORDED,
        user=RECORDED,
        pace=RECORDED,
        latency_profile="none",
        profile=profile,
        compat="car-bench",
        unsupported=tuple([name for name in ids if name not in tasks]),
        world=world_checksum(tasks_from, world_folder),
        options={
            "tasks_from": str(tasks_from or "shipped"),
            "world": str(world_folder) if world_folder else None,
            "trials": _trials(found),
            "files": sorted({run.where.rpartition(":")[0] for run in found}),
        },
    )


async def _import(
    runs: Sequence[RecordedRun],
    tasks: Mapping[str, Task],
    world: World,
    manifest: Manifest,
    out: Path,
) -> Imported:
    place = {trial: number for number, trial in enumerate(manifest.options["trials"])}
    differing: dict[str, Sequence[str]] = {}
    every: list[Judged] = []
    async with open_store(out, manifest=manifest) as store:
        for run in runs:
            task, trial = tasks[run.task_id], place[run.trial]
            profile = cast(Profile, manifest.profile)
            vin = f"{manifest.run_id}-{run.task_id}-{trial}"
            played = reenact(run, task, world, vin)
            score, judged = scored_record(run, played.record, task, world, profile, trial)
            await store.save(_unit(run, task, trial, score, manifest), played.record)
            for word in judged:
                await store.save_judged(word)
            every += judged
            if played.differing:
                differing[f"{run.task_id}:{trial}"] = played.differing
        return Imported(manifest, await store.units(), every, differing)


def _unit(run: RecordedRun, task: Task, trial: int, score: Score, manifest: Manifest) -> UnitResult:
    cost = run.info.get("total_agent_cost")
    return UnitResult(
        task_id=task.task_id,
        trial=trial,
        task_type=task.task_type,
        **facts_of(task),
        score=score,
        started_at=manifest.created_at,
        finished_at=manifest.created_at,
        cost={} if cost is None else {"agent": float(cost)},
    )
