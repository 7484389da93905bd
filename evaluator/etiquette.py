"""The rules of the car a good assistant keeps: what to look up first, what to ask, what to add."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from evaluator.policies import POLICIES
from evaluator.policies.air import opens_wide
from evaluator.policies.lights import hangs_on_weather, needs_no_asking
from evaluator.policies.published import ZONES_APART
from evaluator.policies.speech import needs_a_yes
from evaluator.task import Action
from evaluator.wording import weather_words
from vehicle_bus.state import CarState

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
    return tuple(dict.fromkeys(wanted))


def to_be_confirmed(action: Action, state: CarState, weather: str) -> str | None:
    """None if no confirmation is needed, else the reason to tell, which may be empty.

    `state` is the car before the call, `weather` the condition outside, empty if not known.
    """
    name, given = action.name, action.arguments
    if hangs_on_weather(name, given) and not needs_no_asking(name, weather):
        return f"Outside it is {weather_words(weather)}." if weather else ""
    if opens_wide(name, given) and state.air_conditioning:
        return "The air conditioning is on, so open windows waste energy."
    return "" if needs_a_yes(name, given) else None


def in_24_hours(text: str) -> str:
    """The text with times such as 1:30 PM in 24-hour form."""

    def told(time: re.Match[str]) -> str:
        hour = int(time["hour"]) % 12 + (12 if time["half"] in "pP" else 0)
        return f"{hour:02d}:{time['minute'] or '00'}"

    return _TWELVE_HOURS.sub(told, text)


def zones_apart(changes: Sequence[Action], state: CarState) -> str:
    """A remark when the two sides of the car end up far apart in temperature, else nothing."""
    apart = abs(state.climate_temperature_driver - state.climate_temperature_passenger)
    if apart <= ZONES_APART or not any(
        action.name == "set_climate_temperature" for action in changes
    ):
        return ""
    return f" Driver and passenger side are {apart:g} degrees apart."


def about_routes(changes: Sequence[Action], results: Iterable[dict[str, Any] | None]) -> str:
    """Remarks about the routes that were set: the fastest of each leg, alternatives, tolls.

    `results` are those of all look-ups, None where one failed.
    """
    known = {
        route["route_id"]: route
        for result in results
        if result is not None and isinstance(result.get("routes"), list)
        for route in result["routes"]
        if isinstance(route, dict) and "route_id" in route
    }
    remarks = ""
    legs = [action.arguments.get("route_ids") or () for action in changes]
    taken = [[known[leg] for leg in ids if leg in known] for ids in legs]
    if any(len(routes) > 1 and all(map(_is_fastest, routes)) for routes in taken):
        remarks += " For each leg I took the fastest route; there are alternatives."
    ids = [value for action in changes for value in _flat(action.arguments.values())]
    if any(known[value].get("includes_toll") for value in ids if value in known):
        remarks += " There are tolls on the way."
    return remarks


def _is_fastest(route: dict[str, Any]) -> bool:
    return "fastest" in (route.get("alias") or ())


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list):
            yield from value
        elif isinstance(value, str):
            yield value
