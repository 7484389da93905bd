"""What a stored run costs: scoring it again, and writing its report."""

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from assistant_gateway.timing.timeline import SECOND, wall_ns
from evaluator.commands.score import score_again
from evaluator.measuring.episodes import Keeper, bench_manifest
from evaluator.report.report import report_of
from evaluator.results.store import RunStore, open_store
from evaluator.run.units import Played, RunSettings, Unit, bench, play_all
from evaluator.task.task import Task
from vehicle_bus.world.world import World

CONCURRENCY = 8
REPORT_TRIALS = 3


@dataclass(frozen=True, slots=True)
class Rescoring:
    """Every unit of a run scored again; `bit_equal` if each score is the stored one."""

    seconds: float
    units: int
    bit_equal: bool


@dataclass(frozen=True, slots=True)
class Reporting:
    """A run written as one page; `megabytes` is the file."""

    seconds: float
    units: int
    megabytes: float


async def rescoring(settings: RunSettings, world: World, tasks: Sequence[Task]) -> Rescoring:
    """Play each task once, and score what was stored."""
    async with _stored(settings, world, tasks, trials=1) as store:
        started_ns = wall_ns()
        by_id = {task.task_id: task for task in tasks}
        pairs = [pair async for pair in score_again(store, by_id, world)]
        took_ns = wall_ns() - started_ns
    same = all(before.model_dump_json() == after.model_dump_json() for before, after in pairs)
    return Rescoring(_seconds(took_ns), len(pairs), same)


async def reporting(settings: RunSettings, world: World, tasks: Sequence[Task]) -> Reporting:
    """Write the page of three trials; each task is played once, for they are alike."""
    async with _stored(settings, world, tasks, trials=REPORT_TRIALS) as store:
        started_ns = wall_ns()
        html, units, _ = await report_of(store.folder)
        took_ns = wall_ns() - started_ns
    return Reporting(_seconds(took_ns), units, round(len(html.encode()) / 1e6, 2))


@asynccontextmanager
async def _stored(
    settings: RunSettings, world: World, tasks: Sequence[Task], trials: int
) -> AsyncIterator[RunStore]:
    """A run of the reference agent, played, scored and stored, for as long as the block runs."""
    settings = replace(settings, max_concurrency=CONCURRENCY, pace="virtual")
    with tempfile.TemporaryDirectory(prefix="codriver-bench-") as folder:
        manifest = bench_manifest(settings, tasks, trials)
        async with open_store(Path(folder) / "run", manifest=manifest) as store:
            async with bench(settings, world) as up:
                keep = Keeper(store)

                async def save(played: Played) -> None:
                    for trial in range(trials):
                        await keep.save(replace(played, unit=Unit(played.unit.task, trial)))

                await play_all(up, [Unit(task, 0) for task in tasks], save)
            yield store


def _seconds(took_ns: int) -> float:
    return round(took_ns / SECOND, 3)
