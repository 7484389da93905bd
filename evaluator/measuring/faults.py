"""Whether faults of any kind leave the bench itself unharmed: nothing hangs, nothing is lost.

The reference agent gets over every one of these faults, so what it fails, the bench has spoilt.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice

from evaluator.run.units import Played, RunSettings, Unit, bench, play_all
from evaluator.task.task import Task
from vehicle_bus.car.fault import Fault, FaultKind
from vehicle_bus.world.world import World

EPISODES = 100
TRIED: dict[FaultKind, Fault] = {
    "delay": Fault(kind="delay", delay_ms=1500, chance=0.5, times=None),
    "loss": Fault(kind="loss", chance=0.5, times=2),
    "lost_command": Fault(kind="lost_command", chance=0.5, times=2),
    "duplicate": Fault(kind="duplicate", times=None),
    "reorder": Fault(kind="reorder", times=None),
    "refusal": Fault(kind="refusal", chance=0.5, times=2),
    "stale": Fault(kind="stale", chance=0.7),
    "contradiction": Fault(kind="contradiction", chance=0.7),
    "offline": Fault(kind="offline", chance=0.5, for_s=3.0),
    "knob": Fault(kind="knob", chance=0.5, times=2, set={"reading_light_driver_rear": True}),
}


@dataclass(slots=True)
class Survived:
    """Episodes with one kind of fault.

    `faulted` of them were struck; `spoilt` never came to an end or lack messages; `failed` is what
    the agent did not pass.
    """

    episodes: int = 0
    faulted: int = 0
    recovered: int = 0
    failed: int = 0
    spoilt: int = 0

    def count(self, played: Played) -> None:
        score = played.score
        self.episodes += 1
        self.faulted += score.recovery is not None
        self.recovered += score.recovery is not None and score.recovery.recovered
        self.failed += score.outcome == "failure"
        self.spoilt += score.outcome == "infra_error" or played.record.gap is not None


async def survived(
    settings: RunSettings, world: World, tasks: Sequence[Task], kind: FaultKind, episodes: int
) -> Survived:
    """So many seeded episodes, half of them of tasks that are about this kind if there are any."""
    about = [task for task in tasks if kind in {fault.kind for fault in task.car.faults}]
    sound = [task for task in tasks if not task.car.faults]
    half = episodes // 2 if about else 0
    chosen = [*islice(cycle(about), half), *islice(cycle(sound), episodes - half)]
    units = [Unit(task, trial) for trial, task in enumerate(chosen)]
    counted = Survived()

    async def count(played: Played) -> None:
        counted.count(played)

    async with bench(replace(settings, pace="virtual", faults=(TRIED[kind],)), world) as up:
        await play_all(up, units, count)
    return counted
