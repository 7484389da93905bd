"""What can be wrong with a task that has the right form: unknown names, calls that do not work."""

import difflib
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from evaluator.task.expected_course import ExpectedCourse, expected_course
from evaluator.task.marked_yaml import FieldProblem, Where
from evaluator.task.task import ASK, Action, Task
from evaluator.task.told_values import telling_problems
from evaluator.task.trip_checks import departure_problems, trip_problems
from user_sim.script import Script
from user_sim.script_problems import script_problems
from vehicle_bus.car.schema import violations
from vehicle_bus.tools import BY_NAME, CHANGING
from vehicle_bus.world.world import World

MOST_CHANGES = 10  # of one request; scoring tries all their orders


def problems_of(task: Task, world: World) -> Iterator[FieldProblem]:
    """Everything wrong with a task of our own format."""
    yield from _car_problems(task, world)
    yield from trip_problems(task, world)
    yield from _driver_problems(task)
    bad_actions = list(_action_problems(task, world))
    yield from bad_actions
    yield from _removal_problems(task)
    yield from _priority_problems(task)
    yield from _request_problems(task)
    yield from _order_problems(task)
    if task.twin is not None and task.main_type != "hallucination":
        yield ("twin",), "allowed only for task types hallucination_…"
    if not bad_actions:
        course = expected_course(task, world)
        yield from _course_problems(task, course)
        yield from telling_problems(task, course)
        yield from departure_problems(task, course)


def _car_problems(task: Task, world: World) -> Iterator[FieldProblem]:
    calendar_id = task.car.calendar_id
    if calendar_id is not None and world.calendar(calendar_id) is None:
        yield ("car", "calendar_id"), f"expected a calendar of the world, not {calendar_id}"


def _driver_problems(task: Task) -> Iterator[FieldProblem]:
    driver = task.driver
    internal = task.task_type == "disambiguation_internal"
    if internal != (driver.settle_alone is not None):
        where = ("driver", "settle_alone")
        yield where, "required for task_type disambiguation_internal, not allowed for others"
    script: Where = ("driver", "script")
    if driver.script is None:
        yield script, "expected this field, it is missing"
        return
    bad_patterns = list(_pattern_problems(driver.script))
    yield from bad_patterns
    if not bad_patterns:
        for problem in script_problems(driver.script, task_type=task.task_type):
            yield script, f"problem in the script: {problem}"


def _priority_problems(task: Task) -> Iterator[FieldProblem]:
    given, where = task.expect.settled_by, ("expect", "settled_by")
    if given is None:
        return
    if task.main_type != "disambiguation":
        yield where, "allowed only for disambiguation tasks"
    elif (given == ASK) is not (task.task_type == "disambiguation_user"):
        yield (
            where,
            "must be 5 for disambiguation_user, and must not be 5 for disambiguation_internal",
        )


def _pattern_problems(script: Script) -> Iterator[FieldProblem]:
    for index, answer in enumerate(script.answers):
        for number, pattern in enumerate(answer.when):
            try:
                re.compile(pattern)
            except re.error as error:
                where = ("driver", "script", "answers", index, "when", number)
                yield where, f"expected a regular expression, but {error}"


def _action_problems(task: Task, world: World) -> Iterator[FieldProblem]:
    if not task.expect.actions:
        yield ("expect", "actions"), "expected at least one call"
    for index, action in enumerate(task.expect.actions):
        where: Where = ("expect", "actions", index)
        tool = BY_NAME.get(action.name)
        if tool is None:
            yield where, f"expected a tool of the car, not {action.name}{_near(action.name)}"
            continue
        wrong = list(violations(tool.parameters, action.arguments))
        for violation in wrong:
            yield (*where, action.name, *violation.path), f"wrong argument: {violation}"
        if not wrong:
            for argument, expected in _unknown_in_world(action, world):
                yield (*where, action.name, argument), expected


