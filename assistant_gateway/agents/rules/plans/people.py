"""Calls, mails and the calendar, and who is meant by a name or a meeting."""

import re
from typing import Any

from assistant_gateway.agents.rules.dialogue import (
    UNKNOWN,
    Declined,
    Dialogue,
    Prepared,
    Refused,
    Steps,
    change,
    rows,
    value,
)
from assistant_gateway.agents.rules.language.details import is_another_day, names, time_in
from assistant_gateway.agents.rules.language.patterns import first, words_of
from assistant_gateway.agents.rules.plans.asking import confirm, detail, liked, one_of, spoken_of
from assistant_gateway.agents.rules.plans.places import one_place
from assistant_gateway.agents.rules.wishes import people as wishes
from assistant_gateway.agents.rules.wishes.trip import Goal
from assistant_gateway.wording.changes import full_name
from assistant_gateway.wording.findings import found
from assistant_gateway.wording.spoken import enumerated

DIAL = "call_phone_by_number"
SEND = "send_email"
BY_NAME = "get_contact_id_by_contact_name"
INFORMATION = "get_contact_information"
CALENDAR = "get_entries_from_calendar"
Row = dict[str, Any]


def call(wish: wishes.PhoneCall, dialogue: Dialogue) -> Steps[Prepared]:
    dialogue.possible(DIAL, phone_number="")
    number = yield from _number(wish, dialogue)
    return Prepared((change(DIAL, phone_number=number),), in_order=True)


def _number(wish: wishes.PhoneCall, dialogue: Dialogue) -> Steps[str]:
    if dialogue.found and wish.name is None:
        kind = str(dialogue.found[0].get("category"))
        goal = Goal(kind=kind, pick=first("trip", "pick", wish.said))
        row = yield from one_place(dialogue, goal, dialogue.found)
        return str(value(row, "search_poi_at_location", "phone_number"))
    name = wish.name or (yield from _whom(wish, dialogue))
    person = yield from contact_id(dialogue, name)
    people = yield from cards(dialogue, [person])
    return str(value(people[0], INFORMATION, "phone_number"))


def _whom(wish: wishes.PhoneCall, dialogue: Dialogue) -> Steps[str]:
    """Who is to be called: somebody saved under `mother` or `boss`, or whom the driver names."""
    question = "Whom should I call?"
    if wish.relation:
        saved, others = yield from _saved_as(wish.relation, dialogue)
        if saved:
            return saved
        such = f" Among others there are {enumerated(others)}." if others else ""
        question = f"Nobody among your contacts is saved as your {wish.relation}.{such} {question}"
    return (yield from detail(dialogue, question, _some_name, None))


def _saved_as(relation: str, dialogue: Dialogue) -> Steps[tuple[str, list[str]]]:
    """The name of the contact that is called so, or the names of some other contacts."""
    try:
        result = yield from dialogue.look(BY_NAME, contact_first_name=relation)
    except Refused as refused:
        return "", refused.known
    matches = result.get("matches")
    found = list(matches.values()) if isinstance(matches, dict) else [result.get("name", "")]
    saved = [str(name) for name in found if relation in str(name).lower().split()]
    return (saved[0], []) if saved else ("", [str(name) for name in found])


def mail(wish: wishes.Mail, dialogue: Dialogue) -> Steps[Prepared]:
    """Read out, agreed to, sent."""
    dialogue.possible(SEND, content_message="", email_addresses=[])
    ids: list[str] = []
    for name in wish.names:
        ids.append((yield from contact_id(dialogue, name)))
    if wish.meeting is not None:
        ids = attendees((yield from one_meeting(dialogue, wish.meeting)))
    for name in (yield from _copied_to(dialogue)) if ids else ():
        ids.append((yield from contact_id(dialogue, name)))
    if not ids:
        name = yield from detail(dialogue, "To whom should I send the e-mail?", _some_name, None)
        ids = [(yield from contact_id(dialogue, name))]
    people = yield from cards(dialogue, ids)
    text = wish.text or (
        yield from detail(dialogue, "What should the e-mail say?", _some_text, None)
    )
    content = f"Hello {_greeted(people)}, {text}."
    receivers = enumerated([full_name(row) for row in people])
    addresses = [str(value(row, INFORMATION, "email")) for row in people]
    yield from confirm(
        dialogue,
        f"I will send this e-mail to {receivers}: {content} Shall I send it?",
        "Alright, I don't send the e-mail.",
    )
    return Prepared((change(SEND, content_message=content, email_addresses=addresses),))


def _copied_to(dialogue: Dialogue) -> Steps[list[str]]:
    """Who gets a copy of each mail, as far as the driver's preferences say so."""
    liking = yield from liked(dialogue, "productivity_and_communication", ("email",))
    copies = re.compile(r"\b(?:cc|copy|copied|include\w*)\b", re.IGNORECASE)
    copied = (sentence for sentence in liking if copies.search(sentence))
    return [name for sentence in copied for name in names(sentence) if " " in name]


