"""Whether a long run needs more and more memory: many sessions at a time, over and over."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, cycle

from assistant_gateway.timing.timeline import SECOND, wall_ns
from evaluator.measuring.episodes import Keeper
from evaluator.measuring.rig.memory import resident_mb
from evaluator.run.units import Played, RunSettings, Unit, bench, play_all
from evaluator.task.task import Task
from vehicle_bus.world.world import World

SESSIONS = 100
SAMPLES = 10


@dataclass(frozen=True, slots=True)
class Soak:
    """What a long pass came to; memory of this process, in MB, at its start and end and between.

    `rss_mb` are `SAMPLES` looks at equal distances, the first one after a tenth of the time.
    """

    seconds: float
    sessions: int
    episodes: int
    spoilt: int
    rss_start_mb: float | None
    rss_end_mb: float | None
    rss_mb: tuple[float | None, ...]


async def soak(
    settings: RunSettings,
    world: World,
    tasks: Sequence[Task],
    seconds: float,
    sessions: int = SESSIONS,
) -> Soak:
    """Play the tasks over and over for some time, without keeping what was played."""
    settings = replace(settings, max_concurrency=sessions, pace="virtual")
    keep, before, seen = Keeper(None), resident_mb(), list[float | None]()
    started_ns = wall_ns()

    def elapsed_s() -> float:
        return (wall_ns() - started_ns) / SECOND

    def endless() -> Iterator[Unit]:
        for task, number in zip(cycle(tasks), count(), strict=False):
            if elapsed_s() >= seconds:
                return
            yield Unit(task, number)

    async def look(played: Played) -> None:
        await keep.save(played)
        while len(seen) < SAMPLES and elapsed_s() >= (len(seen) + 1) * seconds / SAMPLES:
            seen.append(resident_mb())

    async with bench(settings, world) as up:
        await play_all(up, endless(), look)
        after = resident_mb()
    return Soak(
        seconds=round(elapsed_s(), 1),
        sessions=sessions,
        episodes=keep.episodes,
        spoilt=keep.spoilt,
        rss_start_mb=before,
        rss_end_mb=after,
        rss_mb=tuple(seen),
    )
