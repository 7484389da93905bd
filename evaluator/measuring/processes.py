"""Whether two of everything play twice as much: each process has its own broker, car and gateway.

A session needs its agent, its driver and its car at the same gateway, so sessions are shared out
among gateways, and not among sockets of one port.
"""

import asyncio
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from evaluator.measuring.episodes import EPISODES, play
from evaluator.measuring.rig.own_process import own_process
from evaluator.problems import InfraProblem
from evaluator.run.units import RunSettings
from evaluator.task.selection import Selection, load

CONCURRENCY = 8


async def processes_per_s(
    settings: RunSettings,
    tasks_from: Path | None,
    world: Path | None,
    processes: int,
    episodes: int = EPISODES,
) -> float:
    """Episodes a second of so many benches side by side, counted in the time they share."""
    async with AsyncExitStack() as stack:
        benches = [
            await stack.enter_async_context(
                own_process(
                    play_apart,
                    replace(settings, run_id=f"p{number}"),
                    *(tasks_from, world, episodes),
                )
            )
            for number in range(processes)
        ]
        for each in benches:
            await _line(each)
        for each in benches:
            assert each.stdin is not None
            each.stdin.write(b"go\n")
        return round(sum([float(await _line(each)) for each in benches]), 2)


async def _line(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    line = await process.stdout.readline()
    if not line:
        raise InfraProblem("a bench in a process of its own has ended")
    return line


async def play_apart(
    orders: asyncio.StreamReader,
    settings: RunSettings,
    tasks_from: Path | None,
    world: Path | None,
    episodes: int,
) -> None:
    """The process of one bench: plays when told to, and says how many episodes a second."""
    tasks, _, loaded = load(Selection(tasks_from), world)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await orders.readline()
    played = await play(settings, loaded, tasks, CONCURRENCY, episodes)
    sys.stdout.write(f"{played.per_s}\n")
    sys.stdout.flush()
