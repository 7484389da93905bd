"""The values that a task wants to be told, from the results of its expected calls."""

import re
from collections.abc import Iterator
from typing import Any

from assistant_gateway.wording.values import Value, Wording, amount_in, is_truth, value_of
from evaluator.task.expected_course import ExpectedCourse
from evaluator.task.marked_yaml import FieldProblem
from evaluator.task.task import Task
from vehicle_bus.tools import BY_NAME
from vehicle_bus.world.places import HOURS

_PATH = re.compile(r"(?P<tool>[a-z]\w+)(?:\.(?P<call>\d+))?\.(?P<steps>\w.*)")
_TRUTH = re.compile(r"(?P<field>[a-z_]+) ?= ?(?P<value>true|false)", re.IGNORECASE)
_CHOICE = re.compile(r"(?:\\b)?(?:\((?:\?:)?)?([\w '|-]+)\)?(?:\\b)?")
ENDS = ("opens", "closes")


class NoSuchValue(Exception):
    """A text that names no value; the message says what was expected."""


def told_value(written: str, task: Task, course: ExpectedCourse) -> Value:
    """What one text of `expect.says` stands for; raises `NoSuchValue`.

    A path is the tool, with a number from 0 if it is called more than once, then fields, and items
    of lists by number or by the value of a field: `get_x.1.routes.alias=fastest.name_via`. Beside
    the fields of a result there are `opens` and `closes` of opening hours and the `duration` of a
    route. `includes_toll=false` is a field that is not to be looked up, in all words for it.
    """
    path = _PATH.fullmatch(written)
    if path is not None and path["tool"] in BY_NAME:
        return _value_at(path, task, course)
    if amount := amount_in(written):
        return amount
    if truth := _TRUTH.fullmatch(written):
        said = value_of(truth["field"], truth["value"].lower() == "true")
        if said is None or not is_truth(truth["field"]):
            raise NoSuchValue("expected includes_toll=true or includes_toll=false")
        return said
    try:
        re.compile(written)
    except re.error as error:
        raise NoSuchValue(f"expected a regular expression, but {error}") from error
    return Wording(written, _in_words(written))


def _in_words(expression: str) -> str:
    """For people: the words of an expression that is a mere choice of words, else as it is."""
    choice = _CHOICE.fullmatch(expression)
    return " or ".join(choice[1].split("|")) if choice else expression


def telling_problems(task: Task, course: ExpectedCourse) -> Iterator[FieldProblem]:
    """What is wrong with `expect.says`: paths that lead nowhere, followups that do not exist."""
    followups = len(task.driver.script.followups) if task.driver.script else 0
    for index, telling in enumerate(task.expect.says):
        where = ("expect", "says", index)
        if telling.followup > followups:
            yield (*where, "followup"), f"expected at most {followups}, the number of followups"
        if not (telling.any_of or telling.limit):
            yield where, "expected values to be told, or limit: true"
        for number, written in enumerate(telling.any_of):
            try:
                told_value(written, task, course)
            except NoSuchValue as problem:
                yield (*where, "any_of", number), str(problem)


def _value_at(path: re.Match[str], task: Task, course: ExpectedCourse) -> Value:
    calls = [i for i, action in enumerate(task.expect.actions) if action.name == path["tool"]]
    number = int(path["call"] or 0)
    if number >= len(calls):
        raise NoSuchValue(f"expected a call of {path['tool']} among the actions to take this from")
    found: Any = course.result(calls[number])
    name = ""
    for step in path["steps"].split("."):
        if isinstance(found, list):
            found = _item(found, step)
        else:
            name, found = step, _field(found, step)
    value = value_of(name, found)
    if value is None:
        raise NoSuchValue("expected the path of one value, this leads to several")
    return value


def _field(found: Any, name: str) -> Any:
    if isinstance(found, dict) and name in found:
        return found[name]
    if isinstance(found, dict) and name == "duration" and "duration_hours" in found:
        return found
    if name in ENDS and isinstance(found, str) and (hours := HOURS.fullmatch(found)):
        opens, closes = f"{hours[1]}:{hours[2]}", f"{hours[3]}:{hours[4]}"
        return opens if name == "opens" else closes
    known = f", there are {', '.join(found)}" if isinstance(found, dict) else ""
    raise NoSuchValue(f"expected a field of the result, not {name}{known}")


def _item(found: list[Any], item: str) -> Any:
    field, _, wanted = item.partition("=")
    if not wanted:
        if item.isdigit() and int(item) < len(found):
            return found[int(item)]
        raise NoSuchValue(f"expected a number below {len(found)}, not {item}")
    for entry in found:
        given = entry.get(field) if isinstance(entry, dict) else None
        if wanted in given if isinstance(given, list) else str(given) == wanted:
            return entry
    raise NoSuchValue(f"expected an item whose {field} is {wanted}, there is none")
