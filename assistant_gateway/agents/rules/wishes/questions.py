"""Questions about battery, charging and weather."""

import re

from assistant_gateway.agents.rules.language.asking import is_question
from assistant_gateway.agents.rules.language.names import place_names
from assistant_gateway.agents.rules.language.patterns import first
from assistant_gateway.agents.rules.wishes.asked import (
    Asked,
    Battery,
    ChargingTime,
    Reach,
    Weather,
)
from assistant_gateway.agents.rules.wishes.journey import Goal

_TARGET = re.compile(
    r"\b(?:to|until|till|up to|reach|reaches|hit) (?P<percent>\d+)\b(?: percent)?", re.I
)
_FULL = re.compile(r"\b(?:fully?|completely|hundred percent)\b", re.IGNORECASE)
_START = re.compile(
    r"\b(?:from|with|at|have|has|starting at|only|be at|is) (?:about |around |only |just |my |the |"
    r"current )*(?P<percent>\d+)(?: percent\b| (?=(?:up )?to \d))",
    re.IGNORECASE,
)
_LEFT = re.compile(
    r"\b(?:until|till|down to|with|before|leaves?|keep\w*) (?:\w+ ){0,5}?(?P<percent>\d+) percent",
    re.I,
)
_HOW_FAR = re.compile(r"\bhow far\b|\brange\b|\b(?:driving )?distance\b|\bhow many kilomet", re.I)
_EMPTY = re.compile(r"\bempty\b", re.IGNORECASE)
_ALL_OF_IT = re.compile(
    r"\b(?:capacity|power|specs?|specifications?|comprehensive|all|status)\b", re.I
)
_THERE = re.compile(r"\bthere\b", re.IGNORECASE)
_TIME = re.compile(
    r"\d|\b(?:today|tonight|tomorrow|now|noon|midnight|morning|afternoon|evening|weekend|arrive)\b",
    re.IGNORECASE,
)
_MINUTES = re.compile(r"\b(?:for|after|in|within) (?P<minutes>\d+) minutes\b", re.IGNORECASE)
_HOURS = re.compile(r"\b(?:for|after|in) (?P<hours>\d+|an) hours?\b", re.IGNORECASE)
_TAKES = re.compile(
    r"\bhow long\b|\b(?:time|duration)\b|\bhow many (?:minutes|hours)\b", re.IGNORECASE
)
_CHARGES = re.compile(r"\bcharg\w+|\bpercent\b|\bplug\b", re.IGNORECASE)
_REACHES = re.compile(
    r"\b(?:reach|make it|get to|get (?:us|me) to|arrive|enough|sufficient|last|without charging|"
    r"need to (?:re)?charge|have to (?:re)?charge|get (?:there|as far))\b",
    re.IGNORECASE,
)
_ASKS_SKY = re.compile(
    r"^(?:and |so )?(?:what|how|will|is|does|do|should|are|when|any)\b|\?$|"
    r"\b(?:check|tell|look up|know|weather (?:report|in|at|for)|forecast)\b",
    re.IGNORECASE,
)


def charging_questions(text: str, whole: str) -> list[Asked]:
    """What a run of pieces asks about battery and charging."""
    minutes = _minutes(text)
    if minutes is not None and _CHARGES.search(text) and not _TAKES.search(text):
        return [_charging(text, whole, minutes)]
    if _TAKES.search(text) and _CHARGES.search(text):
        return [_charging(text, whole, None)]
    if not (is_question(text) or text.endswith("?")):
        return []
    if _HOW_FAR.search(text):
        left = _LEFT.search(text)
        start = _START.search(text[: left.start()] if left else text)
        until = int(left["percent"]) if left else 0 if start or _EMPTY.search(text) else None
        if until is not None or not place_names(text):
            return [Battery(until, _percent_of(start))]
    if _REACHES.search(text):
        places = place_names(text)
        return [Reach(Goal(name=places[-1]) if places else None)]
    return [Battery(is_detailed=bool(_ALL_OF_IT.search(text)))]


def weather_questions(text: str, whole: str) -> list[Asked]:
    """A question about the weather; a remark about it is none."""
    if not _ASKS_SKY.search(text):
        return []
    places = place_names(text) or (place_names(whole)[-1:] if _THERE.search(text) else [])
    said = text if _TIME.search(text) else f"{text} {whole}"
    return [Weather(places[0] if places else None, said)]


def _percent_of(found: re.Match[str] | None) -> int | None:
    return int(found["percent"]) if found else None


def _charging(text: str, whole: str, minutes: int | None) -> ChargingTime:
    target = _TARGET.search(text)
    start = _START.search(text) or _START.search(whole)
    towards = int(target["percent"]) if target else 100 if _FULL.search(text) else None
    return ChargingTime(
        station=_station(whole),
        start_percent=int(start["percent"]) if start else None,
        target_percent=towards if minutes is None else None,
        minutes=minutes,
        wants_free=first("trip", "filters", whole) is not None
        or bool(re.search(r"\b(?:free|available)\b", whole, re.IGNORECASE)),
        wants_dc=bool(re.search(r"\bDC\b", whole)),
    )


def _station(whole: str) -> Goal | None:
    named = place_names(whole)
    towns = [name for name in named if re.search(rf"\b(?:in|to) {re.escape(name)}", whole)]
    own = [name for name in named if name not in towns]
    if not named:
        return None
    kind = "charging_stations"
    return Goal(own[0] if own else None, kind, where=towns[0] if towns else None)


def _minutes(text: str) -> int | None:
    found, hours = _MINUTES.search(text), _HOURS.search(text)
    if found:
        return int(found["minutes"])
    if hours:
        return 60 * (1 if hours["hours"].lower() == "an" else int(hours["hours"]))
    return None
