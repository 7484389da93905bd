"""Worker processes on this machine: started, listened to, and killed if they fall silent."""

import asyncio
import socket
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from evaluator.options import RunOptions
from evaluator.run.keeping import PackedUnit
from evaluator.run.units import Unit
from evaluator.workers.campaign import Campaign, campaign_of, chunk_patience_s
from evaluator.workers.chunk_results import ChunkResults
from evaluator.workers.crew import Keep, Worker, WorkerCrew, WorkerLost
from evaluator.workers.messages import Beat, WorkerFailed, receive, send
from evaluator.workers.sizes import sessions_of

PROGRAM = (sys.executable, "-P", "-m", "evaluator.workers.child")
STDERR = 2
START_S = 120
SILENT_S = 15
END_S = 3.0


def crew_of_processes(options: RunOptions, run_id: str, workers: int) -> WorkerCrew:
    """Processes on this machine, each with a broker, cars and a gateway of its own."""
    sessions = sessions_of(options, workers)

    def open_worker(number: int, _late: Keep) -> AbstractAsyncContextManager[Worker]:
        return worker_process(campaign_of(options, run_id, number, workers, sessions[number - 1]))

    return WorkerCrew(open_worker, workers, max(sessions), chunk_patience_s(options))


class WorkerProcess:
    """A worker process that is up; get one from `worker_process`."""

    def __init__(
        self, process: Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._process, self._reader, self._writer = process, reader, writer
        self._results = ChunkResults()

    async def play(self, units: Sequence[Unit]) -> AsyncIterator[PackedUnit]:
        """Every attempt at each of them, as it comes."""
        results = self._results.of(units)
        send(self._writer, list(units))
        async for unit in results:
            yield unit

    async def watch(self) -> None:
        """Hand on what the process sends; raises `WorkerLost` if that ends or it falls silent.

        The seconds of its silence are counted as they pass here, so that nobody is blamed for a
        conductor that was stopped itself.
        """
        silent_s, limit_s = 0, START_S
        reading = asyncio.create_task(receive(self._reader), name="read from a worker")
        try:
            while silent_s < limit_s:
                done, _ = await asyncio.wait({reading}, timeout=1)
                silent_s = 0 if done else silent_s + 1
                if done:
                    limit_s = SILENT_S
                    self._hand_on(await reading)
                    reading = asyncio.create_task(receive(self._reader), name="read from a worker")
        except EOFError:
            raise WorkerLost(await self._how_it_ended()) from None
        finally:
            reading.cancel()
        raise WorkerLost(f"nothing was heard of it for {limit_s} s")

    def _hand_on(self, message: object) -> None:
        match message:
            case PackedUnit():
                self._results.put(message)
            case WorkerFailed():
                raise message.error
            case Beat():
                pass

    async def _how_it_ended(self) -> str:
        code = await self._process.wait()
        return f"its process was killed by signal {-code}" if code < 0 else f"it ended with {code}"


@asynccontextmanager
async def worker_process(campaign: Campaign) -> AsyncIterator[WorkerProcess]:
    """A process with a bench of its own; nothing is left of it when the block ends."""
    ours, theirs = socket.socketpair()
    with theirs:
        uvloop = ("uvloop",) if campaign.options.uvloop else ()
        process = await asyncio.create_subprocess_exec(
            *(*PROGRAM, str(theirs.fileno()), *uvloop),
            stdin=DEVNULL,
            stdout=STDERR,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    reader, writer = await asyncio.open_connection(sock=ours)
    try:
        send(writer, campaign)
        yield WorkerProcess(process, reader, writer)
    finally:
        writer.close()  # which asks it to end
        try:
            async with asyncio.timeout(END_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
