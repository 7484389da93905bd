"""What a driver can still have although the car lacks a part."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple

from evaluator.record.record import State
from evaluator.scoring.course.identifiers import identifiers, unmentioned
from evaluator.scoring.course.orders import Orders, car_at, changes_of, orders
from evaluator.scoring.policies import POLICIES
from evaluator.scoring.policies.instructions import situation
from evaluator.task.expected_course import (
    ExpectedCourse,
    course_with_hands,
    expected_course,
    whole_car,
)
from evaluator.task.once import once_in_any_words
from evaluator.task.task import Action, Expectation, Task
from vehicle_bus.car.tool import Answer
from vehicle_bus.contract import Command
from vehicle_bus.tools import TOOLS
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

SOME_LEGS = 2  # of a trip with a stop


@dataclass(frozen=True, slots=True)
class Feasible:
    """The expected actions of a limit-awareness task, by index.

    What is `missing` was removed, or a part of its result, which is `masked`; `blind` actions need
    an id that only a removed part would give. The `due` changes have to be made. Every other
    expected change that the car carries out may be made or left.
    """

    missing: frozenset[int]
    masked: frozenset[int]
    blind: frozenset[int]
    due: frozenset[int]


@once_in_any_words
def feasible(task: Task, world: World) -> Feasible:
    """What is left of the expected actions on a car that lacks something."""
    course, lived = expected_course(task, world), course_with_hands(task, world)
    missing, masked, blind = _missing(task, world, course)
    hidden = {entry.rpartition(".")[2] for entry in task.car.removed if entry.startswith("result.")}
    lost = _lost(task, missing)
    wanted = {
        index
        for index in changes_of(task) - lost - blind
        if task.expect.actions[index].name not in task.expect.optional
        and hidden.isdisjoint(_sets(course, index) | _sets(lived, index))
        and (task.source == "own" or index < min(missing, default=0))
    }
    doable = orders(task, world, course.states[0], changes_of(task), lambda _: True).stages
    due = max((stage.done & wanted for stage in doable), key=len, default=frozenset[int]())
    return Feasible(missing, masked, blind, due)


def set_by(task: Task, world: World, actions: frozenset[int]) -> frozenset[str]:
    """The variables of the car that these of the expected actions change."""
    courses = expected_course(task, world), course_with_hands(task, world)
    return frozenset[str]().union(*(_sets(each, index) for each in courses for index in actions))


def orders_of_the_rest(
    task: Task,
    world: World,
    due: frozenset[int],
    by_hand: Sequence[State] = (),
    only: Sequence[int] | None = None,
) -> Orders:
    """The orders in which a car that lacks something can be changed; all `due` ones at the end.

    What was set `by_hand` counts as set before. Of all orders, or `only` of that one.
    """
    start = whole_car(task, world, by_hand).state
    return orders(task, world, start, changes_of(task), lambda stage: due <= stage.done, only)


@once_in_any_words
def known_legs(task: Task, world: World) -> Expectation:
    """Only the first legs of a new trip where the others cannot be found out."""
    steps = zip(task.expect.actions, _steps(task, world), strict=True)
    actions = tuple(_up_to(action, step.unknown) for action, step in steps)
    known = actions == task.expect.actions
    return task.expect if known else task.expect.model_copy(update={"actions": actions})


@once_in_any_words
def without_lost_stops(task: Task, world: World) -> tuple[Expectation, ...]:
    """A new trip straight to its end, where no stop on the way can be found out.

    One for each route that was looked up from where the trip begins to where it ends.
    """
    course = expected_course(task, world)
    steps = list(zip(task.expect.actions, _steps(task, world), strict=True))
    found: list[Expectation] = []
    for index, (action, step) in enumerate(steps):
        routes = action.arguments.get("route_ids", [])
        if len(routes) < SOME_LEGS or routes[0] not in step.unknown:
            continue
        trip = course.snapshots[index + 1]["waypoints_id"] or []
        for direct in _routes_between(trip[0], trip[-1], task, course):
            actions = [each for each, _ in steps]
            actions[index] = action.model_copy(update={"arguments": {"route_ids": [direct]}})
            found.append(task.expect.model_copy(update={"actions": tuple(actions)}))
    return tuple(found)


def _routes_between(start: str, end: str, task: Task, course: ExpectedCourse) -> Iterator[str]:
    ends = {"start_id": start, "destination_id": end}
    for index, action in enumerate(task.expect.actions):
        if action.arguments == ends and (result := course.result(index)):
            yield from (route["route_id"] for route in result["routes"])


def _up_to(action: Action, unknown: Sequence[str]) -> Action:
    routes = action.arguments.get("route_ids", [])
    known = list(takewhile(lambda route: route not in unknown, routes))
    if not known or known == routes:
        return action
    return action.model_copy(update={"arguments": {**action.arguments, "route_ids": known}})


class _Step(NamedTuple):
    """An expected action in a car that lacks something."""

    answer: Answer
    unknown: list[str]  # ids in its arguments that nothing before has told


@once_in_any_words
def _steps(task: Task, world: World) -> tuple[_Step, ...]:
    """The expected actions one by one, each with the car as all before it have left it."""
    course, steps = expected_course(task, world), list[_Step]()
    car = car_at(task, world, course.states[0])
    by_hand = (str(fault.set) for fault in task.car.faults if fault.kind == "knob")
    known = [situation(task.car.start), *_seen_at_once(car), *by_hand]
    for index, action in enumerate(task.expect.actions):
        vehicle = car.in_state(course.states[index])
        answer = vehicle.handle(action.name, Command(call_id="", arguments=action.arguments))
        unknown = unmentioned(identifiers(action.arguments), known)
        steps.append(_Step(answer, unknown))
        if not unknown and answer.status == "SUCCESS":
            known.append(answer.output)
    return tuple(steps)


def _missing(task: Task, world: World, course: ExpectedCourse) -> tuple[frozenset[int], ...]:
    """The actions refused or answered in part, of these the latter, and those without their ids."""
    missing, masked, blind = set[int](), set[int](), set[int]()
    for index, (answer, unknown) in enumerate(_steps(task, world)):
        if answer.status == "REMOVED" or answer.output != course.answers[index].output:
            missing.add(index)
            masked |= {index} if answer.status == "SUCCESS" else set()
        blind |= {index} if unknown else set()
    return frozenset(missing), frozenset(masked), frozenset(blind - missing)


def _seen_at_once(car: Vehicle) -> Iterator[str]:
    """What can be looked up without knowing anything."""
    details: dict[str, Any] = {"detailed_information": True}
    for tool in TOOLS:
        if tool.kind == "get" and not tool.parameters.get("required"):
            known = details.keys() <= tool.parameters["properties"].keys()
            command = Command(call_id="", arguments=details if known else {})
            answer = car.in_state(car.state).handle(tool.name, command)
            if answer.status == "SUCCESS":
                yield answer.output


def _sets(course: ExpectedCourse, index: int) -> set[str]:
    """The variables that a call changes; where one is hidden, its new value may depend on it."""
    before, after = course.snapshots[index : index + 2]
    return {name for name, value in after.items() if value != before[name]}


def _lost(task: Task, missing: frozenset[int]) -> frozenset[int]:
    """What is missing, the changes that rules tie to it, and those that they tie to these."""
    lost, left = missing, changes_of(task) - missing
    while tied := {one for one in left if any(_tied(task, one, other) for other in lost)}:
        lost, left = lost | tied, left - tied
    return lost


def _tied(task: Task, index: int, other: int) -> bool:
    """Whether a rule wants both actions together, so that one is no use without the other."""
    names = {task.expect.actions[index].name, task.expect.actions[other].name}
    for policy in POLICIES.values():
        heads = {a.name for a in task.expect.actions if policy.about(a.name, a.arguments)}
        together = {*policy.looks_up, *policy.goes_with}
        if heads and together and names <= heads | together:
            return True
    return False
