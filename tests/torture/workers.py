"""Runs of several workers that are disturbed: `python -m tests.torture.workers --kills 100`.

Workers and conductors are killed at seeded moments, and runs are resumed; with `--ray` nodes of a
cluster are killed or stopped for half a minute as well. Whatever happened, each unit has to be
there once, with the result of one undisturbed process.
"""

import argparse
import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import monotonic, sleep

from evaluator.results.store import FILE, holds_run
from tests.evaluator.command_line import PROGRAM, environment
from tests.evaluator.workers.ray_nodes import Tell, ray_nodes
from tests.torture.figures import Figures
from tests.torture.kills import Results, _results

TASKS = (
    "ask_seat_heating,ask_which_stop,base_change_of_plan,base_fog_lights,limit_no_trunk,settle_fan"
)
RUN = ("run", "--agent", "rules", "--pace", "virtual", "--broker", "embedded", "--allow-slow-bench")
UNITS = ("--task-ids", TASKS, "--num-trials", "10")
LIMIT_S = 600.0
LONGEST_STOP_S = 30.0
ORDERLY = (0, -signal.SIGKILL)


@dataclass(slots=True)
class Place:
    """Where runs are played, and what is done there."""

    options: tuple[str, ...]
    variables: dict[str, str] = field(default_factory=dict)
    tell: Tell | None = None
    nodes: list[int] = field(default_factory=list)
    stopped: list[int] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)

    def wake(self) -> None:
        """Let every worker run on that was stopped."""
        for process in self.stopped:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
        self.stopped.clear()


def main() -> int:
    parser = argparse.ArgumentParser(description="Disturb runs of several workers.")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ray", action="store_true")
    given = parser.parse_args()
    figures, random = Figures(), Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="torture-") as name:
        folder = Path(name)
        whole = folder / "undisturbed"
        _finish(figures, whole, Place(("--workers", "1")))
        expected = asyncio.run(_results(whole))
        cluster = ray_nodes(2, folder) if given.ray else nullcontext(None)
        with cluster as nodes:
            place = Place(("--workers", "2"))
            if nodes is not None:
                variables, _, tell = nodes
                place = Place(("--on", "ray", "--workers", "2"), variables, tell, [0, 1])
            number = 0
            while place.done.total() < given.kills:
                number += 1
                _one_run(figures, folder / f"run-{number}", expected, place, random)
                shown = ", ".join(f"{what} {times}" for what, times in place.done.items())
                print(f"run {number}: {shown}; {figures.lines()[-1]}", flush=True)  # noqa: T201
    return 0 if figures.held else 1


def _one_run(
    figures: Figures, folder: Path, expected: Results, place: Place, random: Random
) -> None:
    for _ in range(random.randint(0, 2)):
        _disturbed(figures, folder, place, random, killed=True)
    _disturbed(figures, folder, place, random, killed=False)
    kept = asyncio.run(_results(folder))
    for unit in expected.keys() - kept.keys():
        figures.found("lost", f"{folder.name}: {unit} was not played")
    for unit, result in kept.items():
        if result != expected[unit]:
            figures.found("wrong", f"{folder.name}: {unit} {result}, expected {expected[unit]}")
    with closing(sqlite3.connect(folder / FILE)) as database:
        rows = database.execute("SELECT COUNT(*) FROM unit WHERE outcome != 'infra_error'")
        if (number := rows.fetchone()[0]) != len(expected):
            figures.found("wrong", f"{folder.name}: {number} results of {len(expected)} units")


def _disturbed(
    figures: Figures, folder: Path, place: Place, random: Random, *, killed: bool
) -> None:
    """A run, or the rest of it, whose workers are killed; in the end itself, if `killed`."""
    with _begun(folder, place) as run:
        _until_some_are_stored(run, folder)
        for _ in range(random.randint(1, 2)):
            sleep(random.uniform(0, 4))
            if run.poll() is None:
                _disturb(run, place, random)
        if killed:
            sleep(random.uniform(0, 4))
            if run.poll() is None:
                run.kill()
                place.done["conductor killed"] += 1
                place.wake()  # who is stopped does not notice that nobody needs it
        _ended(figures, folder, run)


def _finish(figures: Figures, folder: Path, place: Place) -> None:
    with _begun(folder, place) as run:
        _ended(figures, folder, run)


def _begun(folder: Path, place: Place) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*PROGRAM, *RUN, *UNITS, *place.options, "--out", str(folder), "--resume"],
        env=environment(**place.variables),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def _until_some_are_stored(run: "subprocess.Popen[str]", folder: Path) -> None:
    before = _stored(folder)
    until_s = monotonic() + 120
    while _stored(folder) < before + 2 and run.poll() is None and monotonic() < until_s:
        sleep(0.1)


def _stored(folder: Path) -> int:
    with suppress(sqlite3.Error):
        if holds_run(folder):
            with closing(sqlite3.connect(f"file:{folder / FILE}?mode=ro", uri=True)) as database:
                return int(database.execute("SELECT COUNT(*) FROM unit").fetchone()[0])
    return 0


def _disturb(run: "subprocess.Popen[str]", place: Place, random: Random) -> None:
    ways = ["worker killed", "worker killed", "worker stopped"]
    if place.tell is not None:
        ways = ["worker killed", "node killed", "node killed", "node stopped"]
    way = random.choice(ways)
    if place.tell is not None and way.startswith("node"):
        at = random.randrange(len(place.nodes))
        if way == "node killed":
            place.tell(f"kill {place.nodes[at]}")
            place.tell("add")
            place.nodes[at] = max(place.nodes) + 1
        else:
            place.tell(f"stop {place.nodes[at]}")
            sleep(LONGEST_STOP_S)
            place.tell(f"go {place.nodes[at]}")
        place.done[way] += 1
    elif workers := list(_workers(run.pid, on_ray=place.tell is not None)):
        number = signal.SIGKILL if way == "worker killed" else signal.SIGSTOP
        with suppress(ProcessLookupError):
            os.kill(chosen := random.choice(workers), number)
            place.done[way] += 1
            if number == signal.SIGSTOP:
                place.stopped.append(chosen)


def _workers(conductor: int, *, on_ray: bool) -> Iterator[int]:
    shown = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True)
    for line in shown.stdout.splitlines():
        pid, parent, arguments = line.split(None, 2)
        ours = int(parent) == conductor and "workers.child" in arguments
        if arguments.startswith("ray::RayWorker") if on_ray else ours:
            yield int(pid)


def _ended(figures: Figures, folder: Path, run: "subprocess.Popen[str]") -> None:
    try:
        _, said = run.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        run.kill()
        _, said = run.communicate()
        figures.found("hangs", f"{folder.name}: {said[-300:]}")
    if "Traceback" in said:
        figures.found("tracebacks", said[-1500:])
    elif run.returncode not in ORDERLY:
        figures.found("wrong", f"{folder.name} ended with {run.returncode}: {said[-500:]}")


if __name__ == "__main__":
    sys.exit(main())
