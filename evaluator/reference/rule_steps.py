"""The rules of the car a good assistant keeps: what to look up first, what to ask, what to add."""

import re
from collections.abc import Sequence

from assistant_gateway.wording.changes import weather_words
from evaluator.scoring.policies import POLICIES
from evaluator.scoring.policies.air import opens_wide
from evaluator.scoring.policies.as_published import ZONES_APART
from evaluator.scoring.policies.lights import hangs_on_weather, needs_no_asking
from evaluator.scoring.policies.speech import needs_a_yes
from evaluator.task.task import Action
from vehicle_bus.car.state import CarState

BY_THE_TRIP = (
    "set_new_navigation",
    "navigation_add_one_waypoint",
    "navigation_replace_one_waypoint",
    "navigation_replace_final_destination",
    "navigation_delete_waypoint",
    "navigation_delete_destination",
)
_TWELVE_HOURS = re.compile(
    r"\b(?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5]\d))?\s?(?P<half>[ap])\.?m\b", re.IGNORECASE
)


def looked_up_before(action: Action) -> tuple[str, ...]:
    """The look-ups that the rules want before a call."""
    wanted = [
        name
        for policy in POLICIES.values()
        if policy.about(action.name, action.arguments)
        for name in policy.looks_up
    ]
    if action.name in BY_THE_TRIP:
        wanted.append("get_current_navigation_state")
    return tuple(dict.fromkeys(wanted))


def to_be_confirmed(action: Action, state: CarState, weather: str) -> str | None:
    """None if no confirmation is needed, else the reason to tell, which may be empty.

    `state` is the car before the call, `weather` the condition outside, empty if not known.
    """
    name, given = action.name, action.arguments
    if hangs_on_weather(name, given) and not needs_no_asking(name, weather):
        return f"Outside it is {weather_words(weather)}." if weather else ""
    if opens_wide(name, given) and state.air_conditioning:
        return "With the air conditioning on, open windows waste energy."
    return "" if needs_a_yes(name, given) else None


def in_24_hours(text: str) -> str:
    """The text with times such as 1:30 PM in 24-hour form."""

    def in_24_hour_form(time: re.Match[str]) -> str:
        hour = int(time["hour"]) % 12 + (12 if time["half"] in "pP" else 0)
        return f"{hour:02d}:{time['minute'] or '00'}"

    return _TWELVE_HOURS.sub(in_24_hour_form, text)


def zones_apart(changes: Sequence[Action], state: CarState) -> str:
    """A remark when the two sides of the car end up far apart in temperature, else nothing."""
    apart = abs(state.climate_temperature_driver - state.climate_temperature_passenger)
    if apart <= ZONES_APART or not any(
        action.name == "set_climate_temperature" for action in changes
    ):
        return ""
    return f"Driver and passenger side are {apart:g} degrees apart."


def new_legs(before: CarState, after: CarState) -> tuple[str, ...]:
    """The routes to describe to the driver, with their tolls: those not followed before."""
    followed = before.routes_to_final_destination_id
    return tuple(leg for leg in after.routes_to_final_destination_id if leg not in followed)
