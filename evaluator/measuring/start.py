"""How long a fresh `codriver run` takes to its first episode, and how much memory it needs."""

import asyncio
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from assistant_gateway.timing.timeline import SECOND, wall_ns
from evaluator.measuring.rig.memory import peak_mb
from evaluator.problems import InfraProblem

COMMAND = "from evaluator.cli.main import main; main()"
OPTIONS = (
    *("--agent", "reference", "--user", "scripted", "--pace", "virtual"),
    *("--latency-profile", "zero", "--max-concurrency", "8", "--num-trials", "1"),
)
PROGRESS = re.compile(rb"^\[\d+/\d+\]")
LOOK_EVERY_S = 0.005


@dataclass(frozen=True, slots=True)
class Started:
    """One run in a process of its own.

    `first_episode_s` is until its first line of progress: that of its first episode if it has few.
    """

    first_episode_s: float
    peak_mb: float | None


async def cold_start(arguments: Sequence[str], starts: int) -> Started:
    """The median start of a run with one task, and the peak memory of one with all of them.

    `arguments` are options of `codriver run` that name tasks, world and broker.
    """
    runs = [await _run([*arguments, "--num-tasks", "1"]) for _ in range(starts)]
    whole = await _run(arguments)
    return Started(round(median(run.first_episode_s for run in runs), 3), whole.peak_mb)


async def _run(arguments: Sequence[str]) -> Started:
    with tempfile.TemporaryDirectory(prefix="codriver-bench-") as folder:
        out = ("--out", str(Path(folder) / "run"))
        started_ns = wall_ns()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", COMMAND, "run", *OPTIONS, *arguments, *out),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            process_group=0,
        )
        try:
            async with asyncio.TaskGroup() as tasks:
                reading = tasks.create_task(_first_done_ns(process), name="progress of a run")
                watching = tasks.create_task(_peak_mb(process), name="memory of a run")
        finally:
            if process.returncode is None:
                process.kill()  # an orderly end has no limit, and its folder is removed anyway
                await process.wait()
    first_ns = reading.result()
    if process.returncode or first_ns is None:
        raise InfraProblem(f"a fresh `codriver run` ended with exit code {process.returncode}")
    return Started((first_ns - started_ns) / SECOND, watching.result())


async def _first_done_ns(process: asyncio.subprocess.Process) -> int | None:
    """When the first line of progress came; reads on to the end so that nobody has to wait."""
    assert process.stderr is not None
    first_ns = None
    async for line in process.stderr:
        if first_ns is None and PROGRESS.match(line):
            first_ns = wall_ns()
    return first_ns


async def _peak_mb(process: asyncio.subprocess.Process) -> float | None:
    """The peak as last seen before it ended; `wait4` would count in what we held at the fork."""
    peak: float | None = None
    while process.returncode is None:
        peak = peak_mb(process.pid) or peak
        try:
            async with asyncio.timeout(LOOK_EVERY_S):
                await process.wait()
        except TimeoutError:
            continue
    return peak
