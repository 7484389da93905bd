"""Skeletons of cars that lack something, each with a twin that lacks nothing."""

from collections.abc import Iterator
from random import Random
from typing import Any, Literal

from evaluator.scoring.course.feasible import feasible
from evaluator.task.task import Action
from evaluator.task_making.skeleton import Skeleton, SkeletonPart
from evaluator.task_making.task_file import task_of
from vehicle_bus.tools import BY_NAME, CHANGING
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
# Parameters and fields of results without which an expected call, or its decision, cannot be.
PARAMETERS = {
    "get_weather": ("time_hour_24hformat",),
    "search_poi_along_the_route": ("at_kilometer", "category_poi"),
    "search_poi_at_location": ("category_poi",),
    "convert_route_distance_and_time": ("time_minutes",),
    "calculate_charging_time_by_soc": ("target_state_of_charge", "charging_station_plug_id"),
    "calculate_charging_soc_by_time": ("charging_time",),
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
FIELDS = {
    "get_weather": ("current_slot.condition", "current_slot.temperature_c"),
    "get_charging_specs_and_status": ("state_of_charge",),
    "search_poi_at_location": ("pois_found.opening_hours", "pois_found.charging_plugs"),
    "get_entries_from_calendar": ("meetings.location", "meetings.attendees"),
    "get_seats_occupancy": ("seats_occupied",),
    "get_seat_heating_level": ("seat_heating_driver", "seat_heating_passenger"),
    "get_steering_wheel_heating_level": ("steering_wheel_heating",),
    "get_temperature_inside_car": ("climate_temperature_driver", "climate_temperature_passenger"),
    "get_car_color": ("car_color",),
    "get_trunk_door_position": ("trunk_door_position",),
    "get_climate_settings": ("fan_speed", "air_circulation"),
    "get_sunroof_and_sunshade_position": ("sunroof_position",),
    "get_routes_from_start_to_destination": ("routes.includes_toll",),
}


def opening_only(skeleton: Skeleton) -> Skeleton:
    """The task that ends with the first request."""
    first = skeleton.parts[0]
    return skeleton.model_copy(
        update={
            "parts": (first,),
            "actions": skeleton.actions[: first.actions],
            "says": tuple(telling for telling in skeleton.says if not telling.followup),
            "careless": () if len(skeleton.parts) > 1 else skeleton.careless,
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
    more = SkeletonPart(line=f"{first.line} {line}", actions=first.actions + 1, reply=first.reply)
    # A call to somebody is the last thing in a conversation.
    calls = [action for action in skeleton.actions if BY_NAME[action.name].ends_conversation]
    actions = (*(one for one in skeleton.actions if one not in calls), wish, *calls)
    careless = (*skeleton.careless, wish) if skeleton.careless else ()
    return skeleton.model_copy(update={"parts": (more,), "actions": actions, "careless": careless})


def removals(skeleton: Skeleton, kind: Lacking) -> Iterator[str]:
    """What could be taken from the car so that the opening cannot be granted in full."""
    for action in dict.fromkeys(action.name for action in skeleton.actions):
        if kind == "tool" and not action.startswith("calculate_math"):
            yield action
        given = [one.arguments for one in skeleton.actions if one.name == action]
        if kind == "tool_parameter":
            names = [n for n in PARAMETERS.get(action, ()) if any(n in one for one in given)]
            yield from (f"{action}.{name}" for name in names)
        if kind == "tool_response" and action in skeleton.deciding:
            yield from (f"result.{action}.{field}" for field in FIELDS.get(action, ()))


def lacking(skeleton: Skeleton, removed: str, kind: Lacking, world: World) -> Skeleton | None:
    """The skeleton on a car that lacks this, if that matters and something else can be done.

    Where what decides is missing, later changes may be left.
    """
    tool = removed.removeprefix("result.").split(".")[0]
    first = next(i for i, action in enumerate(skeleton.actions) if action.name == tool)
    last_part = skeleton.actions[first + 1 :]
    wishes = {(name, str(given)) for name, given, _ in WISHES}
    open_now = {
        action.name for action in last_part
        if action.name in CHANGING and (action.name, str(action.arguments)) not in wishes
    }  # fmt: skip
    decided = tool in skeleton.deciding or BY_NAME[tool].kind == "get"
    made = skeleton.model_copy(
        update={
            "task_type": f"hallucination_missing_{kind}",
            "removed": (removed,),
            "says": (),
            "careless": (),
            "optional": tuple(sorted(open_now)) if decided else (),
        }
    )
    task = task_of(made, "limit", world)
    if task is None:
        return None
    left = feasible(task, world)
    return made if left.missing and left.due else None
