"""How an assistant speaks about calls that change something: what it will do, has done.

Sentences are for the ear: no lists, units in words, 24-hour times.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
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
SEAT_HEATING = {
    "ALL_ZONES": "the seat heating on both sides",
    "DRIVER": "the driver's seat heating",
    "PASSENGER": "the passenger's seat heating",
}
AIR = {
    "FRESH_AIR": "fresh air from outside",
    "RECIRCULATION": "recirculation",
    "AUTO": "automatic",
}
SIDES = {
    "ALL_ZONES": "both sides",
    "DRIVER": "the driver's side",
    "PASSENGER": "the passenger side",
}
DEFROSTERS = {
    "ALL": "both defrosters",
    "FRONT": "the front defroster",
    "REAR": "the rear defroster",
}
TARGETS = {"FEET": "your feet", "HEAD": "your face", "WINDSHIELD": "the windshield"}
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
                return "set", f"{thing(given)} to {part:g} percent"

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
        f"the temperature on {SIDES[given['seat_zone']]} to {given['temperature']:g} degrees",
    ),
    "set_fan_airflow_direction": lambda given: (
        "direct",
        f"the airflow to {enumerated([TARGETS[part] for part in given['direction'].split('_')])}",
    ),
    "set_fan_speed": _level(lambda given: "the fan"),
    "set_fog_lights": _switch(lambda given: "the fog lights"),
    "set_head_lights_high_beams": _switch(lambda given: "the high beams"),
    "set_head_lights_low_beams": _switch(lambda given: "the low beams"),
    "set_reading_light": _switch(lambda given: SEATS[given["position"]].format("reading light")),
    "set_seat_heating": _level(lambda given: SEAT_HEATING[given["seat_zone"]]),
    "set_steering_wheel_heating": _level(lambda given: "the steering wheel heating"),
    "set_window_defrost": _switch(lambda given: DEFROSTERS[given["defrost_window"]]),
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
    return f"I've {_in_one_breath([(PAST[verb], rest) for verb, rest in phrases])}."


def proposed(phrases: Sequence[Phrase], texts: Sequence[str] = ()) -> str:
    """The question whether something shall be done; `texts` of e-mails are read out with it."""
    plan = _in_one_breath(phrases)
    if texts:
        return " ".join([f"I will {plan}.", *texts, "Shall I go ahead?"])
    return f"Shall I {plan}?"


def _in_one_breath(phrases: Sequence[Phrase]) -> str:
    """`turn on the fan and the air conditioning`: a verb that stays the same is said once."""
    said = []
    for verb, same in groupby(map(_with_particle, phrases), key=itemgetter(0)):
        things = [rest for _, rest in same]
        said.append((f"{verb} {enumerated(things)}", len(things) > 1))
    *first, (last, _) = said
    if any(is_list for _, is_list in first):
        return ", ".join([part for part, _ in first]) + f", and {last}"
    return enumerated([part for part, _ in said])


def _with_particle(phrase: Phrase) -> Phrase:
    """`turn on` and the rest instead of `turn` and `on …`."""
    verb, rest = phrase
    particle, _, thing = rest.partition(" ")
    return (f"{verb} {particle}", thing) if particle in ("on", "off") else phrase