def agenda(wish: wishes.Agenda, dialogue: Dialogue) -> Steps[Prepared]:
    """All that is still to come today, or one meeting with those who take part."""
    said = wish.said.lower()
    if is_another_day(wish.said):
        raise Declined("I can look into the calendar of today only.")
    entries = yield from meetings(dialogue)
    wanted = wish.meeting or wishes.Meeting(tuple(re.findall(r"\w{4,}", said)), wish.said)
    now, entry = dialogue.situation.now, meeting_of(dialogue, entries, wanted)
    if entry is not None:
        entries = [entry]
    elif now is not None and any(word in said for word in ("still", "left", "remaining", "rest")):
        entries = [entry for entry in entries if starts_at(entry) >= (now.hour, now.minute)]
    return Prepared(sentences=(found(CALENDAR, {"meetings": entries}, dialogue.known),))


def details(wish: wishes.ContactDetails, dialogue: Dialogue) -> Steps[Prepared]:
    ids = [(yield from contact_id(dialogue, wish.name))]
    found_cards = yield from cards(dialogue, ids)
    text = found(INFORMATION, {str(row["id"]): row for row in found_cards}, dialogue.known)
    return Prepared(sentences=(text,))


def _greeted(rows: list[dict[str, object]]) -> str:
    first_names = [
        str(name.get("first_name")) for row in rows if isinstance(name := row.get("name"), dict)
    ]
    return first_names[0] if len(first_names) == 1 else "everybody"


def _some_name(answer: str) -> str | None:
    return next(iter(names(f"to {answer}")), None)


def _some_text(answer: str) -> str | None:
    text = answer.strip(" .!?\"'")
    return text.removeprefix("That ").removeprefix("that ") or None


def contact_id(dialogue: Dialogue, name: str) -> Steps[str]:
    """The id of somebody in the address book; of several the driver picks one."""
    try:
        result = yield from dialogue.look(BY_NAME, **_parts(name))
    except Refused as refused:
        raise Declined(f"I have found nobody called {name} among your contacts.") from refused
    matches = result.get("matches")
    if not isinstance(matches, dict):
        return str(value(result, BY_NAME, "id"))
    if value(result, BY_NAME, "matches") and len(matches) == 1:
        return str(next(iter(matches)))
    called = [str(name).title() for name in matches.values()]
    picked = yield from one_of(dialogue, "Which one do you mean", called)
    return str(list(matches)[picked])


def cards(dialogue: Dialogue, contact_ids: list[str]) -> Steps[list[Row]]:
    """Names, numbers and addresses."""
    result = yield from dialogue.look(INFORMATION, contact_ids=contact_ids)
    found = [row for row in result.values() if isinstance(row, dict)]
    if not found:
        raise Declined("I have found no details of that contact.")
    return found


def meetings(dialogue: Dialogue) -> Steps[list[Row]]:
    """Today's meetings."""
    now = dialogue.situation.now
    if now is None:
        raise Declined("I don't know what day it is, so I can't look into the calendar.")
    result = yield from dialogue.look(CALENDAR, month=now.month, day=now.day)
    return rows(result, CALENDAR, "meetings")


def meeting_of(dialogue: Dialogue, entries: list[Row], wanted: wishes.Meeting) -> Row | None:
    """The meeting that is spoken of, if that is clear."""
    now = dialogue.situation.now
    time = time_in(wanted.said)
    at_that_time = [entry for entry in entries if starts_at(entry) == time]
    if at_that_time:
        return at_that_time[0]
    topics = [str(entry.get("topic", "")) for entry in entries]
    at = spoken_of(" ".join(wanted.words), topics) if wanted.words else None
    if at is not None:
        return entries[at]
    coming = [entry for entry in entries if now and starts_at(entry) >= (now.hour, now.minute)]
    return coming[0] if "next" in wanted.said.lower() and coming else None


def one_meeting(dialogue: Dialogue, wanted: wishes.Meeting) -> Steps[Row]:
    """The meeting that is spoken of; if that is not clear, the driver says which."""
    entries = yield from meetings(dialogue)
    if not entries:
        raise Declined("Your calendar is empty today.")
    clear = meeting_of(dialogue, entries, wanted)
    if clear is None and not wanted.words and dialogue.meeting in entries:
        clear = dialogue.meeting
    if clear is None and len(entries) > 1:
        topics = [str(entry.get("topic", "")) for entry in entries]
        clear = entries[(yield from one_of(dialogue, "Which meeting do you mean", topics))]
    dialogue.meeting = clear or entries[0]
    return dialogue.meeting


def attendees(entry: Row) -> list[str]:
    """Ids of who takes part."""
    named = "meetings.attendees"
    ids = value({named: entry.get("attendees", UNKNOWN)}, CALENDAR, named)
    return [str(person) for person in ids] if isinstance(ids, list) else []


def starts_at(entry: Row) -> tuple[int, int]:
    start = entry.get("start")
    known = start if isinstance(start, dict) else {}
    hour, minute = (str(known.get(name, "")) for name in ("hour", "minute"))
    return int(hour) if hour.isdigit() else 0, int(minute) if minute.isdigit() else 0


def _parts(name: str) -> dict[str, str]:
    first, _, last = name.partition(" ")
    if last:
        return {"contact_first_name": first, "contact_last_name": last}
    if first.lower() in words_of("first_names"):
        return {"contact_first_name": first}
    return {"contact_last_name": first}
