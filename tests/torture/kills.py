"""Runs that are killed with SIGKILL and resumed, compared with one that was not disturbed."""

import asyncio
import subprocess
import tempfile
from pathlib import Path
from random import Random
from time import monotonic

from evaluator.results.store import holds_run, open_store
from tests.evaluator.command_line import PROGRAM, environment
from tests.torture.figures import Figures

TASKS = (
    "ask_seat_heating,ask_which_stop,base_change_of_plan,base_fog_lights,limit_no_trunk,settle_fan"
)
BROKERS = ("embedded", "mosquitto")
LIMIT_S = 120.0
Results = dict[str, tuple[float | None, str | None]]


def torture(figures: Figures, for_s: float, random: Random) -> None:
    """Kill and resume until the time is over; what came out is the same each time."""
    with tempfile.TemporaryDirectory(prefix="codriver-torture-") as name:
        whole = Path(name) / "undisturbed"
        _play(figures, whole, "embedded", None)
        expected = asyncio.run(_results(whole))
        number = 0
        until_s = monotonic() + for_s
        while monotonic() < until_s:
            number += 1
            _one_run(figures, Path(name) / f"killed-{number}", expected, random)


def _one_run(figures: Figures, folder: Path, expected: Results, random: Random) -> None:
    kept: Results = {}
    broker = random.choice(BROKERS)
    for after_s in [random.uniform(0.5, 4.0) for _ in range(random.randint(1, 3))] + [None]:
        _play(figures, folder, broker, after_s)
        stored = asyncio.run(_results(folder)) if holds_run(folder) else {}
        for unit in kept.keys() - stored.keys():
            figures.found("lost", f"{folder.name}: {unit} was stored before a kill and is gone")
        kept = stored
    for unit in expected.keys() - kept.keys():
        figures.found("lost", f"{folder.name}: {unit} was not played")
    for unit, result in kept.items():
        if result != expected[unit]:
            figures.found("wrong", f"{folder.name}: {unit} {result}, expected {expected[unit]}")


def _play(figures: Figures, folder: Path, broker: str, after_s: float | None) -> None:
    """Begin a run or go on with it; killed after so many seconds, unless it was quicker."""
    command = (*PROGRAM, "run", "--agent", "rules", "--pace", "virtual", "--broker", broker)
    more = ("--task-ids", TASKS, "--out", str(folder), "--resume")
    with subprocess.Popen(
        [*command, *more],
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        try:
            _, said = run.communicate(timeout=after_s or LIMIT_S)
        except subprocess.TimeoutExpired:
            run.kill()
            _, said = run.communicate()
            figures.kills += after_s is not None
            if after_s is None:
                figures.found("hangs", f"{folder.name} with {broker}: {said[-300:]}")
    if "Traceback" in said:
        figures.found("tracebacks", said[-1000:])


async def _results(folder: Path) -> Results:
    async with open_store(folder) as store:
        return {
            f"{unit.task_id}:{unit.trial}": (unit.score.reward, unit.digest)
            for unit in await store.units()
        }