def _unknown_in_world(action: Action, world: World) -> Iterator[tuple[str, str]]:
    given = action.arguments
    for contact in given.get("contact_ids", ()):
        if world.contact(contact) is None:
            yield "contact_ids", f"expected contacts of the world, not {contact}"
    for address in given.get("email_addresses", ()):
        if world.contact_with_email(address) is None:
            yield "email_addresses", f"expected addresses of contacts, not {address}"
    phone = given.get("phone_number")
    if phone is not None and all(row["phone_number"] != phone for row in world.contacts()):
        yield "phone_number", f"expected the number of a contact, not {phone}"
    place = given.get("location_or_poi_id")
    if place is not None and world.location(place) is None and world.poi(place) is None:
        yield "location_or_poi_id", f"expected the id of a place of the world, not {place}"


def _removal_problems(task: Task) -> Iterator[FieldProblem]:
    removed, kind = task.car.removed, task.task_type.removeprefix("hallucination_missing_")
    if (task.main_type == "hallucination") != bool(removed):
        yield ("car", "removed"), "required for task types hallucination_…, not allowed for others"
    for index, entry in enumerate(removed):
        where: Where = ("car", "removed", index)
        name, *inner = entry.removeprefix("result.").split(".")
        tool = BY_NAME.get(name)
        if tool is None:
            yield where, f"expected a tool of the car, not {name}{_near(name)}"
            continue
        parameters = tool.parameters["properties"]
        if inner and not entry.startswith("result.") and inner[0] not in parameters:
            near = _near(inner[0], parameters)
            yield where, f"expected a parameter of {name}, not {inner[0]}{near}"
    kinds = {_kind_of(entry) for entry in removed}
    if removed and kind not in kinds:
        said = "tool, tool.param or result.tool.path"
        yield ("task_type",), f"expected the kind of what is removed ({said}), not {kind}"


def _kind_of(entry: str) -> str:
    if entry.startswith("result."):
        return "tool_response"
    return "tool_parameter" if "." in entry else "tool"


def _request_problems(task: Task) -> Iterator[FieldProblem]:
    requests, script = task.expect.requests, task.driver.script
    if not requests:
        return
    where: Where = ("expect", "requests")
    followups = script.followups if script is not None else ()
    if len(requests) != 1 + len(followups):
        yield where, f"expected {1 + len(followups)}: one for the opening and for each followup"
    shared_out = sum(request.actions for request in requests)
    if shared_out != len(task.expect.actions):
        yield where, f"expected all {len(task.expect.actions)} actions, but these are {shared_out}"
    for index, request in enumerate(requests):
        if not request.actions and not request.reply:
            yield (*where, index), "expected a reply where there are no actions"


def _order_problems(task: Task) -> Iterator[FieldProblem]:
    actions = iter(task.expect.actions)
    requested = [request.actions for request in task.expect.requests] or [len(task.expect.actions)]
    for number in requested:
        changes = sum(action.name in CHANGING for action in islice(actions, number))
        if changes > MOST_CHANGES:
            said = f"expected at most {MOST_CHANGES} changes in one request, not {changes}"
            yield ("expect", "actions"), said


def _course_problems(task: Task, course: ExpectedCourse) -> Iterator[FieldProblem]:
    """The expected calls have to work, and where a result is removed, there has to be one."""
    results = {}
    for index, action in enumerate(task.expect.actions):
        answer = course.answers[index]
        if answer.status != "SUCCESS":
            where = ("expect", "actions", index)
            yield where, f"expected a call that works, but {action.name} says {answer.output}"
        results[action.name] = course.result(index)
    for index, entry in enumerate(task.car.removed):
        kind, _, rest = entry.partition(".")
        name, *path = rest.split(".")
        result = results.get(name) if kind == "result" else None
        if result is not None and not _is_in(result, path):
            near = _near(path[0], result) if path else ""
            yield ("car", "removed", index), f"expected a field of the result of {name}{near}"


def _is_in(result: Any, path: list[str]) -> bool:
    if not path:
        return True
    if isinstance(result, list):
        return any(_is_in(item, path) for item in result)
    return isinstance(result, dict) and path[0] in result and _is_in(result[path[0]], path[1:])


def _near(name: str, known: Iterable[str] = BY_NAME) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""
