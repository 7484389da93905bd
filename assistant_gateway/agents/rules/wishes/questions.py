"""Questions about battery, charging and weather; conditions of a wish."""

import re
from dataclasses import dataclass

from assistant_gateway.agents.rules.language.details import place_names
from assistant_gateway.agents.rules.language.patterns import Patterns, first
from assistant_gateway.agents.rules.language.plain import is_question
from assistant_gateway.agents.rules.wishes.trip import Goal
from assistant_gateway.agents.rules.wishes.wish import Wish

_SAYS = Patterns(__file__)

WET = ("rain", "snow", "hail", "thunder", "drizzle", "storm")


@dataclass(frozen=True, slots=True)
class Battery(Wish):
    """How full it is and how far it lasts; `until_percent` is what shall be left."""

    until_percent: int | None = None
    from_percent: int | None = None
    is_detailed: bool = False


@dataclass(frozen=True, slots=True)
class Reach(Wish):
    """Whether the battery gets the car somewhere; the destination of the trip if not named."""

    goal: Goal | None


@dataclass(frozen=True, slots=True)
class ChargingTime(Wish):
    """How long charging takes, or with `minutes` how far it gets."""

    station: Goal | None
    start_percent: int | None
    target_percent: int | None
    minutes: int | None = None
    wants_free: bool = False
    wants_dc: bool = False


@dataclass(frozen=True, slots=True)
class Weather(Wish):
    """The weather at a town; None is here. `said` holds the time."""

    where: str | None
    said: str


@dataclass(frozen=True, slots=True)
class WhereAndWhen(Wish):
    """Where the car is, or what time it is."""


@dataclass(frozen=True, slots=True)
class EnoughCharge:
    """The battery gets the car there with so many percent left."""

    where: Reach
    percent: float


@dataclass(frozen=True, slots=True)
class Sky:
    """It rains, or does not; `words` are those a forecast would say it with."""

    weather: Weather
    is_wet: bool
    words: tuple[str, ...] = WET


@dataclass(frozen=True, slots=True)
class Degrees:
    """It is warmer outside than so many degrees, or colder."""

    weather: Weather
    degrees: float
    is_above: bool


Condition = EnoughCharge | Sky | Degrees


@dataclass(frozen=True, slots=True)
class OnlyIf(Wish):
    """A wish that holds under a condition."""

    condition: Condition
    wish: Wish


def charging_questions(text: str, whole: str) -> list[Wish]:
    """What a run of pieces asks about battery and charging."""
    minutes = _minutes(text)
    if minutes is not None and _SAYS["charges"].search(text) and not _SAYS["takes"].search(text):
        return [_charging(text, whole, minutes)]
    if _SAYS["takes"].search(text) and _SAYS["charges"].search(text):
        return [_charging(text, whole, None)]
    if not (is_question(text) or text.endswith("?")):
        return []
    if _SAYS["how_far"].search(text):
        left = _SAYS["left"].search(text)
        start = _SAYS["start"].search(text[: left.start()] if left else text)
        until = (
            int(left["percent"]) if left else 0 if start or _SAYS["empty"].search(text) else None
        )
        if until is not None or not place_names(text):
            return [Battery(until, _percent_of(start))]
    if _SAYS["reaches"].search(text):
        places = place_names(text)
        return [Reach(Goal(name=places[-1]) if places else None)]
    return [Battery(is_detailed=bool(_SAYS["all_of_it"].search(text)))]


def weather_questions(text: str, whole: str) -> list[Wish]:
    """A question about the weather; a remark about it is none."""
    if not _SAYS["asks_sky"].search(text):
        return []
    places = place_names(text) or (place_names(whole)[-1:] if _SAYS["there"].search(text) else [])
    said = text if _SAYS["time"].search(text) else f"{text} {whole}"
    return [Weather(places[0] if places else None, said)]


def _percent_of(found: re.Match[str] | None) -> int | None:
    return int(found["percent"]) if found else None


def _charging(text: str, whole: str, minutes: int | None) -> ChargingTime:
    target = _SAYS["target"].search(text)
    start = _SAYS["start"].search(text) or _SAYS["start"].search(whole)
    towards = int(target["percent"]) if target else 100 if _SAYS["full"].search(text) else None
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
    found, hours = _SAYS["minutes"].search(text), _SAYS["hours"].search(text)
    if found:
        return int(found["minutes"])
    if hours:
        return 60 * (1 if hours["hours"].lower() == "an" else int(hours["hours"]))
    return None


def split_condition(sentence: str) -> tuple[Condition | None, str]:
    """The condition of a sentence, if it is one that can be checked, and the wish."""
    for pattern in (_SAYS["leading"], _SAYS["trailing"]):
        found = pattern.search(sentence)
        if found:
            is_unless = "unless" in sentence[: found.start("condition")].lower()
            text = ("not " if is_unless else "") + found["condition"]
            condition = _condition(text)
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
