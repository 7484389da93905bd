"""How an assistant tells what a look-up found."""

from collections.abc import Callable, Mapping
from typing import Any

from assistant_gateway.wording.atlas import Atlas
from assistant_gateway.wording.changes import full_name, weather_words
from assistant_gateway.wording.spoken import enumerated, spoken
from assistant_gateway.wording.trip_findings import BESIDE_CHANGES, TRIP_TELL

Result = Mapping[str, Any]
NOTHING_TO_TELL = "I have looked it up."


def found(name: str, result: Result, world: Atlas) -> str:
    """What to say about the `result` of a successful get call; empty if it only led to others."""
    tell = TELL.get(name)
    return tell(result, world) if tell else _by_field(result)


def found_beside_changes(name: str, result: Result, world: Atlas) -> str:
    """What still has to be told when changes are told too; empty for most look-ups."""
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
    return f"Taken seats: {enumerated(taken)}." if taken else "All seats are empty."


TELL: Mapping[str, Callable[[Result, Atlas], str]] = {
    **TRIP_TELL,
    "get_weather": _weather,
    "get_entries_from_calendar": _calendar,
    "get_contact_id_by_contact_name": _names,
    "get_contact_information": _contacts,
    "get_seats_occupancy": _seats,
}


def _by_field(result: Result) -> str:
    """`Fan speed: 2, air conditioning: off.`"""
    told = [
        f"{spoken(name)}: {_value(value)}"
        for name, value in result.items()
        if name != "description" and isinstance(value, str | int | float)
    ]
    sentence = ", ".join(told)
    return f"{sentence[0].upper()}{sentence[1:]}." if sentence else NOTHING_TO_TELL


def _value(value: str | float) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return spoken(value) if isinstance(value, str) else f"{value:g}"
