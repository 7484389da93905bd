"""Places and routes as they are spoken of in a piece of a sentence."""

import re

from assistant_gateway.agents.rules.language.names import place_names, roads
from assistant_gateway.agents.rules.language.patterns import first, table
from assistant_gateway.agents.rules.wishes.journey import Choice, Goal

_AT_KM = re.compile(
    r"\bkilomet(?:re|er)s? (?P<after>\d+)\b|"
    r"\b(?P<before>\d+) kilometres (?:in\b|into|along|ahead|down|from here|further|on\b|mark)|"
    r"\b(?:in|after|at|around|about) (?:about |around |roughly |the )?(?P<within>\d+) kilometres",
    re.IGNORECASE,
)
_ALONG = re.compile(
    r"\b(?:along|on|of|into|from) (?:the|our|my)(?: current)? (?:way|route|trip|drive)\b|"
    r"\ben route\b|\bahead\b",
    re.IGNORECASE,
)
_AVOIDED = re.compile(
    r"\b(?:not|no longer|instead of|rather than) (?:on |the |via )*(?:fastest|quickest|shortest)\b|"
    r"\btolls? (?:are|is|or) \w+(?: \w+)?|\bdon't mind (?:the )?tolls?\b|\beven with tolls?\b",
    re.IGNORECASE,
)
_BESIDE_KIND = re.compile(r"(?P<name>(?:[A-ZÄÖÜ][\w'-]+ ?)+) (?:airport|train station|car park)\b")
_HOW_LATE = re.compile(r"\b(?:how (?:late|long)|until when|when|what time)\b.*$", re.IGNORECASE)
_A_MEAL = re.compile(
    r"\bhave (?:a )?(?:\w+ )?(?:lunch|dinner|breakfast|coffee|break|rest)(?= (?:in|at)\b)",
    re.IGNORECASE,
)
_A_MEETING = r"\b{} (?:meeting|appointment)"
_WHERE = re.compile(r"\b(?:in|at|near|around|of|within|inside)\s+$", re.IGNORECASE)


def choice(text: str) -> Choice:
    """Which route is wanted, if that is said."""
    told = _AVOIDED.sub(" ", text)
    return Choice(best=first("trip", "choices", told), roads=roads(told))


def goals(text: str) -> list[Goal]:
    """The places of a text in the order they are said; a kind of place comes with its town."""
    named = [name for name in place_names(text) if not re.search(_A_MEETING.format(name), text)]
    text = _A_MEAL.sub("stop", text)
    kind = first("trip", "kinds", text)
    if kind is None:
        return [Goal(name=name) for name in named]
    towns = [name for name in named if _is_town(name, text)]
    own = [name for name in named if name not in towns]
    goal = Goal(
        name=own[0] if own else None,
        kind=kind,
        where=towns[0] if towns else _on_the_trip(text),
        filters=filters(text, kind),
        pick=first("trip", "pick", text),
        at_km=at_km(text),
        is_along=bool(_ALONG.search(text)) or at_km(text) is not None,
    )
    return [goal]


def filters(text: str, kind: str) -> tuple[str, ...]:
    """What must hold for a place."""
    told = _HOW_LATE.sub(" ", text)
    found = [name for name, pattern in table("trip", "filters") if pattern.search(told)]
    return tuple(name for name in found if name.startswith(("any", kind)))


def at_km(text: str) -> int | None:
    found = _AT_KM.search(text)
    if found is None:
        return None
    return int(found["after"] or found["before"] or found["within"])


def _on_the_trip(text: str) -> str | None:
    """A place that is spoken of by what it is in the trip."""
    return first("trip", "trip_places", text)


def _is_town(name: str, text: str) -> bool:
    beside = _BESIDE_KIND.search(text)
    if beside and name in beside["name"]:
        return True
    return any(_WHERE.search(text[: at.start()]) for at in re.finditer(re.escape(name), text))
