"""What worker processes gain: the same run with one process and with as many as there are cores."""

import resource
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

from assistant_gateway.timing.timeline import SECOND, wall_ns
from evaluator.measuring.start import COMMAND
from evaluator.problems import InfraProblem
from evaluator.results.store import open_store
from evaluator.run.settings import cores_here
from vehicle_bus.child_process import child_process

OPTIONS = ("--agent", "reference", "--pace", "virtual", "--json")


@dataclass(frozen=True, slots=True)
class Scaling:
    """Medians of so many pairs of runs; `gain` is the median of the pairs.

    Episodes per second count from the beginning of the first episode to the end of the last, CPU
    seconds are those of all processes with their start, `wall_s` is that of the whole command.
    """

    workers: int
    episodes: int
    pairs: int
    gain: float
    episodes_per_s: dict[str, float]
    episodes_per_cpu_s: dict[str, float]
    wall_s: dict[str, float]


@dataclass(frozen=True, slots=True)
class _Run:
    episodes: int
    per_s: float
    per_cpu_s: float
    wall_s: float


async def scaling(arguments: Sequence[str], trials: int, pairs: int) -> Scaling:
    """Runs alternate, so that what else this machine does hits both.

    `arguments` are options of `codriver run` that name tasks, world and broker.
    """
    workers = max(2, cores_here())
    numbers = (1, workers)
    runs: dict[int, list[_Run]] = {number: [] for number in numbers}
    for _ in range(pairs):
        for number in numbers:
            runs[number].append(await _run([*arguments, f"--num-trials={trials}"], number))

    def medians(name: str) -> dict[str, float]:
        return {
            str(number): round(median(getattr(run, name) for run in runs[number]), 2)
            for number in numbers
        }

    return Scaling(
        workers,
        runs[1][0].episodes,
        pairs,
        round(median(many.per_s / one.per_s for one, many in zip(*runs.values(), strict=True)), 2),
        medians("per_s"),
        medians("per_cpu_s"),
        medians("wall_s"),
    )


async def _run(arguments: Sequence[str], workers: int) -> _Run:
    with tempfile.TemporaryDirectory(prefix="codriver-bench-") as name:
        folder, said = Path(name) / "run", Path(name) / "said"
        before, started_ns = resource.getrusage(resource.RUSAGE_CHILDREN), wall_ns()
        command = (sys.executable, "-c", COMMAND, "run", *OPTIONS, *arguments)
        own = (f"--workers={workers}", "--out", folder)
        with said.open("wb") as output:
            async with child_process([*command, *own], output) as process:
                code = await process.wait()
                wall_s = (wall_ns() - started_ns) / SECOND
        if code:
            lines = said.read_text(encoding="utf-8", errors="replace").splitlines()
            why = [line for line in lines if line.startswith("codriver: ")][-1:] or lines[-1:]
            raise InfraProblem(f"a run with --workers {workers} failed: {' '.join(why)}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        async with open_store(folder) as store:
            units = await store.units()
        begun = min(datetime.fromisoformat(unit.started_at) for unit in units)
        ended = max(datetime.fromisoformat(unit.finished_at) for unit in units)
        cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        played_s = (ended - begun).total_seconds()
        return _Run(len(units), len(units) / played_s, len(units) / cpu_s, wall_s)
