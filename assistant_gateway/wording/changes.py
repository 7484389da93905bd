"""How an assistant speaks about calls that change something: what it will do, has done.

Sentences are for the ear: no lists, units in words, 24-hour times.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assistant_gateway.wording.atlas import Atlas
from assistant_gateway.wording.spoken import enumerated, spoken
from assistant_gateway.wording.trip import TRIP_PHRASES, Arguments, Phrase

PAST = {
    "open": "opened",
    "close": "closed",
    "set": "set",
    "turn": "turned",
    "switch": "switched",
    "direct": "directed",
    "send": "sent",
    "call": "called",
    "change": "changed",
    "start": "started",
    "stop": "stopped",
    "add": "added",
    "replace": "replaced",
    "remove": "removed",
}
SEATS = {
    "ALL": "all {}s",
    "DRIVER": "the driver's {}",
    "PASSENGER": "the passenger's {}",
    "DRIVER_REAR": "the {} behind the driver",
    "PASSENGER_REAR": "the {} behind the passenger",
    "RIGHT_REAR": "the {} behind the driver",
    "LEFT_REAR": "the {} behind the passenger",
}
ZONES = {
    "ALL_ZONES": "both front seats",
    "DRIVER": "the driver's seat",
    "PASSENGER": "the passenger's seat",
}
AIR = {
    "FRESH_AIR": "fresh air from outside",
    "RECIRCULATION": "recirculation",
    "AUTO": "automatic",
}
PANES = {"ALL": "of all windows", "FRONT": "of the windshield", "REAR": "of the rear window"}
WEATHER = {
    "cloudy_and_rain": "raining",
    "cloudy_and_rain_and_hail": "raining and hailing",
    "cloudy_and_rain_and_thunderstorm": "raining with thunder",
    "cloudy_and_fog": "foggy",
}


def _opening(thing: Callable[[Arguments], str]) -> Callable[[Arguments], Phrase]:
    def phrase(given: Arguments) -> Phrase:
        match given["percentage"]:
            case 0:
                return "close", thing(given)
            case 100:
                return "open", f"{thing(given)} fully"
            case part:
                return "set", f"{thing(given)} to {part:g} percent open"

    return phrase


def _switch(thing: Callable[[Arguments], str]) -> Callable[[Arguments], Phrase]:
    return lambda given: ("turn", f"{'on' if given['on'] else 'off'} {thing(given)}")


def _level(thing: Callable[[Arguments], str]) -> Callable[[Arguments], Phrase]:
    def phrase(given: Arguments) -> Phrase:
        if given["level"] == 0:
            return "turn", f"off {thing(given)}"
        return "set", f"{thing(given)} to level {given['level']:g}"

    return phrase


def _ambient(given: Arguments) -> Phrase:
    if not given["on"] or given["lightcolor"] == "NONE":
        return "turn", "off the ambient light"
    return "set", f"the ambient light to {given['lightcolor'].lower()}"


PHRASES: Mapping[str, Callable[[Arguments], Phrase]] = {
    "open_close_sunroof": _opening(lambda given: "the sunroof"),
    "open_close_sunshade": _opening(lambda given: "the sunshade"),
    "open_close_window": _opening(lambda given: SEATS[given["window"]].format("window")),
    "open_close_trunk_door": lambda given: (given["action"].lower(), "the trunk"),
    "set_air_circulation": lambda given: ("set", f"the air circulation to {AIR[given['mode']]}"),
    "set_air_conditioning": _switch(lambda given: "the air conditioning"),
    "set_ambient_lights": _ambient,
    "set_climate_temperature": lambda given: (
        "set",
        f"the temperature for {ZONES[given['seat_zone']]} to {given['temperature']:g} degrees",
    ),
    "set_fan_airflow_direction": lambda given: (
        "direct",
        f"the airflow to {spoken(given['direction'])}",
    ),
    "set_fan_speed": _level(lambda given: "the fan"),
    "set_fog_lights": _switch(lambda given: "the fog lights"),
    "set_head_lights_high_beams": _switch(lambda given: "the high beams"),
    "set_head_lights_low_beams": _switch(lambda given: "the low beams"),
    "set_reading_light": _switch(lambda given: SEATS[given["position"]].format("reading light")),
    "set_seat_heating": _level(lambda given: f"the heating of {ZONES[given['seat_zone']]}"),
    "set_steering_wheel_heating": _level(lambda given: "the steering wheel heating"),
    "set_window_defrost": _switch(lambda given: f"the defrost {PANES[given['defrost_window']]}"),
    "call_phone_by_number": lambda given: ("call", given["phone_number"]),
}


def phrase(name: str, given: Arguments, world: Atlas) -> Phrase:
    """What a call does, as a verb and the rest of the sentence."""
    if name == "send_email":
        return "send", f"an e-mail to {_receivers(given, world)}"
    if name in TRIP_PHRASES:
        return TRIP_PHRASES[name](given, world)
    if name in PHRASES:
        return PHRASES[name](given)
    return "change", f"what {spoken(name)} is about"


def _receivers(given: Arguments, world: Atlas) -> str:
    rows = [world.contact_with_email(address) for address in given["email_addresses"]]
    pairs = zip(rows, given["email_addresses"], strict=True)
    return enumerated([full_name(row) if row else address for row, address in pairs])


def weather_words(condition: str) -> str:
    """A condition of the forecast, as in `it is …`."""
    return WEATHER.get(condition, spoken(condition))


def full_name(contact: Mapping[str, Any]) -> str:
    return f"{contact['name']['first_name']} {contact['name']['last_name']}"


def done(phrases: Sequence[Phrase]) -> str:
    """One sentence about what was done."""
    return f"I've {enumerated([f'{PAST[verb]} {rest}' for verb, rest in phrases])}."


def intended(phrases: Sequence[Phrase]) -> str:
    """One sentence about what is about to be done."""
    return f"I will {enumerated([f'{verb} {rest}' for verb, rest in phrases])}."
