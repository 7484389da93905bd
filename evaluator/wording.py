"""How the reference agent speaks about calls: what it will do, has done, found out, cannot do.

Sentences are for the ear: no lists, units in words, 24-hour times.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vehicle_bus.world import World

Arguments = Mapping[str, Any]
Phrase = tuple[str, str]  # a verb and the rest: ("open", "the sunroof to 50 percent")

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
# What a tool is about; said when the car does not have it.
THINGS = {
    "open_close_sunroof": "move the sunroof",
    "open_close_sunshade": "move the sunshade",
    "open_close_trunk_door": "open or close the trunk",
    "open_close_window": "move the windows",
    "set_air_circulation": "change the air circulation",
    "set_air_conditioning": "switch the air conditioning",
    "set_ambient_lights": "change the ambient light",
    "set_climate_temperature": "set the temperature",
    "set_fan_airflow_direction": "direct the airflow",
    "set_fan_speed": "set the fan",
    "set_fog_lights": "switch the fog lights",
    "set_head_lights_high_beams": "switch the high beams",
    "set_head_lights_low_beams": "switch the low beams",
    "set_reading_light": "switch the reading lights",
    "set_seat_heating": "set the seat heating",
    "set_steering_wheel_heating": "set the steering wheel heating",
    "set_window_defrost": "switch the window defrost",
    "get_ambient_light_status_and_color": "look up the ambient light",
    "get_car_color": "look up the colour of the car",
    "get_climate_settings": "look up the climate settings",
    "get_exterior_lights_status": "look up the exterior lights",
    "get_reading_lights_status": "look up the reading lights",
    "get_seat_heating_level": "look up the seat heating",
    "get_seats_occupancy": "see which seats are occupied",
    "get_steering_wheel_heating_level": "look up the steering wheel heating",
    "get_sunroof_and_sunshade_position": "look up sunroof and sunshade",
    "get_temperature_inside_car": "look up the temperature inside",
    "get_trunk_door_position": "look up the trunk",
    "get_vehicle_window_positions": "look up the windows",
    "get_user_preferences": "look up your stored preferences",
    "get_weather": "look up the weather",
    "get_contact_id_by_contact_name": "look up contacts by name",
    "get_contact_information": "look up the details of contacts",
    "get_entries_from_calendar": "look into the calendar",
    "call_phone_by_number": "place a phone call",
    "send_email": "send an e-mail",
}
PARAMETERS = {
    "percentage": "to a chosen percentage",
    "level": "to a chosen level",
    "lightcolor": "to a chosen colour",
    "mode": "to a chosen mode",
    "direction": "in a chosen direction",
    "temperature": "to a chosen temperature",
    "seat_zone": "for a chosen seat zone",
    "position": "for a chosen seat",
    "window": "one by one",
    "defrost_window": "for a chosen window",
    "email_addresses": "to a chosen recipient",
    "content_message": "with a text of your own",
    "contact_first_name": "by first name",
    "contact_last_name": "by last name",
    "location_or_poi_id": "for a chosen place",
}

RESULTS = {
    "condition": "weather condition",
    "attendees": "attendees of your meetings",
    "seats_occupied": "occupied seats",
    "car_color": "colour of the car",
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


def _spoken(name: str) -> str:
    return name.lower().replace("_", " ")


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
        f"the airflow to {_spoken(given['direction'])}",
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


def phrase(name: str, given: Arguments, world: World) -> Phrase:
    """What a call does, as a verb and the rest of the sentence."""
    if name == "send_email":
        return "send", f"an e-mail to {_receivers(given, world)}"
    if name in PHRASES:
        return PHRASES[name](given)
    return "change", f"what {_spoken(name)} is about"


def _receivers(given: Arguments, world: World) -> str:
    rows = [world.contact_with_email(address) for address in given["email_addresses"]]
    pairs = zip(rows, given["email_addresses"], strict=True)
    return enumerated([full_name(row) if row else address for row, address in pairs])


def weather_words(condition: str) -> str:
    """A condition of the forecast, as in `it is …`."""
    return WEATHER.get(condition, _spoken(condition))


def full_name(contact: Mapping[str, Any]) -> str:
    return f"{contact['name']['first_name']} {contact['name']['last_name']}"


def enumerated(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def alternatives(parts: Sequence[str]) -> str:
    """`a, b or c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def done(phrases: Sequence[Phrase]) -> str:
    """One sentence about what was done."""
    return f"I've {enumerated([f'{PAST[verb]} {rest}' for verb, rest in phrases])}."


def intended(phrases: Sequence[Phrase]) -> str:
    """One sentence about what is about to be done."""
    return f"I will {enumerated([f'{verb} {rest}' for verb, rest in phrases])}."


def cannot(removed: str) -> str:
    """One sentence that admits that a part of the car (a dotted path) is missing."""
    kind, _, rest = removed.partition(".")
    if kind == "result":
        field = rest.rpartition(".")[2]
        part = RESULTS.get(field, _spoken(field))
        return f"I'm sorry, I can't tell the {part}: the car doesn't give me that information."
    thing = THINGS.get(kind, f"use {_spoken(kind)}")
    if rest:
        thing = f"{thing} {PARAMETERS.get(rest, f'with a chosen {_spoken(rest)}')}"
    return f"I'm sorry, I can't {thing}: that function isn't available in this car."
