"""Conditions a driver puts before a wish."""

import re

from assistant_gateway.agents.rules.language.names import place_names
from assistant_gateway.agents.rules.language.patterns import first
from assistant_gateway.agents.rules.wishes.any_wish import Condition, Degrees, EnoughCharge, Sky
from assistant_gateway.agents.rules.wishes.asked import Reach, Weather
from assistant_gateway.agents.rules.wishes.journey import Goal

_LEADING = re.compile(
    r"^(?:and |but |so )?(?:only )?(?:if|in case|should|provided(?: that)?|assuming)\b"
    r"(?P<condition>[^,]*),\s*(?:then )?(?P<rest>.*)$",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"^(?P<rest>.*?),?\s+(?:but )?(?:only )?(?:if|provided(?: that)?|as long as|unless)\b"
    r"(?P<condition>.*)$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|n't|no|unless|without)\b|n't\b", re.IGNORECASE)
_DEGREES = re.compile(r"\b(-?\d+(?:\.\d+)?) degrees\b", re.IGNORECASE)
_ABOVE = re.compile(
    r"\b(?:above|over|more than|warmer|hotter|higher|at least|exceeds?)\b", re.IGNORECASE
)
_PERCENT = re.compile(r"\b(?P<percent>\d+) percent\b")


def split_condition(sentence: str) -> tuple[Condition | None, str]:
    """The condition of a sentence, if it is one that can be checked, and the wish."""
    for pattern in (_LEADING, _TRAILING):
        found = pattern.search(sentence)
        if found:
            is_unless = "unless" in sentence[: found.start("condition")].lower()
            told = ("not " if is_unless else "") + found["condition"]
            condition = _condition(told)
            if condition is not None:
                return condition, found["rest"]
    return None, sentence


def _condition(text: str) -> Condition | None:
    places = place_names(text)
    percent = _PERCENT.search(text)
    share = percent["percent"] if percent else first("cabin", "amounts", text)
    if share and re.search(r"\b(?:left|battery|charge|arrive|get|reach)\b", text, re.IGNORECASE):
        return EnoughCharge(Reach(Goal(name=places[-1]) if places else None), float(share))
    degrees = _DEGREES.search(text)
    if degrees:
        above = bool(_ABOVE.search(text)) != bool(_NOT.search(text))
        return Degrees(Weather(places[0] if places else None, text), float(degrees[1]), above)
    sky = first("trip", "conditions", text)
    if sky is not None:
        if sky == "fog":
            return Sky(Weather(None, text), not _NOT.search(text), words=("fog",))
        wet = (sky == "rain") != bool(_NOT.search(text))
        return Sky(Weather(places[0] if places else None, text), wet)
    return None
