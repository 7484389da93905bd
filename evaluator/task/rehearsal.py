"""The expected calls of a task, tried out on a car that lacks nothing."""

import json
from dataclasses import dataclass
from typing import Any

from evaluator.task.task import Task
from vehicle_bus.car.state import CarState
from vehicle_bus.car.tool import Answer
from vehicle_bus.contract import Command
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """`states[i]` is the car before call i, the last one the car at the end."""

    states: tuple[CarState, ...]
    answers: tuple[Answer, ...]

    def result(self, index: int) -> dict[str, Any] | None:
        """What a call found out; None if it failed or its answer has no fields."""
        return result_of(self.answers[index])


def whole_car(task: Task, world: World) -> Vehicle:
    """The car of a task with nothing removed, at its start."""
    return Vehicle(task.car.model_copy(update={"removed": ()}), world)


def rehearse(task: Task, world: World) -> Rehearsal:
    vehicle = whole_car(task, world)
    states, answers = [vehicle.state], []
    for index, action in enumerate(task.expect.actions):
        command = Command(call_id=str(index), arguments=action.arguments)
        answers.append(vehicle.handle(action.name, command))
        states.append(vehicle.state)
    return Rehearsal(tuple(states), tuple(answers))


def result_of(answer: Answer) -> dict[str, Any] | None:
    """The `result` object of a successful answer."""
    if answer.status != "SUCCESS":
        return None
    try:
        said = json.loads(answer.output)
    except json.JSONDecodeError:
        return None
    result = said.get("result") if isinstance(said, dict) else None
    return result if isinstance(result, dict) else None
