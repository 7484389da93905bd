"""What a worker has to know of a run, and a bench that plays what it is given by and by.

Keys of models are not part of it: a worker reads them from the environment it runs in, by the same
names.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from evaluator.allowed_values import WORKER
from evaluator.options import RunOptions
from evaluator.run.keeping import PackedUnit, packed
from evaluator.run.settings import run_settings
from evaluator.run.sound import run_sound
from evaluator.run.units import Played, Unit, bench, play_all, speak_ahead
from evaluator.task.selection import load_world
from evaluator.task.task import Task

CHUNK_S = 600.0
TURNS = 10  # of a slow agent, in a chunk


Take = Callable[[list[Unit]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Campaign:
    """The options of a run that say how units are played, and what the run is called."""

    options: RunOptions
    run_id: str


def campaign_of(
    options: RunOptions, run_id: str, number: int, workers: int, sessions: int
) -> Campaign:
    """The part of a worker; where its results go and what else was given is left out.

    Limits of endpoints are shared out, so they hold whatever becomes of other workers.
    """
    own = replace(
        options,
        max_requests_per_minute=_share(options.max_requests_per_minute, number, workers),
        max_in_flight=_share(options.max_in_flight, number, workers),
        broker=options.broker.replace(WORKER, str(number)),
        max_concurrency=sessions,
        out=None,
        junit=None,
        summary=None,
        scenario=None,
        agent_command="",
        agent_token=None,
        judge=RunOptions.judge,
        task_ids=(),
        shares={},
        given={},
    )
    return Campaign(own, run_id)


def _share(whole: int | None, number: int, workers: int) -> int | None:
    return None if whole is None else whole // workers + (number <= whole % workers)


def chunk_patience_s(options: RunOptions) -> float:
    """How long a worker may take for a chunk, before it is known how long chunks take."""
    slowest_s = max(options.agent_timeout_s, options.patience_s or 0.0)
    return CHUNK_S + TURNS * slowest_s


class UnitQueue(AsyncIterator[Unit]):
    """Units that come by and by; all who ask wait for the next one."""

    def __init__(self) -> None:
        self._units: asyncio.Queue[Unit] = asyncio.Queue()

    def add(self, units: Iterable[Unit]) -> None:
        for unit in units:
            self._units.put_nowait(unit)

    async def __anext__(self) -> Unit:
        return await self._units.get()


@asynccontextmanager
async def working_bench(
    campaign: Campaign, done: Callable[[PackedUnit], Awaitable[None]]
) -> AsyncIterator[Take]:
    """What takes units, for as long as the block runs; `done` is awaited for each attempt."""
    options = campaign.options
    world = load_world(options.tasks_from, options.world)
    sound = await run_sound(options)
    settings = run_settings(options, campaign.run_id)
    settings = replace(settings, sound=sound, hears_cars=sound is not None)
    waiting = UnitQueue()
    tasks_so_far: dict[str, Task] = {}

    async def finished(played: Played) -> None:
        await done(await packed(played, options.keep_audio))

    async def take(units: list[Unit]) -> None:
        # Each chunk brings tasks of its own, and what is worked out of one is kept by the object.
        tasks = [tasks_so_far.setdefault(unit.task.task_id, unit.task) for unit in units]
        units = [replace(unit, task=task) for unit, task in zip(units, tasks, strict=True)]
        await speak_ahead(settings, units)
        waiting.add(units)

    async with bench(settings, world) as up, asyncio.TaskGroup() as tasks:
        playing = tasks.create_task(play_all(up, waiting, finished), name="play units")
        yield take
        playing.cancel()
