"""How an assistant tells what a look-up found."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assistant_gateway.wording.changes import full_name, weather_words
from assistant_gateway.wording.spoken import counted, duration, enumerated, kilometres, spoken
from assistant_gateway.wording.trip import (
    Atlas,
    minutes_of,
    place_name,
    poi_name,
    route_in_words,
    trip_name,
    which_route,
)
from vehicle_bus.world.places import CHARGING, HOURS
from vehicle_bus.world.world import Row

Result = Mapping[str, Any]
SHOWN = 3
ALWAYS_OPEN = ("00:00", "24:00")
NOTHING_FOUND = "I have found no place like that."


# --- places


def places_found(result: Result) -> list[str]:
    """The places of a search, to choose from."""
    found = result.get("pois_found") or result.get("pois_found_along_route") or ()
    return [poi_name(poi) for poi in found]


def _places(result: Result, _world: Atlas) -> str:
    return _listed([_place(poi) for poi in result["pois_found"]])


def _places_along(result: Result, _world: Atlas) -> str:
    return _listed([f"{_place(poi)}, {_detour(poi)}" for poi in result["pois_found_along_route"]])


def _listed(places: Sequence[str]) -> str:
    if not places:
        return NOTHING_FOUND
    more = [f"{len(places) - SHOWN} more"] if len(places) > SHOWN else []
    found = [*places[:SHOWN], *more]
    *first, last = found
    return f"I have found {'; '.join(first)}; and {last}." if first else f"I have found {last}."


def _place(poi: Row) -> str:
    known = [poi_name(poi), _hours(poi["opening_hours"])]
    known += [_plugs(poi["charging_plugs"])] if poi["category"] == CHARGING else []
    return ", ".join(filter(None, known))


def _hours(opening_hours: str) -> str:
    match = HOURS.fullmatch(opening_hours)
    if match is None:
        return ""
    opens, closes = f"{match[1]}:{match[2]}", f"{match[3]}:{match[4]}"
    if (opens, closes) == ALWAYS_OPEN:
        return "always open"
    return f"open from {opens} to {closes}"


def _plugs(plugs: Sequence[Row]) -> str:
    free = [
        f"{plug['power_kw']} kilowatts {plug['power_type']}"
        for plug in plugs
        if plug["availability"] == "available"
    ]
    if not free:
        return "with all plugs taken"
    return f"with {'a free plug' if len(free) == 1 else 'free plugs'} of {enumerated(free)}"


def _detour(poi: Row) -> str:
    time = poi["detour_from_route_time"]
    minutes = duration(60 * time["hour"] + time["minutes"])
    return f"{minutes} and {kilometres(poi['detour_from_route_km']['detour'])} out of the way"


# --- routes and the trip


def _routes(result: Result, world: Atlas) -> str:
    routes = result["routes"]
    ends = [place_name(routes[0][end], world) for end in ("start_id", "destination_id")]
    parts = [f"{which_route(route)} goes {route_in_words(route)}" for route in routes]
    return f"From {ends[0]} to {ends[1]} {'; '.join(parts)}."


def routes_in_short(routes: Sequence[Row], world: Atlas, opening: str = "") -> str:
    """The fastest route and the shortest one, and how many others there are.

    They lead `To` the place, unless another `opening` names it.
    """
    fastest = min(routes, key=minutes_of)
    shortest = min(routes, key=lambda route: float(route["distance_km"]))
    told = [fastest] if shortest["distance_km"] == fastest["distance_km"] else [fastest, shortest]
    opening = opening or f"To {place_name(fastest['destination_id'], world)}"
    first, *second = [f"{which_route(route)} goes {route_in_words(route)}" for route in told]
    parts = [f"{opening} {first}", *second]
    left = len(routes) - len(told)
    parts += [f"there {'is' if left == 1 else 'are'} {counted(left, 'other')}"] if left else []
    return f"{'; '.join(parts)}."


def _trip(result: Result, world: Atlas) -> str:
    if not result["waypoints_id"]:
        return "No trip is being followed at present."
    start, *rest = result["waypoints_id"]
    return f"The trip leads from {place_name(start, world)} {trip_name(rest, world)}."


def _converted(result: Result, _world: Atlas) -> str:
    if "distance_km" in result:
        return f"That is {kilometres(result['distance_km'])} along the route."
    return f"That takes {duration(result['time_minutes'])} on the route."


# --- battery and charging


def _battery(result: Result, world: Atlas) -> str:
    return (
        f"{_charge(result, world)} It holds {result['battery_capacity_kwh']:g} kilowatt hours and "
        f"charges with up to {result['max_charging_power_ac']:g} kilowatts AC or "
        f"{result['max_charging_power_dc']:g} kilowatts DC."
    )


def _charge(result: Result, _world: Atlas) -> str:
    enough_for = kilometres(_number(result["remaining_range"]))
    return f"The battery is at {result['state_of_charge']:g} percent, enough for {enough_for}."


def _distance(result: Result, _world: Atlas) -> str:
    parts = [
        f"From {_numbers(key)[0]} down to {_numbers(key)[1]} percent the battery is enough for "
        f"{kilometres(_number(value))}."
        for key, value in result.items()
    ]
    return " ".join(parts)


def _charging_time(result: Result, _world: Atlas) -> str:
    parts = [
        f"from {_numbers(key)[0]} to {_numbers(key)[1]} percent takes "
        f"{counted(round(_number(value)), 'minute')}"
        for key, value in result.items()
    ]
    return f"Charging {enumerated(parts)}."


def _charged(result: Result, _world: Atlas) -> str:
    parts = [
        f"After {counted(round(float(_numbers(key)[0])), 'minute')} of charging the battery is at "
        f"{_number(value):g} percent."
        for key, value in result.items()
    ]
    return " ".join(parts)


def _numbers(key: str) -> list[str]:
    """The numbers in the name of a field such as `time_from_20_until_80_percent_soc`."""
    return [f"{float(number):g}" for number in re.findall(r"\d+(?:\.\d+)?", key)]


def _number(amount: str) -> float:
    """The number of an amount such as `203.0km`."""
    match = re.match(r"-?\d+(?:\.\d+)?", amount)
    return float(match[0]) if match else 0.0


# Results that the sentence about a change leaves out; they are said before it.
BESIDE_CHANGES: Mapping[str, Callable[[Result, Atlas], str]] = {
    "get_charging_specs_and_status": _charge,
    "get_distance_by_soc": _distance,
    "calculate_charging_time_by_soc": _charging_time,
    "calculate_charging_soc_by_time": _charged,
}
NOTHING_TO_TELL = "I have looked it up."


def found(name: str, result: Result, world: Atlas) -> str:
    """What to say about the `result` of a successful get call; empty if it only led to others."""
    tell = TELL.get(name)
    return tell(result, world) if tell else _by_field(result)


def found_beside_changes(name: str, result: Result, world: Atlas) -> str:
    """What the sentences about changes leave out; empty for most look-ups."""
    tell = BESIDE_CHANGES.get(name)
    return tell(result, world) if tell else ""


def _weather(result: Result, _world: Atlas) -> str:
    slot = result["current_slot"]
    sky, degrees = weather_words(slot["condition"]), slot["temperature_c"]
    return f"From {slot['start_time']} to {slot['end_time']} it is {sky}, with {degrees} degrees."


def _calendar(result: Result, _world: Atlas) -> str:
    if not result["meetings"]:
        return "Your calendar is empty today."
    return f"Today you have {enumerated([_meeting(entry) for entry in result['meetings']])}."


def _meeting(entry: Result) -> str:
    start = entry["start"]
    return f"{entry['topic']} at {start['hour']}:{start['minute']} in {entry['location']}"


def _names(result: Result, world: Atlas) -> str:
    return f"Your contacts have {enumerated(contact_names(result, world))}."


def contact_names(result: Result, world: Atlas) -> list[str]:
    """The people a search by name found."""
    ids = result.get("matches") or filter(None, [result.get("id")])
    rows = [world.contact(contact_id) for contact_id in ids]
    return [full_name(row) for row in rows if row]


def _contacts(result: Result, _world: Atlas) -> str:
    details = [
        f"{full_name(row)} has the number {row['phone_number']} and the address {row['email']}"
        for row in result.values()
        if row
    ]
    return f"{enumerated(details)}." if details else NOTHING_TO_TELL


def _seats(result: Result, _world: Atlas) -> str:
    taken = [spoken(seat) for seat, somebody in result["seats_occupied"].items() if somebody]
    return f"Occupied seats: {enumerated(taken)}." if taken else "All seats are empty."


TELL: Mapping[str, Callable[[Result, Atlas], str]] = {
    **BESIDE_CHANGES,
    "get_charging_specs_and_status": _battery,
    "get_location_id_by_location_name": lambda result, world: "",
    "get_routes_from_start_to_destination": _routes,
    "get_current_navigation_state": _trip,
    "convert_route_distance_and_time": _converted,
    "search_poi_at_location": _places,
    "search_poi_along_the_route": _places_along,
    "get_weather": _weather,
    "get_entries_from_calendar": _calendar,
    "get_contact_id_by_contact_name": _names,
    "get_contact_information": _contacts,
    "get_seats_occupancy": _seats,
}


def _by_field(result: Result) -> str:
    """`Fan speed: 2, air conditioning: off.`"""
    parts = [
        f"{spoken(name)}: {_value(value)}"
        for name, value in result.items()
        if name != "description" and isinstance(value, str | int | float)
    ]
    sentence = ", ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}." if sentence else NOTHING_TO_TELL


def _value(value: str | float) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return spoken(value) if isinstance(value, str) else f"{value:g}"
