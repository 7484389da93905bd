"""A program that runs as long as a block, and ends with this process also if that is killed."""

import asyncio
import os
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import BinaryIO

STOP_S = 5.0
# The stdin of this shell is a pipe from us, which closes however we end: then it stops everything
# in its process group, and removes a folder that we could not remove.
SHELL = f"""
folder=$1; shift
exec 3<&0 </dev/null
"$@" 3<&- &
child=$!
(
    trap '' TERM
    PATH=/usr/bin:/bin
    read -r _ <&3
    [ -z "$folder" ] || rm -rf "$folder"
    kill -s TERM 0
    sleep {STOP_S:g}
    kill -s KILL 0
) &
exec 3<&-
watcher=$!
trap : TERM
wait $child; code=$?
while kill -0 $child 2>/dev/null; do wait $child; code=$?; done
kill -s KILL $watcher
exit $code
"""


@asynccontextmanager
async def child_process(
    command: Sequence[str | Path],
    output: BinaryIO,
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> AsyncIterator[Process]:
    """Run a program; afterwards its whole process group is stopped.

    Ctrl-C does not reach it. `folder` is removed if this process is killed. A program that ended
    by a signal has 128 and its number as return code.
    """
    process = await asyncio.create_subprocess_exec(
        *("/bin/sh", "-c", SHELL, "codriver", folder or "", *command),
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        await _stop(process)


async def _stop(process: Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(TimeoutError):
        async with asyncio.timeout(STOP_S):
            await process.wait()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
