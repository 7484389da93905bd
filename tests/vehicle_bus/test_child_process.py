"""A child process ends with its parent, however that ends."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from vehicle_bus.child_process import child_process

PROGRAM = "exec 9>$0; echo up >&9; sleep 600"  # who reads $0 sees when it is over
PARENT = """
import asyncio, sys
from pathlib import Path
from vehicle_bus.child_process import child_process

async def main() -> None:
    command = ("sh", "-c", sys.argv[1], sys.argv[2])
    async with child_process(command, sys.stdout.buffer, folder=Path(sys.argv[3])) as process:
        await process.wait()

asyncio.run(main())
"""


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "fifo")
    return tmp_path / "fifo"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_it_ends_with_a_parent_that_is_killed(
    fifo: Path, tmp_path: Path, how: signal.Signals
) -> None:
    folder = tmp_path / "of the child"
    folder.mkdir()
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PARENT, PROGRAM, fifo, folder)
    )
    async with asyncio.timeout(30):
        up, over = await asyncio.to_thread(_until_over, fifo, parent.pid, how)
        assert (up, over) == (b"up\n", b"")
        await parent.wait()
        while folder.exists():  # noqa: ASYNC110 - nobody tells that it is gone
            await asyncio.sleep(0.01)


def _until_over(fifo: Path, parent: int, how: signal.Signals) -> tuple[bytes, bytes]:
    """The first line of the program, and what it wrote after its parent was killed."""
    with fifo.open("rb") as written:
        line = written.readline()
        os.kill(parent, how)
        return line, written.read()


async def test_a_block_that_is_over_leaves_nothing_running(fifo: Path, tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log:
        async with asyncio.timeout(30), child_process(("sh", "-c", PROGRAM, fifo), log):
            written = await asyncio.to_thread(fifo.open, "rb")
            assert await asyncio.to_thread(written.readline) == b"up\n"
        with written:
            assert await asyncio.to_thread(written.read) == b""


@pytest.mark.parametrize(("program", "code"), [("exit 3", 3), ("kill -9 $$", 137), ("true", 0)])
async def test_a_program_that_ends_by_itself_says_how(
    program: str, code: int, tmp_path: Path
) -> None:
    with (tmp_path / "log").open("wb") as log:
        async with asyncio.timeout(30), child_process(("sh", "-c", program), log) as child:
            assert await child.wait() == code
