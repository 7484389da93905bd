"""`codriver conformance`: recorded public runs played again on our car, call by call.

Each answer is compared with the recorded one, and the reward components that follow from car and
calls are worked out anew. What differs is either a declared difference or a fault of ours.
"""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from assistant_gateway.timing.timeline import SECOND, wall_ns
from evaluator.allowed_values import one_of
from evaluator.car_bench.conformance_figures import Conformed, compared_rewards, figures, lines
from evaluator.car_bench.conformance_verdicts import TAKEN_FROM_RECORDING, compared_verdict
from evaluator.car_bench.recordings import RecordedRun, RecordedRuns, read_recordings
from evaluator.car_bench.replay_over_bus import Replayed, ReplayRig, replay, replay_rig
from evaluator.event_loop import run_async
from evaluator.options import RunOptions
from evaluator.problems import InfraProblem, Problem, UsageProblem
from evaluator.progress import Progress, progress
from evaluator.record.record import State
from evaluator.run.settings import run_settings
from evaluator.run.units import RunSettings
from evaluator.scoring.policies import Profile, is_published
from evaluator.task.expected_course import expected_course
from evaluator.task.selection import load_tasks, load_world
from evaluator.task.task import Task
from evaluator.views.printing import print_json, print_rich
from vehicle_bus.world.world import World


class NotConforming(Problem):
    """Something differs from the recordings and no declared difference explains it."""


@dataclass(frozen=True, slots=True)
class ConformanceRun:
    """What to replay, and how; `tasks` by id. Published profiles compare whole verdicts."""

    recordings: RecordedRuns
    tasks: Mapping[str, Task]
    world: World
    settings: RunSettings
    max_concurrency: int = 8
    profile: Profile = "codriver"

    @property
    def playable(self) -> list[RecordedRun]:
        return [run for run in self.recordings.runs if run.task_id in self.tasks]

    @property
    def unknown_tasks(self) -> list[str]:
        return sorted({run.task_id for run in self.recordings.runs} - self.tasks.keys())


def conform(
    recordings: Sequence[Path],
    tasks_from: Path | None,
    world: Path | None,
    broker: str,
    max_concurrency: int,
    *,
    profile: str = "codriver",
    as_json: bool,
) -> None:
    """Replay, print, and raise `NotConforming` if anything is unexplained."""
    one_of("--profile", profile, get_args(Profile))
    found = read_recordings(*recordings)
    opened = load_world(tasks_from, world)
    comparison = ConformanceRun(
        found,
        {task.task_id: _as_recorded(task) for task in load_tasks(tasks_from, opened)},
        opened,
        run_settings(RunOptions(broker=broker), "conformance"),
        max_concurrency,
        cast(Profile, profile),
    )
    if not comparison.playable:
        raise UsageProblem(_nothing_to_play(comparison))
    started_ns = wall_ns()
    result, address = run_async(compare(comparison))
    taken = TAKEN_FROM_RECORDING if is_published(profile) else ()
    report = figures(result, comparison.unknown_tasks, comparison.recordings.broken, taken) | {
        "skipped": list(comparison.recordings.skipped),
        "wall_s": round((wall_ns() - started_ns) / SECOND, 3),
        "broker": address,
    }
    if as_json:
        print_json(report)
    else:
        print_rich(*lines(report))
    if not report["conforms"]:
        raise NotConforming(
            f"{len(report['unexplained'])} calls and {len(report['unexplained_rewards'])} rewards "
            f"unexplained, {len(comparison.unknown_tasks)} tasks unknown"
        )


def _as_recorded(task: Task) -> Task:
    """The task in a car that behaves and offers tools like the public benchmark's."""
    same = {"compat": "car-bench", "public_tools_only": True}
    return task.model_copy(update={"car": task.car.model_copy(update=same)})


def _nothing_to_play(comparison: ConformanceRun) -> str:
    if not comparison.recordings.runs:
        return f"no run was recorded; {len(comparison.recordings.broken)} entries are error rows"
    unknown = ", ".join(comparison.unknown_tasks[:3])
    return f"--tasks-from holds none of the recorded tasks, such as {unknown}"


async def compare(comparison: ConformanceRun) -> tuple[list[Conformed], str]:
    """Replay all runs whose task is known, concurrently; results in recorded order, and the broker.

    Raises `BusError` or `InfraProblem` if a run could not be carried out to its end.
    """
    waiting = deque(enumerate(comparison.playable))
    done: dict[int, Conformed] = {}
    expected: dict[str, Sequence[State]] = {}
    async with replay_rig(comparison.settings, comparison.world) as up:
        with progress(len(waiting)) as shown:
            async with asyncio.TaskGroup() as working:
                for number in range(max(1, min(comparison.max_concurrency, len(waiting)))):
                    work = _work(up, comparison, waiting, expected, done, shown)
                    working.create_task(work, name=f"replay {number}")
        return [done[number] for number in sorted(done)], up.address.kind


async def _work(
    up: ReplayRig,
    comparison: ConformanceRun,
    waiting: deque[tuple[int, RecordedRun]],
    expected: dict[str, Sequence[State]],
    done: dict[int, Conformed],
    shown: Progress,
) -> None:
    while waiting:
        number, recording = waiting.popleft()
        task = comparison.tasks[recording.task_id]
        replayed = await replay(up, recording, task, f"conformance-{number}")
        if replayed.record.gap is not None:
            raise InfraProblem(f"{recording.where} was not recorded: {replayed.record.gap}")
        if task.task_id not in expected:
            expected[task.task_id] = expected_course(task, up.world).snapshots
        conformed = _conformed(replayed, task, expected[task.task_id], comparison)
        done[number] = conformed
        shown.advance(conformed.line)


def _conformed(
    replayed: Replayed, task: Task, expected: Sequence[State], comparison: ConformanceRun
) -> Conformed:
    rewards = compared_rewards(replayed, task, expected, comparison.profile)
    if is_published(comparison.profile):
        rewards += compared_verdict(replayed, task, comparison.world, comparison.profile)
    return Conformed(replayed.recording, replayed.calls, rewards)
