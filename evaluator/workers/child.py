"""The program of a worker process: `python -m evaluator.workers.child SOCKET`.

It ends when the conductor does, however that ends.
"""

import asyncio
import logging
import os
import socket
import sys
from contextlib import suppress

from evaluator.event_loop import loop_factory
from evaluator.printable import LogLine
from evaluator.run.keeping import PackedUnit
from evaluator.run.units import Unit
from evaluator.workers.campaign import Campaign, working_bench
from evaluator.workers.messages import Beat, failed, receive, send

BEAT_S = 1.0
ORDERLY_END_S = 5.0


def main() -> None:
    """Play what comes from the socket with this number, until it is closed."""
    to_stderr = logging.StreamHandler()
    to_stderr.setFormatter(LogLine("%(levelname)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[to_stderr])
    fileno, uvloop = int(sys.argv[1]), "uvloop" in sys.argv[2:]
    with asyncio.Runner(loop_factory=loop_factory(uvloop=uvloop)) as runner:
        runner.run(_serve(socket.socket(fileno=fileno)))


async def _serve(conductor: socket.socket) -> None:
    reader, writer = await asyncio.open_connection(sock=conductor)
    chunks: asyncio.Queue[list[Unit]] = asyncio.Queue()
    try:
        campaign: Campaign = await receive(reader)
        async with asyncio.TaskGroup() as tasks:
            playing = tasks.create_task(_play(campaign, chunks, writer), name="play")
            with suppress(EOFError):
                while True:
                    chunks.put_nowait(await receive(reader))
            asyncio.get_running_loop().call_later(ORDERLY_END_S, os._exit, 1)
            playing.cancel()
    except Exception as error:
        with suppress(ConnectionError):  # who is gone needs no reason
            send(writer, failed(error))
            await writer.drain()
    finally:
        writer.close()


async def _play(
    campaign: Campaign, chunks: asyncio.Queue[list[Unit]], writer: asyncio.StreamWriter
) -> None:
    async def done(unit: PackedUnit) -> None:
        send(writer, unit)
        await writer.drain()

    async with working_bench(campaign, done) as take, asyncio.TaskGroup() as tasks:
        tasks.create_task(_beat(writer), name="beat")
        while True:
            await take(await chunks.get())


async def _beat(writer: asyncio.StreamWriter) -> None:
    while True:
        send(writer, Beat())
        await asyncio.sleep(BEAT_S)


if __name__ == "__main__":
    main()
