"""Wishes about calls, mails, contacts and the calendar."""

import re
from dataclasses import dataclass

from assistant_gateway.agents.rules.language.details import names
from assistant_gateway.agents.rules.language.patterns import Patterns
from assistant_gateway.agents.rules.language.plain import is_question
from assistant_gateway.agents.rules.wishes.wish import Wish

_SAYS = Patterns(__file__)


@dataclass(frozen=True, slots=True)
class Meeting:
    """One of today's meetings: by words of its topic, by its time, or the next one."""

    words: tuple[str, ...] = ()
    said: str = ""


@dataclass(frozen=True, slots=True)
class PhoneCall(Wish):
    """A phone call to a person, or to a place that was found before.

    `relation` is what the person is to the driver, such as `wife`.
    """

    name: str | None = None
    said: str = ""
    relation: str = ""


@dataclass(frozen=True, slots=True)
class Mail(Wish):
    """An e-mail; `text` None has to be asked for."""

    names: tuple[str, ...]
    meeting: Meeting | None
    text: str | None


@dataclass(frozen=True, slots=True)
class Agenda(Wish):
    """What is in the calendar today."""

    meeting: Meeting | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class ContactDetails(Wish):
    """The number or the address of somebody."""

    name: str


def contacts(text: str) -> list[Wish]:
    """What a sentence wants of other people; the text of a mail is not read for wishes."""
    if (
        _SAYS["details"].search(text)
        and names(text)
        and not re.search(r"\b(?:send|write)\b", text, re.I)
    ):
        return [ContactDetails(names(text)[0])]
    if _SAYS["mail"].search(text):
        return [_mail(text)]
    if _SAYS["call"].search(text):
        called = names(text) or [found["name"].title() for found in _SAYS["small"].finditer(text)]
        whose = _SAYS["relation"].search(text)
        relation = whose["relation"].lower() if whose and not called else ""
        return [PhoneCall(called[0] if called else None, text, relation)]
    if _SAYS["agenda"].search(text) and (is_question(text) or _SAYS["my_calendar"].search(text)):
        return [Agenda(meeting(text), text)]
    return []


def meeting(text: str) -> Meeting | None:
    """Which meeting is spoken of, if one is."""
    found = _SAYS["meeting"].search(text)
    if found is None:
        return None
    about = _SAYS["about"].search(found["rest"])
    topic = f"{found['topic']} {about['topic'] if about else ''}"
    words = re.findall(r"[\w'-]+", _SAYS["no_topic"].sub(" ", topic).lower())
    return Meeting(tuple(words), found.group())


def _receivers(text: str) -> tuple[str, ...]:
    """The names a mail is for: those behind `to` or the verb, and what is joined to them."""
    found = _SAYS["to"].search(text)
    return tuple(dict.fromkeys(names(found["who"]) if found else ()))


def _mail(text: str) -> Mail:
    content = _SAYS["text"].search(text)
    addressed = text[: content.start()] if content else text
    group = (meeting(addressed) or Meeting()) if _SAYS["everybody"].search(addressed) else None
    receivers = () if group else _receivers(addressed)
    text_of = content["text"].strip(" .?!") if content else None
    return Mail(receivers, group, text_of)
