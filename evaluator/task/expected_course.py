"""The expected calls of a task, carried out on a car that lacks nothing and where nothing fails."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.task.once import once_in_any_words
from evaluator.task.task import Task
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import STATE_NAMES, CarState
from vehicle_bus.car.tool import Answer
from vehicle_bus.contract import Command
from vehicle_bus.host.fault_plan import FaultPlan
from vehicle_bus.tools import BY_NAME
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World


@dataclass(frozen=True, slots=True)
class ExpectedCourse:
    """What the expected calls answer and do; what the car refuses leaves it as it was.

    `states[i]` is the car before call i, the last one the car at the end; `snapshots` are the same
    states as JSON values.
    """

    states: tuple[CarState, ...]
    snapshots: tuple[dict[str, Any], ...]
    answers: tuple[Answer, ...]

    def result(self, index: int) -> dict[str, Any] | None:
        """The result object of a call; None if it failed or its answer has no fields."""
        return result_of(self.answers[index])


def whole_car(task: Task, world: World, by_hand: Sequence[dict[str, Any]] = ()) -> Vehicle:
    """The car of a task at its start, with nothing removed; values set `by_hand` replace others."""
    start = task.car.start
    for values in by_hand:
        start = {**start, **values}
    sound = {"removed": (), "happenings": (), "faults": (), "motion": False, "start": start}
    return Vehicle(task.car.model_copy(update=sound), world)


def expected_course(
    task: Task, world: World, by_hand: Sequence[dict[str, Any]] = ()
) -> ExpectedCourse:
    """Carry out the expected calls.

    What was set `by_hand` counts as set before, so that the assistant has the last word.
    """
    return _of_task(task, world) if not by_hand else _course(task, whole_car(task, world, by_hand))


@once_in_any_words
def course_with_hands(task: Task, world: World) -> ExpectedCourse:
    """Carry out the expected calls; what comes by hand with one of them is set right after it."""
    if not any(fault.kind == "knob" for fault in task.car.faults):
        return expected_course(task, world)
    return _course(task, whole_car(task, world), task.car.faults)


@once_in_any_words
def _of_task(task: Task, world: World) -> ExpectedCourse:
    return _course(task, whole_car(task, world))


def _course(task: Task, vehicle: Vehicle, faults: Sequence[Fault] = ()) -> ExpectedCourse:
    states, snapshots, answers = [vehicle.state], [vehicle.snapshot()], []
    plan = FaultPlan()
    plan.plan(*(fault for fault in faults if fault.kind == "knob"))
    for index, action in enumerate(task.expect.actions):
        command = Command(call_id=f"expected{index}", arguments=action.arguments)
        answers.append(vehicle.handle(action.name, command))
        if (hand := plan.next(action.name, BY_NAME[action.name].kind, 0)) is not None:
            values = {name: value for name, value in hand.set.items() if name in STATE_NAMES}
            vehicle = vehicle.in_state(vehicle.state.changed(**values))
        states.append(vehicle.state)
        snapshots.append(vehicle.snapshot())
    return ExpectedCourse(tuple(states), tuple(snapshots), tuple(answers))


def result_of(answer: Answer) -> dict[str, Any] | None:
    """The `result` object of a successful answer."""
    if answer.status != "SUCCESS":
        return None
    try:
        fields = json.loads(answer.output)
    except json.JSONDecodeError:
        return None
    result = fields.get("result") if isinstance(fields, dict) else None
    return result if isinstance(result, dict) else None
