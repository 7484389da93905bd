"""Contacts, calendar, phone and e-mail."""

from collections.abc import Iterator, Sequence
from typing import Any

from vehicle_bus.car.car import Car
from vehicle_bus.car.tool import BadArguments, Coded, refusal, tool
from vehicle_bus.world.world import CLOSEST_NAME, Row, edit_distance

UNKNOWN_NAME = "GET_CONTACT_ID_BY_CONTACT_NAME"
ANOTHER_DAY = "AUT-POL:023"
CLEAR_MATCH = 1
SHOWN = 3
CONTACTS_ARE = "; contacts are "


@tool("get")
def get_contact_id_by_contact_name(
    car: Car, contact_first_name: str | None = None, contact_last_name: str | None = None
) -> dict[str, Any]:
    """Find contacts by name; small slips of spelling are forgiven.

    Args:
        contact_first_name: First name, if known.
        contact_last_name: Last name, if known.
    """
    wanted = {"first_name": contact_first_name, "last_name": contact_last_name}
    given = {part: name.lower() for part, name in wanted.items() if name}
    if not given:
        text = "give a first name, a last name or both"
        raise refusal(UNKNOWN_NAME, text, code="GetContactIdByContactName_001")
    matches = sorted(_matches(car.world.contacts(), given), key=lambda match: match[0])
    if not matches:
        text = f"nobody among the contacts is called {' '.join(given.values())}{_some(car)}"
        raise refusal(UNKNOWN_NAME, text, code="GetContactIdByContactName_002")
    clear = {row["id"]: _called(car, row) for score, row in matches if score <= CLEAR_MATCH}
    if clear:
        return {"matches": clear}
    nearest = matches[0][1]
    return {"id": nearest["id"], "name": _called(car, nearest)}


def _matches(contacts: Sequence[Row], given: dict[str, str]) -> Iterator[tuple[int, Row]]:
    for row in contacts:
        distances = [
            edit_distance(name, row["name"][part].lower(), CLOSEST_NAME)
            for part, name in given.items()
        ]
        if max(distances) <= CLOSEST_NAME:
            yield sum(distances), row


def _some(car: Car) -> str:
    """`; contacts are Mira Lindqvist, Jonas Achterberg`: the first ones; empty without any."""
    names = [_called(car, row) for row in car.world.contacts()[:SHOWN]]
    return f"{CONTACTS_ARE}{', '.join(names)}" if names and "Q55" not in car.compat else ""


def _called(car: Car, row: Row) -> str:
    name = f"{row['name']['first_name']} {row['name']['last_name']}"
    return name.lower() if "Q55" in car.compat else name


@tool(
    "get",
    Coded("month", "GET_ENTRIES_FROM_CALENDAR_001", code=ANOTHER_DAY, anything=True),
    Coded("day", "GET_ENTRIES_FROM_CALENDAR_001", code=ANOTHER_DAY, anything=True),
)
def get_entries_from_calendar(car: Car, month: int, day: int) -> dict[str, Any]:
    """Tell the driver's meetings of today: start, duration, place, attendees, topic.

    Args:
        month: Month of today's date.
        day: Day of today's date.
    """
    today = car.context.current_datetime
    if (month, day) != (today.month, today.day):
        text = f"only today ({today.month}/{today.day}) can be looked at, not {month}/{day}"
        raise refusal("GET_ENTRIES_FROM_CALENDAR_001", text, code=ANOTHER_DAY)
    calendar = car.world.calendar(car.calendar_id) if car.calendar_id else None
    if calendar is None:
        raise refusal(
            "GET_ENTRIES_FROM_CALENDAR_002", "this car has no calendar of its driver", logged=False
        )
    return {"date": calendar["date"], "meetings": calendar["meetings"]}


@tool("get")
def get_contact_information(car: Car, contact_ids: list[str]) -> dict[str, Any]:
    """Tell name, phone number and e-mail address of contacts; null for an id nobody has.

    Args:
        contact_ids: Ids of contacts, such as con_1234.
    """
    for contact_id in contact_ids:
        if len(contact_id) < len("con_"):
            raise BadArguments(f"contact_ids: {contact_id!r} is too short for a contact id")
        if not (contact_id.startswith("con_") and contact_id[4:].isdigit()):
            text = f"{contact_id!r} is not a contact id; one looks like con_1234"
            raise refusal("GET_CONTACT_INFORMATION_001", text)
    return {contact_id: car.world.contact(contact_id) for contact_id in contact_ids}


@tool("set", ends_conversation=True)
def call_phone_by_number(car: Car, phone_number: str) -> dict[str, Any]:
    """Call a phone number. The call takes over, so this is the last thing in a conversation.

    Args:
        phone_number: The number to dial, with country code.
    """
    car.set(phone_numbers_called=(*car.state.phone_numbers_called, phone_number))
    return {"phone_number_called": True}


@tool("set", confirm=True, loose=("content_message", "email_addresses"))
def send_email(car: Car, content_message: str, email_addresses: list[str]) -> dict[str, Any]:
    """Send one e-mail. Ask for an explicit yes before calling this.

    Args:
        content_message: The text of the e-mail. Read it out before you ask.
        email_addresses: Addresses of the receivers; each must belong to a contact.
    """
    if not isinstance(email_addresses, list | str | dict):
        raise BadArguments("email_addresses must be a list")
    addresses = list(email_addresses)
    known = [isinstance(one, str) and bool(car.world.contact_with_email(one)) for one in addresses]
    if all(known):
        _sent(car, addresses)
        return {"email_sent": True}
    first_unknown = known.index(False)
    if "Q57" in car.compat:
        _sent(car, addresses[:first_unknown])
    unknown = addresses[first_unknown]
    if isinstance(unknown, list | dict):
        raise BadArguments("an address must be a text")
    raise refusal("SEND_EMAIL_001", f"no contact has the address {unknown}")


def _sent(car: Car, addresses: list[str]) -> None:
    car.set(email_addresses_sent_mail_to=(*car.state.email_addresses_sent_mail_to, *addresses))
