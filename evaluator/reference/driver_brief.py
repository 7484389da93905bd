"""What the driver of a task knows: their part of the task and the changes they want."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from evaluator.scoring.course.feasible import feasible
from evaluator.task.expected_course import expected_course
from evaluator.task.task import Action, Task
from evaluator.task.told_values import told_value
from user_sim.lexicon import lexicon
from user_sim.script import DriverBrief
from user_sim.wants import Owed, Want
from vehicle_bus.tools import CHANGING
from vehicle_bus.world.world import World, place

_ROUTE = re.compile(r"r[lp]{2}_")


def driver_brief(task: Task, world: World) -> DriverBrief:
    """The brief with what is wanted, each id in words."""
    actions, requests = task.expect.actions, tuple(_requests(task))
    possible = _possible(task, world)
    free = _free(task, world, requests)
    wants = tuple(
        Want(
            tool=action.name,
            arguments=action.arguments,
            changes=action.name in CHANGING,
            request=request,
            names=tuple(dict.fromkeys(_names(action, world))),
            kinds=tuple(dict.fromkeys(_kinds(action, world))),
            possible=number in possible,
            free=request in free,
        )
        for number, (action, request) in enumerate(zip(actions, requests, strict=True))
    )
    owed = tuple(_owed(task, world))
    return task.driver.model_copy(update={"wants": wants, "owed": owed})


def _owed(task: Task, world: World) -> Iterator[Owed]:
    """What has to be told; an admission is no value."""
    says = [telling for telling in task.expect.says if not telling.limit]
    if not says:
        return
    course = expected_course(task, world)
    for telling in says:
        told = tuple(told_value(written, task, course) for written in telling.any_of)
        yield Owed(request=telling.followup, values=told)


def _possible(task: Task, world: World) -> Collection[int]:
    """The expected actions that a car lacking something still has: due changes, look-ups."""
    actions = task.expect.actions
    if not task.car.removed:
        return range(len(actions))
    left = feasible(task, world)
    look_ups = {number for number, action in enumerate(actions) if action.name not in CHANGING}
    return left.due | look_ups - left.missing - left.masked - left.blind


def _free(task: Task, world: World, requests: Sequence[int | None]) -> frozenset[int | None]:
    """The requests for which the car lacks nothing; where a script was derived nobody knows."""
    if not task.car.removed or task.source != "own":
        return frozenset()
    left = feasible(task, world)
    lacking = {requests[number] for number in left.missing | left.masked | left.blind}
    return frozenset(requests) - lacking - {None}


def _requests(task: Task) -> Iterator[int | None]:
    """For each expected action the number of its request, if the task says."""
    given = task.expect.requests
    if given:
        for number, request in enumerate(given):
            yield from [number] * request.actions
        return
    script = task.driver.script
    texts = [script.opening, *script.followups] if script else [""]
    named = [lexicon().topics(text) for text in texts]
    for action in task.expect.actions:
        about = lexicon().part_topics(action.name)
        fitting = [number for number, topics in enumerate(named) if topics & about]
        yield 0 if len(texts) == 1 else fitting[0] if fitting else None


def _kinds(action: Action, world: World) -> Iterator[str]:
    """What kind of place is meant."""
    for value in action.arguments.values():
        row = world.poi(value) if isinstance(value, str) and value.startswith("poi_") else None
        if row is not None:
            yield row["category"].replace("_", " ")


def _names(action: Action, world: World) -> Iterator[str]:
    for value in action.arguments.values():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str):
                yield from _names_of(each, world)


def _names_of(value: str, world: World) -> Iterator[str]:
    """Places and people by name; roads and kind of a route."""
    row: dict[str, Any] | None = place(world, value) or world.contact(value)
    row = row or world.contact_with_email(value) or world.contact_with_number(value)
    if row is not None:
        name = row["name"]
        yield " ".join(name.values()) if isinstance(name, dict) else name
        return
    route = world.route(value) if _ROUTE.match(value) else None
    if route is not None:
        yield from re.findall(r"[A-Z]+-?\d+|\w+", route["name_via"])
        yield from route["alias"]
        if not route["includes_toll"]:
            yield "toll-free"
        end = place(world, route["destination_id"])
        if end is not None:
            yield end["name"]
