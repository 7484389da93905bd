"""Places and routes as they are spoken of in a piece of a sentence."""

import re

from assistant_gateway.agents.rules.language.names import place_names, roads
from assistant_gateway.agents.rules.language.patterns import Patterns, first, table
from assistant_gateway.agents.rules.wishes.wish import Choice, Goal

_SAYS = Patterns(__file__)

_A_MEETING = r"\b{} (?:meeting|appointment)"


def choice(text: str) -> Choice:
    """Which route is wanted, if that is said."""
    rest = _SAYS["avoided"].sub(" ", text)
    return Choice(best=first("trip", "choices", rest), roads=roads(rest))


def goals(text: str) -> list[Goal]:
    """The places of a text in the order they are said; a kind of place comes with its town."""
    named = [name for name in place_names(text) if not re.search(_A_MEETING.format(name), text)]
    text = _SAYS["a_meal"].sub("stop", text)
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
        is_along=bool(_SAYS["along"].search(text)) or at_km(text) is not None,
    )
    return [goal]


def filters(text: str, kind: str) -> tuple[str, ...]:
    """What must hold for a place."""
    rest = _SAYS["how_late"].sub(" ", text)
    found = [name for name, pattern in table("trip", "filters") if pattern.search(rest)]
    return tuple(name for name in found if name.startswith(("any", kind)))


def at_km(text: str) -> int | None:
    found = _SAYS["at_km"].search(text)
    if found is None:
        return None
    return int(found["after"] or found["before"] or found["within"])


def _on_the_trip(text: str) -> str | None:
    """A place that is spoken of by what it is in the trip."""
    return first("trip", "trip_places", text)


def _is_town(name: str, text: str) -> bool:
    beside = _SAYS["beside_kind"].search(text)
    if beside and name in beside["name"]:
        return True
    return any(
        _SAYS["where"].search(text[: at.start()]) for at in re.finditer(re.escape(name), text)
    )
