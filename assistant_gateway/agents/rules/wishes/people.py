"""Wishes about calls, mails, contacts and the calendar."""

import re

from assistant_gateway.agents.rules.language.asking import is_question
from assistant_gateway.agents.rules.language.names import names
from assistant_gateway.agents.rules.wishes.contact import (
    Agenda,
    Call,
    Contact,
    Details,
    Mail,
    Meeting,
)

_MAIL = re.compile(
    r"\b(?i:e-?mail|mail|message|(?:write|inform|notify|text|let)\b(?! me))\b|"
    r"\b[Tt]ell (?!me\b|us\b)(?:[A-Z]\w+|everyone|everybody|them|him|her|all)",
)
_CALL = re.compile(
    r"\b(?:call|phone|ring|dial)\b(?!ed)|\bon the (?:line|phone)\b|"
    r"\b(?:put me through|speak|talk) to\b",
    re.IGNORECASE,
)
_DETAILS = re.compile(
    r"\b(?:phone )?number of\b|"
    r"\b(?:phone number|e-?mail address|contact (?:details|information))\b",
    re.IGNORECASE,
)
_AGENDA = re.compile(
    r"\b(?:calendar|meetings?|appointments?|schedule|agenda)\b|"
    r"\b(?:have i got|i've got|do i have|have i)\b.*"
    r"\b(?:today|this (?:morning|afternoon|evening))\b",
    re.IGNORECASE,
)
_MY_CALENDAR = re.compile(r"\b(?:show|read|open|list|go through)\b", re.IGNORECASE)
_TEXT = re.compile(
    r"(?:\b(?:saying|to say|that says|to (?:tell|inform) (?:him|her|them|everyone|[A-Z]\w+)|"
    r"with the (?:message|text|content)|telling (?:him|her|them|everyone|[A-Z]\w+)|"
    r"to let (?:him|her|them|everyone|[A-Z]\w+) know|know|informing (?:him|her|them|[A-Z]\w+))\b"
    r"(?:\s*:?\s*that\b)?|\bthat\b|:)\s*[\"']?(?P<text>.+?)[\"']?$"
)
_MEETING = re.compile(
    r"\b(?:my|the|our|today's|this)\s+(?P<topic>(?:[\w':-]+\s+){0,5}?)(?:meeting|appointment)s?\b"
    r"(?P<rest>.*)$",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:about|on|regarding|called|for)\s+(?:the |our |my )?(?P<topic>.+)$", re.I)
_TO = re.compile(
    r"(?i:\b(?:to|inform|notify|tell|text|message|write|let|with|for|contact|send)|mail)\s+"
    r"(?:(?:my|our|the|an?|e-?mail|to|\w+ contact|colleague|friend|boss|wife|husband|"
    r"secretary)\s+)*"
    r"(?P<who>[A-ZÄÖÜ][\w'-]+(?: [A-ZÄÖÜ][\w'-]+)*"
    r"(?:(?:,| and|, and) [A-ZÄÖÜ][\w'-]+(?: [A-ZÄÖÜ][\w'-]+)*)*)"
)
_ONE_OF = re.compile(r"\b(?:one|1) of (?:the|my|our)\b", re.IGNORECASE)
_SMALL = re.compile(
    r"\b(?:call|phone|ring|dial) (?:up )?"
    r"(?!(?:the|a|an|my|our|her|him|them|it|me|us|up|that|this|one|for|please|back|somebody)\b)"
    r"(?P<name>[a-zäöü]{3,}(?: (?!please|now|for|and|on|at|again|back)[a-zäöü]{3,})?)"
)
_EVERYBODY = re.compile(
    r"\b(?:everyone|everybody|all|attendees?|participants?|people|colleagues|guests|those)\b", re.I
)
_NO_TOPIC = re.compile(
    r"\b(?:my|the|our|next|first|last|second|today'?s?|this|upcoming|following|current|1|meeting|of|"
    r"in|at|for|to|and|with|that|attendees|all)\b",
    re.IGNORECASE,
)


def contacts(text: str) -> list[Contact]:
    """What a sentence wants of other people; the text of a mail is not read for wishes."""
    if _DETAILS.search(text) and names(text) and not re.search(r"\b(?:send|write)\b", text, re.I):
        return [Details(names(text)[0])]
    if _MAIL.search(text):
        return [_mail(text)]
    if _CALL.search(text):
        called = names(text) or _in_small_letters(text)
        return [Call(called[0] if called else None, meeting(text), text)]
    if _AGENDA.search(text) and (is_question(text) or _MY_CALENDAR.search(text)):
        return [Agenda(meeting(text), text)]
    return []


def _in_small_letters(text: str) -> list[str]:
    """Whom to call where nobody writes capitals."""
    found = _SMALL.search(text)
    return [found["name"].title()] if found else []


def meeting(text: str) -> Meeting | None:
    """Which meeting is spoken of, if one is."""
    found = _MEETING.search(text)
    if found is None:
        return None
    about = _ABOUT.search(found["rest"])
    told = f"{found['topic']} {about['topic'] if about else ''}"
    words = re.findall(r"[\w'-]+", _NO_TOPIC.sub(" ", told).lower())
    return Meeting(tuple(words), found.group())


def _receivers(text: str) -> tuple[str, ...]:
    """The names a mail is for: those behind `to` or the verb, and what is joined to them."""
    found = _TO.search(text)
    told = names(found["who"]) if found else []
    return tuple(dict.fromkeys(told))


def _mail(text: str) -> Mail:
    content = _TEXT.search(text)
    addressed = text[: content.start()] if content else text
    group = (meeting(addressed) or Meeting()) if _EVERYBODY.search(addressed) else None
    receivers = () if group else _receivers(addressed)
    text_of = content["text"].strip(" .?!") if content else None
    return Mail(receivers, group, text_of, only_one=bool(_ONE_OF.search(addressed)))
