"""A coroutine in a Python process of its own: orders on its stdin, results on its stdout.

Each is one line. A process ends when its stdin does, so none outlives us; Ctrl-C does not reach it.
"""

import asyncio
import base64
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from evaluator.event_loop import loop_factory, on_uvloop

LONGEST_LINE = 64 << 20
STOP_S = 5.0
UVLOOP = "--uvloop"
CHILD = "from evaluator.measuring.rig.own_process import child; child()"


@asynccontextmanager
async def own_process(
    work: Callable[..., Coroutine[Any, Any, object]], *arguments: object
) -> AsyncIterator[Process]:
    """Run `work(orders, *arguments)` elsewhere for as long as the block; `orders` is its stdin.

    The arguments travel on stdin too, where no other user of the machine can read them. Its event
    loop is of the same kind as ours.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", CHILD, *([UVLOOP] if on_uvloop() else [])),
        stdin=PIPE,
        stdout=PIPE,
        limit=LONGEST_LINE,
        process_group=0,  # Ctrl-C while Python starts up would print a traceback
    )
    assert process.stdin is not None
    try:
        process.stdin.write(base64.b64encode(pickle.dumps((work, arguments))) + b"\n")
        await process.stdin.drain()
        yield process
    finally:
        process.stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


def print_line(line: bytes) -> None:
    """Send one line to the process that started this one."""
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.flush()


def child() -> None:
    """The process itself."""
    with asyncio.Runner(loop_factory=loop_factory(uvloop=UVLOOP in sys.argv)) as runner:
        runner.run(_child())


async def _child() -> None:
    orders = asyncio.StreamReader(limit=LONGEST_LINE)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    work, arguments = pickle.loads(base64.b64decode(await orders.readline()))
    await work(orders, *arguments)
