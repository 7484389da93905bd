"""How many whole episodes a second this machine plays, with nobody to wait for.

Reference agent and scripted driver in virtual time: real broker, real sockets, score and store.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assistant_gateway.timing.timeline import SECOND, wall_ns
from evaluator.results.manifest import Manifest, origin, task_checksums
from evaluator.results.store import RunStore, open_store
from evaluator.run.keeping import unit_result
from evaluator.run.units import Played, RunSettings, Unit, bench, play_all
from evaluator.task.task import Task
from vehicle_bus.world.world import World

WARM_UP = 8


@dataclass(frozen=True, slots=True)
class Throughput:
    """Episodes played in one go: how fast, how much they said on the bus, how many were spoilt."""

    episodes: int
    wall_s: float
    messages: int
    spoilt: int

    @property
    def per_s(self) -> float:
        return round(self.episodes / self.wall_s, 2)

    @property
    def messages_per_episode(self) -> float:
        return round(self.messages / self.episodes, 1)


async def play(
    settings: RunSettings,
    world: World,
    tasks: Sequence[Task],
    concurrency: int,
    episodes: int,
) -> Throughput:
    """Every task equally often and at least so many in all, after a few to warm up."""
    rounds = -(-episodes // len(tasks))
    units = [Unit(task, trial) for trial in range(1, rounds + 1) for task in tasks]
    warm_up = [Unit(task, 0) for task in tasks[:WARM_UP]]
    settings = replace(settings, max_concurrency=concurrency, pace="virtual")
    with tempfile.TemporaryDirectory(prefix="codriver-bench-") as folder:
        manifest = bench_manifest(settings, tasks, rounds)
        async with (
            open_store(Path(folder) / "run", manifest=manifest) as store,
            bench(settings, world) as up,
        ):
            keep = Keeper(store)
            await play_all(up, warm_up, keep.save)
            keep = Keeper(store)
            started_ns = wall_ns()
            await play_all(up, units, keep.save)
            wall_s = (wall_ns() - started_ns) / SECOND
    return Throughput(len(units), wall_s, keep.messages, keep.spoilt)


class Keeper:
    """Stores what is played, if there is a store, and counts."""

    def __init__(self, store: RunStore | None) -> None:
        self._store = store
        self.episodes = 0
        self.messages = 0
        self.spoilt = 0

    async def save(self, played: Played) -> None:
        self.episodes += 1
        self.messages += len(played.record.entries)
        self.spoilt += played.score.outcome == "infra_error"
        if self._store is not None:
            await self._store.save(unit_result(played), played.record)


def bench_manifest(settings: RunSettings, tasks: Sequence[Task], trials: int) -> Manifest:
    """What a run that is only measured was made of."""
    return Manifest(
        **origin(),
        run_id=settings.run_id,
        tasks=task_checksums(tasks),
        num_trials=trials,
        seed=settings.seed,
        agent=settings.agent.name,
        user=settings.user,
        pace=settings.pace,
        latency_profile=settings.latency_profile,
        profile=settings.profile,
        compat="/".join(sorted({task.car.compat for task in tasks})),
    )
