"""Who is meant: contacts by name, and people of a meeting."""

from typing import Any

from assistant_gateway.agents.rules.dialogue import (
    UNKNOWN,
    Declined,
    Dialogue,
    Refused,
    Steps,
    value,
)
from assistant_gateway.agents.rules.language.patterns import words_of
from assistant_gateway.agents.rules.language.times import time_in
from assistant_gateway.agents.rules.plans.asking import detail, spoken_of
from assistant_gateway.agents.rules.wishes.wish import Meeting
from assistant_gateway.wording.changes import full_name
from assistant_gateway.wording.spoken import alternatives

BY_NAME = "get_contact_id_by_contact_name"
INFORMATION = "get_contact_information"
CALENDAR = "get_entries_from_calendar"
Row = dict[str, Any]


def contact_id(talk: Dialogue, name: str) -> Steps[str]:
    """The id of somebody in the address book; of several the driver picks one."""
    try:
        result = yield from talk.look(BY_NAME, **_parts(name))
    except Refused as refused:
        raise Declined(f"I have found nobody called {name} among your contacts.") from refused
    matches = result.get("matches")
    if not isinstance(matches, dict):
        return str(value(result, BY_NAME, "id"))
    if value(result, BY_NAME, "matches") and len(matches) == 1:
        return str(next(iter(matches)))
    called = [str(name).title() for name in matches.values()]
    picked = yield from detail(
        talk,
        f"Which one do you mean: {alternatives(called)}?",
        lambda answer: spoken_of(answer, called),
        None,
    )
    return str(list(matches)[picked])


def cards(talk: Dialogue, contact_ids: list[str]) -> Steps[list[Row]]:
    """Names, numbers and addresses."""
    result = yield from talk.look(INFORMATION, contact_ids=contact_ids)
    found = [row for row in result.values() if isinstance(row, dict)]
    if not found:
        raise Declined("I have found no details of that contact.")
    return found


def meetings(talk: Dialogue) -> Steps[list[Row]]:
    """Today's meetings."""
    now = talk.situation.now
    if now is None:
        raise Declined("I don't know what day it is, so I can't look into the calendar.")
    result = yield from talk.look(CALENDAR, month=now.month, day=now.day)
    told = value(result, CALENDAR, "meetings")
    return [entry for entry in told if isinstance(entry, dict)] if isinstance(told, list) else []


def meeting_of(talk: Dialogue, entries: list[Row], wanted: Meeting) -> Row | None:
    """The meeting that is spoken of, if that is clear."""
    now = talk.situation.now
    time = time_in(wanted.said, now) if now else None
    at_that_time = [entry for entry in entries if starts_at(entry) == time]
    if at_that_time:
        return at_that_time[0]
    topics = [str(entry.get("topic", "")) for entry in entries]
    at = spoken_of(" ".join(wanted.words), topics) if wanted.words else None
    if at is not None:
        return entries[at]
    coming = [entry for entry in entries if now and starts_at(entry) >= (now.hour, now.minute)]
    return coming[0] if "next" in wanted.said.lower() and coming else None


def one_meeting(talk: Dialogue, wanted: Meeting) -> Steps[Row]:
    """The meeting that is spoken of; if that is not clear, the driver says which."""
    entries = yield from meetings(talk)
    if not entries:
        raise Declined("Your calendar is empty today.")
    clear = meeting_of(talk, entries, wanted)
    if clear is None and not wanted.words and talk.meeting in entries:
        clear = talk.meeting
    if clear is not None or len(entries) == 1:
        talk.meeting = clear or entries[0]
        return talk.meeting
    topics = [str(entry.get("topic", "")) for entry in entries]
    picked = yield from detail(
        talk,
        f"Which meeting do you mean: {alternatives(topics)}?",
        lambda answer: spoken_of(answer, topics),
        None,
    )
    talk.meeting = entries[picked]
    return talk.meeting


def attendees(entry: Row) -> list[str]:
    """Ids of who takes part."""
    named = "meetings.attendees"
    told = value({named: entry.get("attendees", UNKNOWN)}, CALENDAR, named)
    return [str(person) for person in told] if isinstance(told, list) else []


def starts_at(entry: Row) -> tuple[int, int]:
    start = entry.get("start")
    if not isinstance(start, dict):
        return (0, 0)
    figures = [str(start.get(name, "")) for name in ("hour", "minute")]
    hour, minute = (int(text) if text.isdigit() else 0 for text in figures)
    return hour, minute


def called(rows: list[Row]) -> list[str]:
    return [full_name(row) for row in rows]


def _parts(name: str) -> dict[str, str]:
    first, _, last = name.partition(" ")
    if last:
        return {"contact_first_name": first, "contact_last_name": last}
    if first.lower() in words_of("first_names"):
        return {"contact_first_name": first}
    return {"contact_last_name": first}
