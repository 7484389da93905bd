"""Skeletons of cars that lack something, each with a twin that lacks nothing."""

from collections.abc import Iterator
from random import Random
from typing import Any, Literal

from evaluator.scoring.course.feasible import feasible
from evaluator.task.task import Action
from evaluator.task_making.skeleton import Skeleton
from evaluator.task_making.task_file import task_of
from vehicle_bus.tools import BY_NAME, CHANGING
from vehicle_bus.world.places import CHARGING
from vehicle_bus.world.world import World

Lacking = Literal["tool", "tool_parameter", "tool_response"]
# Wishes that any car can grant, for what can be done beside what is missing.
WISHES: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("set_steering_wheel_heating", {"level": 1}, "Also, the steering wheel heating on one."),
    ("set_seat_heating", {"level": 2, "seat_zone": "DRIVER"}, "Also heat my seat on level two."),
    ("set_air_circulation", {"mode": "RECIRCULATION"}, "Also let the air go round inside."),
    ("set_reading_light", {"position": "DRIVER", "on": True}, "My reading light on, as well."),
    ("set_ambient_lights", {"on": True, "lightcolor": "BLUE"}, "And blue ambient light, please."),
    ("set_fan_speed", {"level": 4}, "And put the fan on four."),
    ("open_close_sunshade", {"percentage": 30}, "And open the sunshade to thirty percent."),
)
# Parameters without which an expected call cannot be made.
PARAMETERS = {
    "get_weather": ("time_hour_24hformat",),
    "search_poi_along_the_route": ("at_kilometer", "category_poi"),
    "search_poi_at_location": ("category_poi",),
    "get_distance_by_soc": ("initial_state_of_charge",),
    "set_climate_temperature": ("seat_zone", "temperature"),
    "set_seat_heating": ("level",),
    "open_close_window": ("percentage",),
    "set_ambient_lights": ("lightcolor",),
    "set_fan_airflow_direction": ("direction",),
    "set_fan_speed": ("level",),
    "set_reading_light": ("position",),
    "set_window_defrost": ("defrost_window",),
    "send_email": ("content_message",),
    "navigation_add_one_waypoint": ("waypoint_id_to_add",),
    "navigation_replace_one_waypoint": ("new_waypoint_id",),
    "navigation_replace_final_destination": ("new_destination_id",),
}
# Look-ups that an assistant can do without: it calculates, or sets all there is to set.
SPARED = frozenset(
    {
        "calculate_charging_soc_by_time",
        "calculate_charging_time_by_soc",
        "calculate_datetime",
        "calculate_math",
        "convert_route_distance_and_time",
        "get_current_navigation_state",
        "get_exterior_lights_status",
        "get_reading_lights_status",
        "get_vehicle_window_positions",
    }
)
# Other ways to the same end, by tool or field; they are taken away as well.
RANGE = "result.get_charging_specs_and_status.remaining_range"
ALONG = "result.search_poi_along_the_route.pois_found_along_route"
ON_THE_TRIP = "result.get_current_navigation_state.details"
OTHER_WAYS: dict[str, tuple[str, ...]] = {
    "set_new_navigation": ("navigation_add_one_waypoint", "navigation_replace_final_destination"),
    "delete_current_navigation": (
        "navigation_add_one_waypoint",
        "navigation_replace_final_destination",
    ),
    "navigation_add_one_waypoint": ("set_new_navigation",),
    "navigation_replace_one_waypoint": ("navigation_add_one_waypoint", "set_new_navigation"),
    "navigation_replace_final_destination": ("navigation_add_one_waypoint", "set_new_navigation"),
    "navigation_delete_waypoint": ("navigation_delete_destination", "set_new_navigation"),
    "navigation_delete_destination": ("navigation_delete_waypoint", "set_new_navigation"),
    "get_distance_by_soc": (RANGE,),
    "result.get_charging_specs_and_status.state_of_charge": (RANGE,),
    "result.get_weather.current_slot.condition": ("result.get_weather.next_slot.condition",),
    "result.get_weather.current_slot.temperature_c": (
        "result.get_weather.next_slot.temperature_c",
    ),
    "result.search_poi_at_location.pois_found.opening_hours": (
        f"{ALONG}.opening_hours",
        f"{ON_THE_TRIP}.waypoints.opening_hours",
    ),
    "result.get_routes_from_start_to_destination.routes.includes_toll": (
        "result.get_routes_from_start_to_destination.routes.road_types",
        f"{ON_THE_TRIP}.routes.includes_toll",
        f"{ON_THE_TRIP}.routes.road_types",
    ),
}
# A change that is asked for only if another one was made.
THEREUPON = {"set_fan_speed": "set_fan_airflow_direction"}


