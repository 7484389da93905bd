"""Calls, mails and the calendar."""

import re

from assistant_gateway.agents.rules.dialogue import (
    Declined,
    Dialogue,
    Prepared,
    Steps,
    change,
    value,
)
from assistant_gateway.agents.rules.language.names import names
from assistant_gateway.agents.rules.language.patterns import first
from assistant_gateway.agents.rules.language.times import is_another_day
from assistant_gateway.agents.rules.plans.asking import confirm, detail, one_of
from assistant_gateway.agents.rules.plans.people import (
    CALENDAR,
    attendees,
    called,
    cards,
    contact_id,
    meeting_of,
    meetings,
    one_meeting,
    starts_at,
)
from assistant_gateway.agents.rules.plans.places import one_place, places
from assistant_gateway.agents.rules.plans.preferences import liked
from assistant_gateway.agents.rules.wishes.goals import goals
from assistant_gateway.agents.rules.wishes.wish import (
    Agenda,
    ContactDetails,
    Goal,
    Mail,
    Meeting,
    PhoneCall,
)
from assistant_gateway.wording.findings import found
from assistant_gateway.wording.spoken import enumerated

DIAL = "call_phone_by_number"
SEND = "send_email"


def call(wish: PhoneCall, talk: Dialogue) -> Steps[Prepared]:
    talk.offered.require(change(DIAL, phone_number=""))
    number = yield from _number(wish, talk)
    return Prepared((change(DIAL, phone_number=number),), in_order=True)


def _number(wish: PhoneCall, talk: Dialogue) -> Steps[str]:
    if talk.found and wish.name is None and wish.meeting is None:
        goal = Goal(kind=str(talk.found[0].get("category")), pick=first("trip", "pick", wish.said))
        row = yield from one_place(talk, goal, talk.found)
        return str(value(row, "search_poi_at_location", "phone_number"))
    if first("trip", "kinds", wish.said):
        goal = goals(wish.said)[0]
        row = yield from one_place(talk, goal, (yield from places(talk, goal)))
        return str(value(row, "search_poi_at_location", "phone_number"))
    ids: list[str] = []
    if wish.name is not None:
        ids = [(yield from contact_id(talk, wish.name))]
    elif wish.meeting is not None:
        ids = attendees((yield from one_meeting(talk, wish.meeting)))
    if not ids:
        name = yield from detail(talk, "Whom should I call?", _some_name, None)
        ids = [(yield from contact_id(talk, name))]
    rows = yield from cards(talk, ids)
    if len(rows) > 1:
        picked = yield from one_of(talk, "Whom should I call", called(rows))
        rows = [rows[picked]]
    return str(value(rows[0], "get_contact_information", "phone_number"))


def mail(wish: Mail, talk: Dialogue) -> Steps[Prepared]:
    """Read out, agreed to, sent."""
    talk.offered.require(change(SEND, content_message="", email_addresses=[]))
    ids: list[str] = []
    for name in wish.names:
        ids.append((yield from contact_id(talk, name)))
    if wish.meeting is not None:
        ids = attendees((yield from one_meeting(talk, wish.meeting)))
        if wish.only_one and len(ids) > 1:
            people = yield from cards(talk, ids)
            picked = yield from one_of(talk, "To whom should it go", called(people))
            ids = ids[picked : picked + 1]
    for name in (yield from _always_told(talk)) if ids else ():
        ids.append((yield from contact_id(talk, name)))
    if not ids:
        name = yield from detail(talk, "To whom should I send the e-mail?", _some_name, None)
        ids = [(yield from contact_id(talk, name))]
    rows = yield from cards(talk, ids)
    text = wish.text or (yield from detail(talk, "What should the e-mail say?", _some_text, None))
    content = f"Hello {_greeted(rows)}, {text}."
    addresses = [str(value(row, "get_contact_information", "email")) for row in rows]
    yield from confirm(
        talk,
        f"I will send this e-mail to {enumerated(called(rows))}: {content} Shall I send it?",
        "Alright, I don't send the e-mail.",
    )
    return Prepared((change(SEND, content_message=content, email_addresses=addresses),))


def _always_told(talk: Dialogue) -> Steps[list[str]]:
    """Who gets a copy of each mail, as far as the driver's preferences say so."""
    liking = yield from liked(talk, "productivity_and_communication", ("email",))
    copied = [
        sentence
        for sentence in liking
        if re.search(r"\b(?:cc|copy|copied|include\w*)\b", sentence, re.I)
    ]
    return [name for sentence in copied for name in names(sentence) if " " in name]


def agenda(wish: Agenda, talk: Dialogue) -> Steps[Prepared]:
    """All that is still to come today, or one meeting with those who take part."""
    said = wish.said.lower()
    if is_another_day(wish.said):
        raise Declined("I can look into the calendar of today only.")
    entries = yield from meetings(talk)
    wanted = wish.meeting or Meeting(tuple(re.findall(r"\w{4,}", said)), wish.said)
    entry = meeting_of(talk, entries, wanted)
    if entry is not None:
        told = found(CALENDAR, {"meetings": [entry]}, talk.known)
        if any(word in said for word in ("who", "attend", "particip", "with")):
            rows = yield from cards(talk, attendees(entry))
            told = f"{told} Taking part: {enumerated(called(rows))}."
        return Prepared(told=(told,))
    now = talk.situation.now
    if now is not None and any(word in said for word in ("still", "left", "remaining", "rest")):
        entries = [entry for entry in entries if starts_at(entry) >= (now.hour, now.minute)]
        if not entries:
            return Prepared(told=("There is nothing left in your calendar today.",))
    return Prepared(told=(found(CALENDAR, {"meetings": entries}, talk.known),))


def details(wish: ContactDetails, talk: Dialogue) -> Steps[Prepared]:
    ids = [(yield from contact_id(talk, wish.name))]
    rows = yield from cards(talk, ids)
    told = found("get_contact_information", {str(row["id"]): row for row in rows}, talk.known)
    return Prepared(told=(told,))


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
