"""A worker as a Ray actor: a bench that stays up on a node and plays chunks."""

import asyncio
import os
import socket
from dataclasses import dataclass, replace
from importlib.metadata import version

from evaluator.run.keeping import PackedUnit
from evaluator.run.units import Unit
from evaluator.task.worlds import world_checksum
from evaluator.workers.campaign import Campaign, Take, working_bench
from evaluator.workers.chunk_results import ChunkResults
from evaluator.workers.messages import WorkerFailed, failed


@dataclass(frozen=True, slots=True)
class Node:
    """Where a worker is, and what has to be the same everywhere."""

    host: str
    process: int
    codriver: str
    world: str


class RayWorker:
    """The actor. What goes wrong comes back as a value, so nothing of ours has to be unpickled."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._results = ChunkResults()
        self._take: Take | None = None
        self._running: asyncio.Task[WorkerFailed] | None = None

    async def up(self) -> Node | WorkerFailed:
        """Once the bench is up."""
        ready = asyncio.Event()
        self._running = asyncio.create_task(self._run(ready), name="bench")
        waiting = asyncio.create_task(ready.wait(), name="bench is up")
        await asyncio.wait({self._running, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self._running.done():
            return self._running.result()
        options = self._campaign.options
        world = world_checksum(options.tasks_from, options.world)
        return Node(socket.gethostname(), os.getpid(), version("codriver"), world)

    async def play(self, units: list[Unit]) -> list[PackedUnit] | WorkerFailed:
        """Every attempt at each of them, or why the bench plays no more."""
        assert self._running is not None
        playing = asyncio.create_task(self._play(units), name="chunk")
        await asyncio.wait({self._running, playing}, return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            return playing.result()
        playing.cancel()
        return self._running.result()

    async def beat(self) -> None:
        """Answers as long as the event loop runs."""

    async def _play(self, units: list[Unit]) -> list[PackedUnit]:
        assert self._take is not None
        results = self._results.of(units)
        await self._take(units)
        return [unit async for unit in results]

    async def _run(self, ready: asyncio.Event) -> WorkerFailed:
        async def done(unit: PackedUnit) -> None:
            self._results.put(unit)

        try:
            async with working_bench(self._campaign, done) as self._take:
                ready.set()
                await asyncio.Event().wait()  # until the actor is killed
        except Exception as error:
            why = failed(error)
            return replace(why, text=f"on {socket.gethostname()}: {why.text}")
        raise AssertionError("it waits for ever")
