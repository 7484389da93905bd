"""Runs that worker processes play: the same results, whatever is killed, stopped or full."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from evaluator.results.manifest import Invocation
from evaluator.results.store import UnitResult, open_store
from tests.evaluator.command_line import INTERRUPTED, USAGE, Here, codriver, started
from tests.evaluator.runs import SOME

TASKS = [task.task_id for task in SOME.tasks[::10]]
RUN = ("run", "--agent", "rules", "--pace", "virtual", "--broker", "embedded")
UNITS = (*RUN, "--task-ids", ",".join(TASKS), "--num-trials", 4)
TWO = ("--workers", 2)
Results = dict[str, tuple[float | None, str | None]]


def results(folder: Path) -> Results:
    return {unit.name: (unit.score.reward, unit.digest) for unit in _units(folder)}


def invocations(folder: Path) -> tuple[Invocation, ...]:
    async def read() -> tuple[Invocation, ...]:
        async with open_store(folder) as store:
            return store.manifest.invocations

    return asyncio.run(read())


def _units(folder: Path) -> list[UnitResult]:
    async def read() -> list[UnitResult]:
        async with open_store(folder) as store:
            return await store.units(every_attempt=True)

    return asyncio.run(read())


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """What one process plays."""
    folder = tmp_path_factory.mktemp("alone")
    assert codriver(*UNITS, "--workers", 1, "--out", "run", folder=folder).code == 0
    return results(folder / "run")


def workers_of(conductor: int) -> list[int]:
    """The worker processes that a process has started."""
    shown = subprocess.run(
        ["ps", "--ppid", str(conductor), "-o", "pid=,args="], capture_output=True, text=True
    )
    return [int(line.split()[0]) for line in shown.stdout.splitlines() if "workers.child" in line]


def alive(process: int) -> bool:
    state = Path(f"/proc/{process}/stat")
    with suppress(OSError):
        return state.read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_two_workers_play_what_one_process_plays(tmp_path: Path, alone: Results) -> None:
    done = codriver(*UNITS, *TWO, "--out", "run", "--max-concurrency", 3, folder=tmp_path)
    assert done.code == 0
    assert "2 workers" in done.stderr
    assert f"[{len(alone)}/{len(alone)}]" in done.stderr
    [noted] = invocations(tmp_path / "run")
    assert (noted.workers, noted.units, noted.hosts) == (2, len(alone), ())
    assert results(tmp_path / "run") == alone


def test_what_a_killed_worker_had_is_played_by_others(tmp_path: Path, alone: Results) -> None:
    with started(*UNITS, *TWO, "--out", "run", folder=tmp_path) as run:
        run.until("[3/")
        os.kill(workers_of(run.process.pid)[0], signal.SIGKILL)
        ended = run.finish()
    assert ended.code == 0
    assert (
        "was lost: its process was killed by signal 9; what it had is played again" in ended.stderr
    )
    assert results(tmp_path / "run") == alone


def test_workers_end_with_a_killed_conductor_and_a_resume_finishes(
    tmp_path: Path, alone: Results
) -> None:
    with started(*UNITS, *TWO, "--out", "run", folder=tmp_path) as run:
        run.until("[3/")
        workers = workers_of(run.process.pid)
        run.process.kill()
        run.process.wait()
        for worker in workers:
            while alive(worker):
                os.sched_yield()
    assert len(workers) == 2
    assert set(results(tmp_path / "run").items()) < set(alone.items())
    assert codriver("run", "--out", "run", "--resume", folder=tmp_path).code == 0
    assert results(tmp_path / "run") == alone


def test_ctrl_c_ends_all_workers_and_says_how_to_go_on(tmp_path: Path) -> None:
    with started(*UNITS, *TWO, "--out", "run", folder=tmp_path) as run:
        run.until("[3/")
        workers = workers_of(run.process.pid)
        os.killpg(run.process.pid, signal.SIGINT)
        ended = run.finish()
    assert ended.code == INTERRUPTED
    assert "interrupted; go on with codriver run --out run --resume" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not any(map(alive, workers))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)], capture_output=True
    )
    if made.returncode:
        pytest.skip("only root can make a disk that is soon full")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_of_the_conductor_is_one_line_and_a_resume_finishes(
    tmp_path: Path, small_disk: Path, alone: Results
) -> None:
    full = codriver(*UNITS, *TWO, "--out", small_disk / "run", folder=tmp_path)
    assert full.code == 3
    assert "make room" in full.stderr.splitlines()[-1]
    assert "Traceback" not in full.stderr
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    again = codriver("run", "--out", small_disk / "run", "--resume", folder=tmp_path)
    assert again.code == 0
    assert results(small_disk / "run") == alone


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("--agent", "ws"), "each worker has its own; leave --workers out"),
        (("--agent", "mcp"), "each worker has its own; leave --workers out"),
        (("--agent", "wizard"), "is one person, who sits at one gateway; leave --workers out"),
        (("--user", "human"), "is one person, who sits at one gateway; leave --workers out"),
        (("--agent-command", "true"), "each worker has its own; leave --workers out"),
        (("--gateway-port", "8765"), "--gateway-port is the port of one; leave --workers out"),
        (
            ("--max-concurrency", "1"),
            "--max-concurrency 1 is shared out, and 2 workers need one each at least",
        ),
    ],
)
def test_what_only_one_worker_can_play_is_refused(
    here: Here, given: tuple[str, ...], why: str
) -> None:
    refused = here("run", *given, *TWO)
    assert (refused.code, refused.stderr.count("\n")) == (USAGE, 1)
    assert why in refused.stderr


@pytest.mark.parametrize("number", ["0", "-1", "some"])
def test_workers_are_a_number_or_auto(here: Here, number: str) -> None:
    refused = here("run", f"--workers={number}")
    assert (refused.code, refused.stderr) == (
        USAGE,
        f"codriver: --workers is a number from 1 on, or auto, not {number!r}\n",
    )
