"""The rules of the car a good assistant keeps: what to look up first, what to ask, what to add."""

from collections.abc import Sequence

from evaluator.task import Action
from evaluator.wording import weather_words
from vehicle_bus.state import CarState
from vehicle_bus.tool import CONFIRM
from vehicle_bus.tools import BY_NAME

FAIR_WEATHER = ("sunny", "cloudy", "partly_cloudy")
FOG_LIGHT_WEATHER = ("_thunderstorm", "_hail")
WIDE_OPEN_PERCENT = 25
ZONES_APART = 3
BY_THE_TRIP = (
    "set_new_navigation",
    "navigation_add_one_waypoint",
    "navigation_replace_one_waypoint",
    "navigation_replace_final_destination",
    "navigation_delete_waypoint",
    "navigation_delete_destination",
)


def looked_up_before(action: Action) -> tuple[str, ...]:
    """The look-ups that have to come before a call."""
    given = action.arguments
    match action.name:
        case "open_close_sunroof" if given["percentage"]:
            return ("get_weather",)
        case "set_fog_lights" if given["on"]:
            return ("get_weather", "get_exterior_lights_status")
        case "set_head_lights_high_beams" if given["on"]:
            return ("get_exterior_lights_status",)
        case "set_air_conditioning" if given["on"]:
            return ("get_climate_settings", "get_vehicle_window_positions")
        case "set_window_defrost" if given["on"] and given["defrost_window"] != "REAR":
            return ("get_climate_settings",)
        case name if name in BY_THE_TRIP:
            return ("get_current_navigation_state",)
    return ()


def to_be_confirmed(action: Action, state: CarState, weather: str) -> str | None:
    """None if no confirmation is needed, else the reason to tell, which may be empty.

    `state` is the car before the call, `weather` the condition outside, empty if not known.
    """
    given = action.arguments
    outside = f"Outside it is {weather_words(weather)}." if weather else ""
    match action.name:
        case "open_close_sunroof" if given["percentage"] and weather not in FAIR_WEATHER:
            return outside
        case "set_fog_lights" if given["on"]:
            if weather.endswith(FOG_LIGHT_WEATHER):
                return None
            return outside
        case "open_close_window" if (
            given["percentage"] > WIDE_OPEN_PERCENT and state.air_conditioning
        ):
            return "The air conditioning is on, so open windows waste energy."
    tool = BY_NAME.get(action.name)
    return "" if tool is not None and tool.description.startswith(CONFIRM) else None


def zones_apart(changes: Sequence[Action], state: CarState) -> str:
    """A remark when the two sides of the car end up far apart in temperature, else nothing."""
    apart = abs(state.climate_temperature_driver - state.climate_temperature_passenger)
    if apart <= ZONES_APART or not any(
        action.name == "set_climate_temperature" for action in changes
    ):
        return ""
    return f"Driver and passenger side are {apart:g} degrees apart."


def new_legs(before: CarState, after: CarState) -> tuple[str, ...]:
    """The routes that a driver has to be told of, with their tolls: those not followed before."""
    followed = before.routes_to_final_destination_id
    return tuple(leg for leg in after.routes_to_final_destination_id if leg not in followed)