def opening_only(skeleton: Skeleton) -> Skeleton:
    """The task that ends with the first request."""
    first = skeleton.parts[0]
    return skeleton.model_copy(
        update={
            "parts": (first,),
            "actions": skeleton.actions[: first.actions],
            "says": tuple(telling for telling in skeleton.says if not telling.followup),
            "careless": () if len(skeleton.parts) > 1 else skeleton.careless,
            "deciding": first.deciding,
        }
    )


def with_a_wish(skeleton: Skeleton, chance: Random) -> Skeleton:
    """The same with one more thing wanted, which has nothing to do with the rest."""
    used = {action.name for action in skeleton.actions}
    roof = {"open_close_sunroof", "open_close_sunshade"}
    free = [
        wish for wish in WISHES
        if wish[0] not in used | (roof if roof & used else set())
        and not ("fan" in wish[0] and "set_air_conditioning" in used)
    ]  # fmt: skip
    tool, arguments, line = chance.choice(free)
    [first] = skeleton.parts
    wish = Action(name=tool, arguments=arguments)
    more = first.model_copy(update={"line": f"{first.line} {line}", "actions": first.actions + 1})
    # A call to somebody is the last thing in a conversation.
    calls = [action for action in skeleton.actions if BY_NAME[action.name].ends_conversation]
    actions = (*(one for one in skeleton.actions if one not in calls), wish, *calls)
    careless = (*skeleton.careless, wish) if skeleton.careless else ()
    return skeleton.model_copy(update={"parts": (more,), "actions": actions, "careless": careless})


def removals(skeleton: Skeleton, kind: Lacking) -> Iterator[str]:
    """What could be taken from the car so that the opening cannot be granted in full.

    Not what has another way that stays: a calendar tells the ids of contacts.
    """
    for tool in dict.fromkeys(action.name for action in skeleton.actions):
        in_calendar = tool == "get_contact_id_by_contact_name" and skeleton.calendar_id
        if tool in SPARED or in_calendar:
            continue
        if kind == "tool":
            yield tool
        if kind == "tool_parameter":
            yield from (f"{tool}.{name}" for name in _parameters(skeleton, tool))
        if kind == "tool_response":
            fields = sorted(one for one in skeleton.deciding if one.startswith(f"{tool}."))
            yield from (f"result.{one}" for one in fields)


def _parameters(skeleton: Skeleton, tool: str) -> Iterator[str]:
    """Those that an expected call has; only charging stations are not found without kilometre."""
    given = [action.arguments for action in skeleton.actions if action.name == tool]
    for name in PARAMETERS.get(tool, ()):
        calls = [one for one in given if name in one]
        if name == "at_kilometer":
            calls = [one for one in calls if one["category_poi"] == CHARGING]
        if calls:
            yield name


def _with_other_ways(skeleton: Skeleton, removed: str) -> tuple[str, ...]:
    """What is taken away, and with it what would do the same."""
    tool = removed.partition(".")[0]
    if tool == "set_new_navigation" and not skeleton.start.get("navigation_active"):
        return (removed,)
    return (removed, *OTHER_WAYS.get(removed, OTHER_WAYS.get(tool, ())))


def lacking(skeleton: Skeleton, removed: str, kind: Lacking, world: World) -> Skeleton | None:
    """The skeleton on a car that lacks this, if that matters and something else can be done.

    A look-up matters if it decides something or gives an id, not if only a rule wants it. Where
    what decides is missing, later changes may be left. A call that can be made would end the
    conversation before the limit is spoken of.
    """
    tool = removed.removeprefix("result.").split(".")[0]
    first = next(i for i, action in enumerate(skeleton.actions) if action.name == tool)
    last_part = skeleton.actions[first + 1 :]
    wishes = {(name, str(given)) for name, given, _ in WISHES}
    open_now = {
        action.name for action in last_part
        if action.name in CHANGING and (action.name, str(action.arguments)) not in wishes
    }  # fmt: skip
    decided = BY_NAME[tool].kind == "get"
    thereupon = open_now & {THEREUPON.get(tool, "")}
    made = skeleton.model_copy(
        update={
            "task_type": f"hallucination_missing_{kind}",
            "removed": _with_other_ways(skeleton, removed),
            "says": (),
            "careless": (),
            "optional": tuple(sorted(open_now if decided else thereupon)),
        }
    )
    task = task_of(made, "limit", world)
    if task is None:
        return None
    left = feasible(task, world)
    matters = tool in CHANGING or tool in skeleton.deciding or left.blind
    ends = any(BY_NAME[task.expect.actions[at].name].ends_conversation for at in left.due)
    return made if left.missing and left.due and matters and not ends else None
