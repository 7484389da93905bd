"""Conditions a driver puts before a wish."""

import re

from assistant_gateway.agents.rules.language.names import place_names
from assistant_gateway.agents.rules.language.patterns import Patterns, first
from assistant_gateway.agents.rules.wishes.wish import (
    Condition,
    Degrees,
    EnoughCharge,
    Goal,
    Reach,
    Sky,
    Weather,
)

_SAYS = Patterns(__file__)


def split_condition(sentence: str) -> tuple[Condition | None, str]:
    """The condition of a sentence, if it is one that can be checked, and the wish."""
    for pattern in (_SAYS["leading"], _SAYS["trailing"]):
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
    percent = _SAYS["percent"].search(text)
    share = percent["percent"] if percent else first("cabin", "amounts", text)
    if share and re.search(r"\b(?:left|battery|charge|arrive|get|reach)\b", text, re.IGNORECASE):
        return EnoughCharge(Reach(Goal(name=places[-1]) if places else None), float(share))
    degrees = _SAYS["degrees"].search(text)
    if degrees:
        above = bool(_SAYS["above"].search(text)) != bool(_SAYS["not"].search(text))
        return Degrees(Weather(places[0] if places else None, text), float(degrees[1]), above)
    sky = first("trip", "conditions", text)
    if sky is not None:
        if sky == "fog":
            return Sky(Weather(None, text), not _SAYS["not"].search(text), words=("fog",))
        wet = (sky == "rain") != bool(_SAYS["not"].search(text))
        return Sky(Weather(places[0] if places else None, text), wet)
    return None
