"""Workers that play the units of a run, wherever they are; one keeps what they have played.

Units go out in chunks. A worker that is lost, or does not finish a chunk in time, is replaced, and
what it has not played is played by others.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from assistant_gateway.wording.spoken import counted
from evaluator.problems import InfraProblem, first_cause
from evaluator.run.keeping import PackedUnit
from evaluator.run.units import Unit
from evaluator.workers.leases import Leases

log = logging.getLogger(__name__)

CHUNKS = 2  # of one worker at a time: the next is there before the last has ended
MOST_LOSSES = 3  # of one worker in a row, without a result in between
MOST_LEASES = 6  # of one unit
TIMES_SLOWEST = 10
UNKEPT = 64  # results that wait to be stored, before workers have to wait

Keep = Callable[[PackedUnit], Awaitable[None]]


class WorkerLost(Exception):
    """A worker that plays no more, and may have been playing; the text says why."""


class Worker(Protocol):
    """A bench that plays units, in this process or elsewhere."""

    def play(self, units: Sequence[Unit]) -> AsyncIterator[PackedUnit]:
        """Every attempt at each of them; raises `WorkerLost` if it has to be given up."""

    async def watch(self) -> None:
        """Raises `WorkerLost` once it is, and a `Problem` if it can play nothing."""


class Crew(Protocol):
    """Whoever plays the units of a run."""

    async def play(self, units: Sequence[Unit], keep: Keep) -> None:
        """Await `keep` for each attempt as it comes; raises `Problem`."""


OpenWorker = Callable[[int, Keep], AbstractAsyncContextManager[Worker]]


@dataclass(frozen=True, slots=True)
class WorkerCrew:
    """So many workers, each with so many sessions at a time.

    `open_worker` takes the number of a worker, and who is to be given what comes from it after it
    was lost.
    A chunk may take `patience_s`, or ten times as long as the slowest one that was finished. To
    `hosts` the names of other machines are added when a worker is up there.
    """

    open_worker: OpenWorker
    workers: int
    sessions: int
    patience_s: float
    hosts: set[str] = field(default_factory=set)

    async def play(self, units: Sequence[Unit], keep: Keep) -> None:
        workers = min(self.workers, len(units))
        playing = _Playing(self, workers, units)
        async with asyncio.TaskGroup() as tasks:
            slots = [
                tasks.create_task(playing.slot(number), name=f"worker {number}")
                for number in range(1, workers + 1)
            ]
            await playing.keep_all(keep)
            for slot in slots:
                slot.cancel()
        if late := playing.leases.late:
            log.warning("%s of workers that were lost: dropped", counted(late, "late result"))


class _Playing:
    """The units of one call on their way."""

    def __init__(self, crew: WorkerCrew, workers: int, units: Sequence[Unit]) -> None:
        self.leases = Leases(units, workers)
        self._crew, self._workers = crew, workers
        self._results: asyncio.Queue[PackedUnit] = asyncio.Queue(UNKEPT)
        self._waiting = asyncio.Event()
        self._waiting.set()
        self._slowest_s = 0.0
        self._slots = workers

    async def keep_all(self, keep: Keep) -> None:
        """Results come through one queue: what counts is stored before anything else happens."""
        while not self.leases.done:
            unit = await self._results.get()
            key, attempt = unit.result.unit, unit.result.attempt
            if self.leases.accepts(key, attempt, unit.lease, last=unit.last):
                await keep(unit)

    async def slot(self, number: int) -> None:
        """One worker after the other, for as long as there is something to play."""
        in_a_row = 0
        while in_a_row < MOST_LOSSES:
            shift = _Shift()
            try:
                await self._work(number, shift)
            except* WorkerLost as lost:
                why = first_cause(lost)
                log.warning("worker %d was lost: %s; what it had is played again", number, why)
                in_a_row = 1 if shift.units else in_a_row + 1
            if self.leases.done:  # a group whose tasks fail forgets that it was cancelled
                return
        self._slots -= 1
        if not self._slots:
            raise InfraProblem(
                f"every worker was lost {MOST_LOSSES} times without a result; see the lines above"
            )
        log.warning("worker %d is not started again; others play on", number)

    async def _work(self, number: int, shift: "_Shift") -> None:
        async with (
            self._crew.open_worker(number, self._results.put) as worker,
            asyncio.TaskGroup() as tasks,
        ):
            tasks.create_task(worker.watch(), name=f"watch worker {number}")
            for chunk in range(CHUNKS):
                playing = self._play_chunks(worker, number, shift)
                tasks.create_task(playing, name=f"worker {number}, chunk {chunk}")

    async def _play_chunks(self, worker: Worker, number: int, shift: "_Shift") -> None:
        while True:
            while not self.leases.waiting:  # others may have taken what came back
                await self._waiting.wait()
            if shift.over:
                return
            chunk = self._next_chunk(number)
            try:
                await self._play(worker, chunk, shift)
            except BaseException:  # also cancelled: its units go back to be played
                shift.over = True  # before its other chunks take what it gives back
                self._give_up(chunk)
                raise

    async def _play(self, worker: Worker, chunk: Sequence[Unit], shift: "_Shift") -> None:
        limit_s = max(self._crew.patience_s, TIMES_SLOWEST * self._slowest_s)
        began_s = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(limit_s):
                async for unit in worker.play(chunk):
                    shift.units += 1
                    await self._results.put(unit)
        except TimeoutError as error:
            raise WorkerLost(f"it did not finish a chunk within {limit_s:.0f} s") from error
        took_s = asyncio.get_running_loop().time() - began_s
        self._slowest_s = max(self._slowest_s, took_s)

    def _next_chunk(self, number: int) -> list[Unit]:
        """Not larger than what is left for each, so that all end together."""
        share = -(-self.leases.waiting // (self._workers * CHUNKS))
        chunk = self.leases.take(min(self._crew.sessions, share), number)
        if not self.leases.waiting:
            self._waiting.clear()
        return chunk

    def _give_up(self, chunk: Sequence[Unit]) -> None:
        for unit in self.leases.give_up(chunk):
            self._waiting.set()
            if unit.lease + 1 == MOST_LEASES:
                raise InfraProblem(
                    f"{MOST_LEASES} workers were lost while they played {unit.task.task_id} trial "
                    f"{unit.trial}; leave that task out, or give workers more memory"
                )


@dataclass(slots=True)
class _Shift:
    """What one worker has done; when it is over, it plays no more."""

    units: int = 0
    over: bool = False
