"""Look-ups that lead to the same knowledge as an expected one, and those that lead nowhere."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assistant_gateway.agents.agent import Call
from evaluator.adversaries.course import Setting, changes
from evaluator.reference.plan import PlanPart
from evaluator.reference.rule_steps import looked_up_before
from evaluator.task.expected_course import result_of, whole_car
from evaluator.task.task import Action
from vehicle_bus.car.removal import removal
from vehicle_bus.car.state import context_at_start
from vehicle_bus.contract import Command
from vehicle_bus.tools import BY_NAME, CHANGING
from vehicle_bus.vehicle import Vehicle

Result = Mapping[str, Any]
EACH = {
    ("open_close_window", "window"): ("DRIVER", "PASSENGER", "DRIVER_REAR", "PASSENGER_REAR"),
    ("set_seat_heating", "seat_zone"): ("DRIVER", "PASSENGER"),
    ("set_climate_temperature", "seat_zone"): ("DRIVER", "PASSENGER"),
}
ALL = {"window": "ALL", "seat_zone": "ALL_ZONES"}
NO_RESULT = ("hallucination_missing_tool", "hallucination_missing_tool_parameter")
CHARGE = ("start_state_of_charge", "target_state_of_charge", "initial_state_of_charge")


def answered(vehicle: Vehicle, call: Call) -> Result | None:
    """The result of a call on this car."""
    return result_of(vehicle.handle(call.name, Command(call_id="look", arguments=call.arguments)))


def fresh_car(setting: Setting, part: PlanPart) -> Vehicle:
    return whole_car(part.task, setting.world)


# --- another way to the same knowledge


def other_ways(setting: Setting, part: PlanPart, call: Call) -> Iterator[list[Call]]:
    """Calls that tell all that this look-up tells, best first."""
    given = call.arguments
    match call.name:
        case "get_contact_id_by_contact_name":
            yield from _in_the_calendar(setting, part, call)
            yield [Call(call.name, {"contact_last_name": given.get("contact_last_name")})]
        case "get_location_id_by_location_name":
            yield from _known_place(setting, part, call)
        case "get_current_navigation_state":
            yield [Call(call.name, {"detailed_information": not given.get("detailed_information")})]
        case "get_weather":
            yield [Call(call.name, {**given, "time_minutes": 59})]
        case "search_poi_at_location" | "search_poi_along_the_route" if "filters" in given:
            yield [Call(call.name, {name: given[name] for name in given if name != "filters"})]
        case "get_user_preferences":
            yield [Call(call.name, {"preference_categories": _all_of("preference_categories")})]
        case "get_contact_information":
            yield [Call(call.name, {"contact_ids": [*given["contact_ids"], _uninvolved(setting)]})]


def _uninvolved(setting: Setting) -> str:
    """Somebody whom the task has nothing to do with."""
    expected = str([action.arguments for action in setting.task.expect.actions])
    ids = (str(row["id"]) for row in setting.world.contacts())
    return next(each for each in ids if each not in expected)


def _in_the_calendar(setting: Setting, part: PlanPart, call: Call) -> Iterator[list[Call]]:
    """Who takes part in a meeting of today is in the calendar."""
    sought = answered(fresh_car(setting, part), call) or {}
    now = context_at_start(part.task.car.start).current_datetime
    calendar = Call("get_entries_from_calendar", {"month": now.month, "day": now.day})
    found = answered(fresh_car(setting, part), calendar) or {}
    people = [
        str(person) for meeting in found.get("meetings", ()) for person in meeting["attendees"]
    ]
    matches = list(sought.get("matches") or [sought.get("id")])
    if len(matches) == 1 and matches[0] in people:
        details = Call("get_contact_information", {"contact_ids": list(dict.fromkeys(people))})
        yield [calendar, details]


def _known_place(setting: Setting, part: PlanPart, call: Call) -> Iterator[list[Call]]:
    """Where the car is, is in the instructions; where a trip leads, in the navigation."""
    place = (answered(fresh_car(setting, part), call) or {}).get("id")
    if place == context_at_start(part.task.car.start).current_location.id:
        yield []
    trip = Call("get_current_navigation_state", {"detailed_information": True})
    if place in (answered(fresh_car(setting, part), trip) or {}).get("waypoints_id", ()):
        yield [trip]


def _all_of(parameter: str) -> dict[str, Any]:
    """Every category there is."""
    schema = BY_NAME["get_user_preferences"].parameters["properties"][parameter]
    return {
        category: dict.fromkeys(kinds["properties"], True)
        for category, kinds in schema["properties"].items()
    }


def in_zones(setting: Setting, part: PlanPart, call: Call) -> list[Call] | None:
    """One by one instead of all at once."""
    for (tool, name), each in EACH.items():
        if call.name == tool and call.arguments.get(name) == ALL[name]:
            return [Call(tool, {**call.arguments, name: zone}) for zone in each]
    return None


def known_from(setting: Setting, part: PlanPart, calls: list[Call]) -> bool:
    """Whether a fresh car answers all these look-ups, and the task's car has them."""
    lacking = removal(tuple(setting.task.car.removed))
    if any(
        lacking.refusal(each.name, BY_NAME[each.name].parameters, each.arguments) for each in calls
    ):
        return False
    car = fresh_car(setting, part)
    return all(answered(car, call) is not None for call in calls if call.name not in CHANGING)


