"""What a good assistant does in a task, built from the expected calls: the reference agent's plan.

All look-ups come first, those included that the rules of the car ask for; then whatever has to be
asked; then the calls that change something, and a sentence about them. Where the car lacks a part,
the plan ends at that part and says so.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.reference import Aside, Plan, Say
from assistant_gateway.wording.changes import done, intended, phrase
from assistant_gateway.wording.findings import (
    NOTHING_TO_TELL,
    contact_names,
    found,
    found_beside_changes,
)
from assistant_gateway.wording.limits import cannot
from assistant_gateway.wording.spoken import alternatives
from assistant_gateway.wording.trip import legs_told, place_name
from assistant_gateway.wording.trip_findings import places_found
from evaluator.etiquette import (
    in_24_hours,
    looked_up_before,
    new_legs,
    to_be_confirmed,
    zones_apart,
)
from evaluator.rehearsal import Rehearsal, rehearse, result_of, whole_car
from evaluator.task import Action, Task
from user_sim.derive import question_for
from vehicle_bus.contract import Command
from vehicle_bus.state import context_at_start
from vehicle_bus.tools import BY_NAME
from vehicle_bus.world import World

ASIDE_FROM_CALLS = 2
WHICH_ROUTE = "Which route would you like?"
QUESTIONS = {
    "percentage": "How far would you like it open?",
    "level": "Which level would you like?",
    "temperature": "Which temperature would you like?",
    "seat_zone": "For which seat would you like that?",
    "lightcolor": "Which colour would you like?",
    "direction": "Which direction should the air go?",
    "mode": "Which mode would you like?",
    "position": "Which seat do you mean?",
    "window": "Which window do you mean?",
    "defrost_window": "Which window do you mean?",
    "limit_percent": "To how many percent would you like to charge at most?",
}


def reference_plan(task: Task, world: World) -> Plan:
    """The steps that solve a task: calls, and sentences that end a turn."""
    rehearsal = rehearse(task, world)
    steps = _up_to_the_limit(task) if task.car.removed else _to_the_end(task, rehearsal, world)
    return tuple(_with_asides(steps))


# --- a car that lacks something


def _up_to_the_limit(task: Task) -> list[Call | Say]:
    steps: list[Call | Say] = []
    for action in task.expect.actions:
        missing = _missing_for(action, task.car.removed)
        if not _changes(action) and (missing is None or missing.startswith("result.")):
            steps.append(_call(action))
        if missing is not None:
            return [*steps, Say(cannot(missing))]
    return [*steps, Say(cannot(task.car.removed[0]))]


def _missing_for(action: Action, removed: Sequence[str]) -> str | None:
    """The removed part that this call needs."""
    for entry in removed:
        tool, _, rest = entry.removeprefix("result.").partition(".")
        result = entry.startswith("result.")
        if action.name == tool and (result or not rest or rest.split(".")[0] in action.arguments):
            return entry
    return None


# --- a car that has everything


def _to_the_end(task: Task, rehearsal: Rehearsal, world: World) -> list[Call | Say]:
    look_ups = [action for action in task.expect.actions if not _changes(action)]
    changes = [action for action in task.expect.actions if _changes(action)]
    by_rule = [action for action in _rule_look_ups(task) if action.name not in _names(look_ups)]
    question = _question(task, rehearsal, world)
    before, after = _around_question(by_rule + look_ups, question or "")
    steps: list[Call | Say] = [_call(action) for action in before]
    steps += [Say(question)] if question else []
    steps += [_call(action) for action in after]
    confirmation = _confirmation(task, rehearsal, world)
    steps += [Say(confirmation)] if confirmation else []
    steps += [_call(action) for action in changes]
    if any(BY_NAME[action.name].ends_conversation for action in changes):
        return steps
    return [*steps, Say(_summary(task, rehearsal, world))]


def _names(actions: Sequence[Action]) -> set[str]:
    return {action.name for action in actions}


def _call(action: Action) -> Call:
    given = dict(action.arguments)
    if action.name == "send_email":
        given["content_message"] = in_24_hours(str(given["content_message"]))
    return Call(action.name, given)


def _changes(action: Action) -> bool:
    tool = BY_NAME.get(action.name)
    return tool is not None and tool.kind == "set"


def _rule_look_ups(task: Task) -> Iterator[Action]:
    """What the rules of the car want to be looked up before the expected changes."""
    wanted: dict[str, Action] = {}
    preferences = _known_preferences(task)
    if task.task_type == "disambiguation_internal" and preferences:
        name = "get_user_preferences"
        wanted[name] = Action(name=name, arguments={"preference_categories": preferences})
    for action in task.expect.actions:
        for name in looked_up_before(action):
            arguments = _here_and_now(task) if name == "get_weather" else {}
            wanted.setdefault(name, Action(name=name, arguments=arguments))
    yield from wanted.values()


def _known_preferences(task: Task) -> dict[str, dict[str, bool]]:
    known = context_at_start(task.car.start).user_preferences.model_dump()
    told = {
        category: {kind: True for kind, likes in kinds.items() if likes}
        for category, kinds in known.items()
    }
    return {category: kinds for category, kinds in told.items() if kinds}


def _here_and_now(task: Task) -> dict[str, Any]:
    context = context_at_start(task.car.start)
    now = context.current_datetime
    return {
        "location_or_poi_id": context.current_location.id,
        "month": now.month,
        "day": now.day,
        "time_hour_24hformat": now.hour,
        "time_minutes": now.minute,
    }


# --- what has to be asked


def _around_question(
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


def _question(task: Task, rehearsal: Rehearsal, world: World) -> str | None:
    """What the driver has to be asked, in words that the script has an answer to."""
    if task.task_type != "disambiguation_user" or task.driver.script is None:
        return None
    answers = [answer for answer in task.driver.script.answers if not _is_yes_or_no(answer.say)]
    natural = list(_natural_questions(task, rehearsal, world))
    if not answers:
        return natural[0]
    for question in natural:
        if any(re.search(pattern, question, re.IGNORECASE) for pattern in answers[0].when):
            return question
    return question_for(answers[0])


def _natural_questions(task: Task, rehearsal: Rehearsal, world: World) -> Iterator[str]:
    for index in _indices(task, "get_contact_id_by_contact_name"):
        names = contact_names(rehearsal.result(index) or {}, world)
        if len(names) > 1:
            yield f"Which one do you mean: {alternatives(names)}?"
    for name in ("search_poi_at_location", "search_poi_along_the_route"):
        for index in _indices(task, name):
            places = places_found(rehearsal.result(index) or {})
            if len(places) > 1:
                yield f"Which one would you like: {alternatives(places)}?"
    stops = rehearsal.states[0].waypoints_id[1:-1]
    if len(stops) > 1:
        yield f"Which stop do you mean: {alternatives([place_name(s, world) for s in stops])}?"
    for index in _indices(task, "get_routes_from_start_to_destination"):
        result = rehearsal.result(index)
        if result is not None:
            told = found("get_routes_from_start_to_destination", result, world)
            yield f"{told} {WHICH_ROUTE}"
    for action in task.expect.actions:
        if _changes(action):
            yield from (QUESTIONS[name] for name in action.arguments if name in QUESTIONS)
    yield "How exactly would you like that?"


def _is_yes_or_no(answer: str) -> bool:
    return re.match(r"(yes|no)\b", answer, re.IGNORECASE) is not None


def _confirmation(task: Task, rehearsal: Rehearsal, world: World) -> str | None:
    """The question that has to be answered with yes before anything is changed, if there is one."""
    due, reasons = [], []
    weather = _condition(task, rehearsal, world)
    for action, state in zip(task.expect.actions, rehearsal.states, strict=False):
        reason = to_be_confirmed(action, state, weather)
        if reason is not None:
            due.append(action)
            reasons += [reason] if reason and reason not in reasons else []
    if not due:
        return None
    plan = intended([phrase(action.name, action.arguments, world) for action in due])
    texts = [f"The text is: {_read_out(a)}" for a in due if a.name == "send_email"]
    return " ".join([*reasons, plan, *texts, "Shall I go ahead?"])


def _condition(task: Task, rehearsal: Rehearsal, world: World) -> str:
    """The weather here and now, or what the look-ups of the task said it is."""
    command = Command(call_id="weather", arguments=_here_and_now(task))
    results = [
        *(rehearsal.result(i) for i in _indices(task, "get_weather")),
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


# --- what is said in the end


def _summary(task: Task, rehearsal: Rehearsal, world: World) -> str:
    changes = [action for action in task.expect.actions if _changes(action)]
    tell = found_beside_changes if changes else found
    findings = [
        tell(action.name, result, world)
        for index, action in enumerate(task.expect.actions)
        if not _changes(action) and (result := rehearsal.result(index)) is not None
    ]
    told = " ".join(filter(None, [*findings, _changed(changes, rehearsal, world)]))
    return told or NOTHING_TO_TELL


def _changed(changes: Sequence[Action], rehearsal: Rehearsal, world: World) -> str:
    """What was done, with the remarks that the rules of the car want."""
    if not changes:
        return ""
    before, after = rehearsal.states[0], rehearsal.states[-1]
    told = done([phrase(action.name, action.arguments, world) for action in _lasting(changes)])
    remarks = [zones_apart(changes, after), legs_told(new_legs(before, after), world)]
    return " ".join(filter(None, [told, *remarks]))


def _lasting(changes: Sequence[Action]) -> list[Action]:
    """The changes without those that a later one has overridden."""
    last = {(action.name, *_target(action)): action for action in changes}
    return [action for action in changes if any(action is kept for kept in last.values())]


def _target(action: Action) -> tuple[Any, ...]:
    names = (
        "window",
        "position",
        "seat_zone",
        "defrost_window",
        "email_addresses",
        "waypoint_id_to_add",
        "waypoint_id_to_replace",
        "waypoint_id_to_delete",
        "destination_id_to_delete",
    )
    return tuple(str(action.arguments.get(name)) for name in names)


def _with_asides(steps: Sequence[Call | Say]) -> Iterator[Call | Say | Aside]:
    """Where several calls stand before a sentence, the first is announced."""
    waiting: list[Call] = []
    for step in (*steps, None):
        if isinstance(step, Call):
            waiting.append(step)
            continue
        if len(waiting) >= ASIDE_FROM_CALLS:
            yield Aside("Right away." if _changes(_action(waiting[0])) else "Let me check.")
        yield from waiting
        waiting = []
        if step is not None:
            yield step


def _action(call: Call) -> Action:
    return Action(name=call.name, arguments=call.arguments)
