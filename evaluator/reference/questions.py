"""What the reference agent asks before it acts: for what is left open, and for a yes."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from assistant_gateway.wording.changes import phrase, proposed
from assistant_gateway.wording.findings import contact_names, found, places_found
from assistant_gateway.wording.spoken import alternatives
from assistant_gateway.wording.trip import place_name
from evaluator.reference.changes import lasting
from evaluator.reference.rule_steps import in_24_hours, to_be_confirmed
from evaluator.task.expected_course import ExpectedCourse, result_of, whole_car
from evaluator.task.task import Action, Task
from user_sim.derived.derive import question_for
from vehicle_bus.car.state import context_at_start
from vehicle_bus.contract import Command
from vehicle_bus.tools import CHANGING
from vehicle_bus.world.world import World

WHICH_ROUTE = "Which route would you like?"
QUESTIONS = {
    "percentage": "How far would you like it open?",
    "level": "Which level would you like?",
    "temperature": "Which temperature would you like?",
    "seat_zone": "For which seat would you like that?",
    "lightcolor": "Which colour would you like?",
    "direction": "Where should the air go?",
    "mode": "Which mode would you like?",
    "position": "Which seat do you mean?",
    "window": "Which window do you mean?",
    "defrost_window": "Which window do you mean?",
    "limit_percent": "To how many percent would you like to charge at most?",
}


def question(task: Task, course: ExpectedCourse, world: World) -> str | None:
    """What the driver has to be asked, in words that the script has an answer to."""
    if task.task_type != "disambiguation_user" or task.driver.script is None:
        return None
    answers = [answer for answer in task.driver.script.answers if not _is_yes_or_no(answer.say)]
    natural = list(_natural_questions(task, course, world))
    if not answers:
        return natural[0]
    for candidate in natural:
        if any(re.search(pattern, candidate, re.IGNORECASE) for pattern in answers[0].when):
            return candidate
    return question_for(answers[0])


def _natural_questions(task: Task, course: ExpectedCourse, world: World) -> Iterator[str]:
    for index in _indices(task, "get_contact_id_by_contact_name"):
        names = contact_names(course.result(index) or {}, world)
        if len(names) > 1:
            yield f"Which one do you mean: {alternatives(names)}?"
    for name in ("search_poi_at_location", "search_poi_along_the_route"):
        for index in _indices(task, name):
            places = places_found(course.result(index) or {})
            if len(places) > 1:
                yield f"Which one would you like: {alternatives(places)}?"
    stops = course.states[0].waypoints_id[1:-1]
    if len(stops) > 1:
        yield f"Which stop do you mean: {alternatives([place_name(s, world) for s in stops])}?"
    for index in _indices(task, "get_routes_from_start_to_destination"):
        result = course.result(index)
        if result is not None:
            described = found("get_routes_from_start_to_destination", result, world)
            yield f"{described} {WHICH_ROUTE}"
    for action in task.expect.actions:
        if action.name in CHANGING:
            yield from (QUESTIONS[name] for name in action.arguments if name in QUESTIONS)
    yield "How exactly would you like that?"


def _is_yes_or_no(answer: str) -> bool:
    return re.match(r"(yes|no)\b", answer, re.IGNORECASE) is not None


def around_question(
    look_ups: Sequence[Action], question: str
) -> tuple[Sequence[Action], Sequence[Action]]:
    """Whose details are wanted, or where a route leads, may be known only after asking."""
    depending = {"get_contact_information"}
    if WHICH_ROUTE not in question:
        depending.add("get_routes_from_start_to_destination")
    asked_at = next(
        (index for index, action in enumerate(look_ups) if action.name in depending), len(look_ups)
    )
    return look_ups[:asked_at], look_ups[asked_at:]


def confirmation(task: Task, course: ExpectedCourse, world: World) -> str | None:
    """The question that has to be answered with yes before anything is changed, if there is one."""
    due, reasons = [], []
    weather = _condition(task, course, world)
    for action, state in zip(task.expect.actions, course.states, strict=False):
        reason = to_be_confirmed(action, state, weather)
        if reason is not None:
            due.append(action)
            reasons += [reason] if reason and reason not in reasons else []
    if not due:
        return None
    changes = lasting([action for action in task.expect.actions if action.name in CHANGING])
    texts = [f"The text is: {_read_out(a)}" for a in due if a.name == "send_email"]
    plan = proposed([phrase(action.name, action.arguments, world) for action in changes], texts)
    return " ".join([*reasons, plan])


def _condition(task: Task, course: ExpectedCourse, world: World) -> str:
    """The weather here and now, or what the look-ups of the task said it is."""
    command = Command(call_id="weather", arguments=here_and_now(task))
    results = [
        *(course.result(i) for i in _indices(task, "get_weather")),
        result_of(whole_car(task, world).handle("get_weather", command)),
    ]
    known = [result["current_slot"]["condition"] for result in results if result is not None]
    return str(known[0]) if known else ""


def _indices(task: Task, name: str) -> list[int]:
    return [i for i, action in enumerate(task.expect.actions) if action.name == name]


def _read_out(email: Action) -> str:
    """The text of an e-mail as statements, so that its own questions are not taken for ours."""
    text = " ".join(in_24_hours(str(email.arguments["content_message"])).split())
    text = text.replace("?", ".").replace("*", "")
    return text if text.endswith((".", "!")) else f"{text}."


def here_and_now(task: Task) -> dict[str, Any]:
    """What `get_weather` is asked about the present."""
    context = context_at_start(task.car.start)
    now = context.current_datetime
    return {
        "location_or_poi_id": context.current_location.id,
        "month": now.month,
        "day": now.day,
        "time_hour_24hformat": now.hour,
        "time_minutes": now.minute,
    }