# --- the wrong arguments


def wrong(setting: Setting, call: Call) -> Call:
    """The same look-up about something else, or itself where it has nothing to be wrong about."""
    change = WRONG.get(call.name)
    return Call(call.name, change(setting, call.arguments)) if change else call


def _elsewhere(setting: Setting, *places: str) -> dict[str, Any]:
    rows = [row for row in setting.world.locations() if not {row["id"], row["name"]} & {*places}]
    return dict(setting.pick(rows, f"elsewhere than {places}"))


def _else(setting: Setting, given: Mapping[str, Any]) -> dict[str, Any]:
    known = {*given, *map(str, given.values())}
    rows = setting.world.contacts()
    others = [row for row in rows if not known & {row["id"], *row["name"].values()}]
    return dict(setting.pick(others, "somebody else"))


def _other_route(setting: Setting, given: Mapping[str, Any]) -> dict[str, Any]:
    start = _elsewhere(setting, *given.values())["id"]
    return {"start_id": start, "destination_id": _elsewhere(setting, *given.values(), start)["id"]}


def _other_name(setting: Setting, given: Mapping[str, Any]) -> dict[str, Any]:
    name = _else(setting, given)["name"]
    return {"contact_first_name": name["first_name"], "contact_last_name": name["last_name"]}


def _other_charge(_setting: Setting, given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value + (5 if value < 90 else -5) if name in CHARGE else value
        for name, value in given.items()
    }


def _other_category(setting: Setting, given: Mapping[str, Any]) -> dict[str, Any]:
    asked, known = given["preference_categories"], _all_of("preference_categories")
    category = setting.pick(sorted(known.keys() - asked.keys()), "other preferences")
    return {"preference_categories": {category: known[category]}}


WRONG: Mapping[str, Callable[[Setting, Mapping[str, Any]], dict[str, Any]]] = {
    "get_weather": lambda s, given: {
        **given,
        "location_or_poi_id": _elsewhere(s, given["location_or_poi_id"])["id"],
    },
    "get_location_id_by_location_name": lambda s, given: {
        "location": _elsewhere(s, given["location"])["name"]
    },
    "get_routes_from_start_to_destination": _other_route,
    "search_poi_at_location": lambda s, given: {
        "location_id": _elsewhere(s, given["location_id"])["id"],
        "category_poi": given["category_poi"],
    },
    "search_poi_along_the_route": lambda s, given: {
        **{name: given[name] for name in given if name != "filters"},
        "at_kilometer": 10,
    },
    "get_contact_id_by_contact_name": _other_name,
    "get_contact_information": lambda s, given: {
        "contact_ids": [_else(s, dict.fromkeys(given["contact_ids"]))["id"]]
    },
    "calculate_charging_time_by_soc": _other_charge,
    "calculate_charging_soc_by_time": _other_charge,
    "get_distance_by_soc": _other_charge,
    "get_user_preferences": _other_category,
}


def matters(setting: Setting, part: PlanPart, call: Call) -> bool:
    """Whether the result of a look-up feeds a later call, a rule or what must be said.

    Where a part other than a result is missing, nothing comes of look-ups but changes. Where a
    result is missing and nothing has to be said, look-ups for look-ups have to lead to a change.
    """
    if setting.task.task_type in NO_RESULT:
        return _feeds_a_change(setting, part, call)
    expected = part.task.expect
    if setting.task.main_type == "hallucination" and all(each.limit for each in expected.says):
        return _leads_to_a_change(setting, part, call)
    if not any(action.name in CHANGING for action in expected.actions):
        return True
    if any(call.name in looked_up_before(action) for action in expected.actions):
        return True
    if call.name == "get_user_preferences":
        return setting.task.settled_by == 2
    found = str(answered(fresh_car(setting, part), call))
    return any(_feeds(found, action) for action in expected.actions if action.name != call.name)


def _leads_to_a_change(setting: Setting, part: PlanPart, call: Call) -> bool:
    """Whether a change that is made needs it, by a rule or for its arguments, directly or not."""
    if any(call.name in looked_up_before(_action(step)) for step in changes(part.steps)):
        return True
    if _feeds_a_change(setting, part, call):
        return True
    found = str(answered(fresh_car(setting, part), call))
    expected = [action for action in part.task.expect.actions if action.name not in CHANGING]
    names = [(action.name, action.arguments) for action in expected]
    known = (call.name, call.arguments)
    later = expected[names.index(known) + 1 :] if known in names else []
    return any(
        _feeds(found, action)
        and _leads_to_a_change(setting, part, Call(action.name, action.arguments))
        for action in later
    )


def _feeds_a_change(setting: Setting, part: PlanPart, call: Call) -> bool:
    found = str(answered(fresh_car(setting, part), call))
    return any(_feeds(found, _action(step)) for step in changes(part.steps))


def _action(call: Call) -> Action:
    return Action(name=call.name, arguments=call.arguments)


def _feeds(found: str, action: Action) -> bool:
    return any(_stands_in(value, found) for value in action.arguments.values())


def _stands_in(value: Any, told: str) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(isinstance(each, str) and len(each) > 5 and each in told for each in values)
