"""Whether a text tells a value: an amount, a name, a number to call, what the sky is like. Pure."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from assistant_gateway.wording.numerals import in_figures
from assistant_gateway.wording.quantities import Quantity, Unit, is_told, quantities
from vehicle_bus.data_folder import quick_yaml
from vehicle_bus.world.places import HOURS
from vehicle_bus.world.world import edit_distance

SLIP = 1  # letters that a long word of a name may be off by
LONG = 6


@runtime_checkable
class Value(Protocol):
    """Something that can be told; `str` shows it."""

    def is_told(self, text: str) -> bool:
        """Whether a text tells it, in whatever form."""
        ...

    def is_of_kind_in(self, text: str) -> bool:
        """Whether a text tells any value of this kind."""
        ...


@dataclass(frozen=True)
class Amount:
    """A quantity, such as a temperature, a duration or a time on the clock."""

    quantity: Quantity

    def __str__(self) -> str:
        unit, amount = self.quantity.unit, self.quantity.amount
        hours, minutes = divmod(round(amount), 60)
        if unit == "clock":
            return f"{hours:02d}:{minutes:02d}"
        if unit == "duration":
            return f"{hours} h {minutes} min" if hours else f"{minutes} min"
        return f"{amount:g}{_SHOWN_UNITS[unit]}"

    def is_told(self, text: str) -> bool:
        return is_told(self.quantity, text)

    def is_of_kind_in(self, text: str) -> bool:
        return any(each.unit == self.quantity.unit for each in quantities(text))


_SHOWN_UNITS: Mapping[Unit, str] = {
    "temperature": " °C",
    "percent": " %",
    "distance": " km",
    "power": " kW",
    "number": "",
}


@dataclass(frozen=True)
class Name:
    """A place, a person, a topic: half of the words that tell it apart are enough."""

    name: str

    def __str__(self) -> str:
        return self.name

    def is_told(self, text: str) -> bool:
        said = _words(text)
        own = [word for word in _words(self.name) if word not in _table()["common_in_names"]]
        own = own or _words(self.name)
        return 2 * sum(_is_among(word, said) for word in own) >= len(own)

    def is_of_kind_in(self, text: str) -> bool:
        return False


@dataclass(frozen=True)
class Topic(Name):
    """What an appointment is about, which is told with its time."""

    def is_of_kind_in(self, text: str) -> bool:
        return any(each.unit == "clock" for each in quantities(text))


@dataclass(frozen=True)
class Roads:
    """The names of the roads that a route follows, such as `A1, D14`; each has to be told."""

    names: str

    def __str__(self) -> str:
        return f"via {self.names}"

    def is_told(self, text: str) -> bool:
        return all(_find(_road(road), text) for road in self.names.split(","))

    def is_of_kind_in(self, text: str) -> bool:
        return re.search(r"\b[A-Z]{1,3}[- ]?\d{1,3}\b", text) is not None


@dataclass(frozen=True)
class PhoneNumber:
    """Digits, in whatever groups, with or without the country code."""

    number: str

    def __str__(self) -> str:
        return self.number

    def is_told(self, text: str) -> bool:
        digits = re.sub(r"\D", "", self.number.partition(" ")[2] or self.number)
        return digits in re.sub(r"[\s().,/+-]", "", in_figures(text, lone_one=True))

    def is_of_kind_in(self, text: str) -> bool:
        return re.search(r"\d(?:[\s().,/+-]*\d){5}", in_figures(text, lone_one=True)) is not None


@dataclass(frozen=True)
class Address:
    """An e-mail address, as written or with `at` and `dot`."""

    address: str

    def __str__(self) -> str:
        return self.address

    def is_told(self, text: str) -> bool:
        said = re.sub(r"\s+dot\s+", ".", re.sub(r"\s+at\s+", "@", in_figures(text, lone_one=True)))
        return _closed_up(self.address) in _closed_up(said)

    def is_of_kind_in(self, text: str) -> bool:
        return "@" in text


@dataclass(frozen=True)
class WeatherCondition:
    """What the weather is like; of a condition with several parts the last counts."""

    condition: str

    def __str__(self) -> str:
        return self.condition.replace("_", " ")

    def is_told(self, text: str) -> bool:
        part = self.condition.rpartition("_and_")[2]
        return affirms(text, _table()["sky"].get(part, part))

    def is_of_kind_in(self, text: str) -> bool:
        return any(affirms(text, words) for words in _table()["sky"].values())


@dataclass(frozen=True)
class Wording:
    """Words of which one is affirmed, or others that are denied; `shown` is how it is named."""

    affirmed: str
    shown: str
    denied: str = ""

    def __str__(self) -> str:
        return self.shown

    def is_told(self, text: str) -> bool:
        told = bool(self.affirmed) and affirms(text, self.affirmed)
        return told or (bool(self.denied) and denies(text, self.denied))

    def is_of_kind_in(self, text: str) -> bool:
        words = "|".join(filter(None, (self.affirmed, self.denied)))
        return _find(words, text) is not None


@dataclass(frozen=True)
class Truth:
    """Whether the `thing` that the words name is there; `unless` are words that deny it.

    A yes or a no where a sentence begins will do, if the text names the thing in no other way.
    """

    words: str
    unless: str
    thing: str
    is_there: bool

    def __str__(self) -> str:
        return self.thing if self.is_there else f"no {self.thing}"

    def is_told(self, text: str) -> bool:
        if self.is_of_kind_in(text):
            denied = _find(self.unless, text) is not None or denies(text, self.words)
            return denied is not self.is_there
        answer = _table()["agreed" if self.is_there else "disagreed"]
        begins = r"(?:^|[.!?]\s+|\band )"
        return any(re.search(f"{begins}{answer}", _plain(line)) for line in text.splitlines())

    def is_of_kind_in(self, text: str) -> bool:
        return _find(f"{self.words}|{self.unless}", text) is not None


@dataclass(frozen=True)
class Both:
    """Several values of which each has to be told."""

    values: tuple[Value, ...]

    def __str__(self) -> str:
        return " and ".join(str(value) for value in self.values)

    def is_told(self, text: str) -> bool:
        return all(value.is_told(text) for value in self.values)

    def is_of_kind_in(self, text: str) -> bool:
        return any(value.is_of_kind_in(text) for value in self.values)


def skies(text: str) -> list[str]:
    """The parts of conditions, such as `rain`, that a text says in words for the weather alone."""
    return [part for part, words in _table()["only_sky"].items() if affirms(text, words)]


def affirms(text: str, pattern: str) -> bool:
    """Whether the words stand in the text and are not denied there."""
    return any(not denied for denied in _denials(text, pattern))


def denies(text: str, pattern: str) -> bool:
    """Whether the words stand in the text only to be denied: `no tolls`, `toll-free`."""
    found = list(_denials(text, pattern))
    return bool(found) and all(found)


def value_of(field: str, raw: Any) -> Value | None:
    """What a field of a result means; None for what cannot be said, such as a list."""
    match raw:
        case bool():
            return _truth(field, raw)
        case int() | float():
            return Amount(Quantity(_unit(field), float(raw)))
        case str():
            return _meaning(field, raw)
        case {"hour": hour, "minute": minute}:
            return Amount(Quantity("clock", 60 * int(hour) + int(minute)))
        case {"hour": hour, "minutes": minutes}:
            return Amount(Quantity("duration", 60 * int(hour) + int(minutes)))
        case {"duration_hours": hour, "duration_minutes": minutes}:
            return Amount(Quantity("duration", 60 * int(hour) + int(minutes)))
        case {"first_name": first, "last_name": last}:
            return Name(f"{first} {last}")
        case {"year": int(), "month": int(), "day": int()}:
            return _day(date(raw["year"], raw["month"], raw["day"]))
    return None


def _meaning(field: str, raw: str) -> Value:
    if field == "condition":
        return WeatherCondition(raw)
    if field == "topic":
        return Topic(raw)
    if field == "name_via":
        return Roads(raw)
    if "@" in raw:
        return Address(raw)
    if re.fullmatch(r"\+?[\d\s()/-]{6,}", raw):
        return PhoneNumber(raw)
    if hours := HOURS.fullmatch(raw):
        opens, closes = f"{hours[1]}:{hours[2]}", f"{hours[3]}:{hours[4]}"
        return Both((_meaning("opens", opens), _meaning("closes", closes)))
    if amount := amount_in(raw):
        return amount
    if re.fullmatch(r"[A-Z]+(?:_[A-Z]+)*", raw) and raw != raw.lower():
        return Both(tuple(_choice(part) for part in raw.split("_")))
    return Name(raw)


def amount_in(text: str) -> Amount | None:
    """The amount that a text names in figures, such as `12 min` or `18:30`; None if it is none."""
    if not re.match(r"-?\d", text):
        return None
    found = [each for each in quantities(text) if each.unit != "number"]
    return Amount(Quantity(found[0].unit, found[0].amount)) if len(found) == 1 else None


def _unit(field: str) -> Unit:
    return next((unit for ending, unit in _UNITS if re.search(ending, field)), "number")


_UNITS: tuple[tuple[str, Unit], ...] = (
    (r"temperature", "temperature"),
    (r"percent|state_of_charge|_position$|_soc$", "percent"),
    (r"_km$|distance|detour$", "distance"),
    (r"minutes$", "duration"),
    (r"_kw$|charging_power", "power"),
)


def _truth(field: str, raw: bool) -> Value:
    if word := _table()["truths"].get(field):
        unless = "|".join(_table()["untruths"][field])
        return Truth(word, unless, field.removeprefix("includes_"), raw)
    on, off = _table()["switched_on"], _table()["switched_off"]
    return Wording(on, "on") if raw else Wording(off, "off", denied=on)


def is_truth(field: str) -> bool:
    """Whether a field is true or false and has words of its own for that."""
    return field in _table()["truths"]


def _choice(part: str) -> Value:
    return Wording(_table()["choices"].get(part, part.lower()), part.lower())


def _day(day: date) -> Value:
    month, number = day.strftime("%B").lower(), day.day
    months = f"{month[:3]}(?:{month[3:]})?\\.?" if len(month) > 3 else month
    numbers = f"0?{number}(?:st|nd|rd|th|\\.)?"
    ways = (
        f"{months},? (?:the )?{numbers}",
        f"{numbers} (?:of )?{months}",
        f"{day:%A}".lower(),
        f"{day:%Y-%m-%d}",
    )
    return Wording("|".join(ways), f"{number} {day:%B}")


def _road(name: str) -> str:
    """`A1` as `a1`, `A 1` or `A-1`."""
    parts = re.findall(r"[^\W\d_]+|\d+", _folded(name.lower()))
    return r"[\s-]*".join(parts)


def _denials(text: str, pattern: str) -> list[bool]:
    """For each place where the words stand, whether they are denied there."""
    table, plain = _table(), _plain(text)
    found = []
    for match in re.finditer(rf"\b(?:{pattern})(?!\w)", plain, re.IGNORECASE):
        clause = re.split(table["clause_end"], plain[: match.start()])[-1]
        before = re.search(rf"(?:^|\W)(?:{table['denied_before']})(?:\W+\w+){{0,2}}\W*$", clause)
        behind = re.match(rf"(?:{table['denied_behind']})\b", plain[match.end() :])
        found.append(bool(before or behind))
    return found


def choice_words() -> Mapping[str, str]:
    """Parts of choices in capitals, and a pattern of the words for each."""
    words: Mapping[str, str] = _table()["choices"]
    return words


def _find(pattern: str, text: str) -> re.Match[str] | None:
    return re.search(rf"\b(?:{pattern})(?!\w)", _plain(text), re.IGNORECASE)


def _plain(text: str) -> str:
    """In lower case, without accents and with numbers in figures."""
    return _folded(in_figures(text, lone_one=True))


def _folded(text: str) -> str:
    """Without accents; letters of their own become the nearest plain ones."""
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "đ": "d"})


def _words(text: str) -> list[str]:
    plain = _plain(text)
    return [re.sub(r"'s?$", "", word) for word in re.findall(r"[^\W_]+(?:'[^\W_]+)*", plain)]


def _closed_up(text: str) -> str:
    return re.sub(r"[\s-]", "", _plain(text))


def _is_among(word: str, said: list[str]) -> bool:
    if word in said:
        return True
    # ä may be written ae, and the ear may be a letter off.
    plain = [each.replace("ae", "a").replace("oe", "o").replace("ue", "u") for each in said]
    if len(word) < LONG:
        return word in plain
    return any(edit_distance(word, other, SLIP) <= SLIP for other in (*said, *plain))


@cache
def _table() -> Mapping[str, Any]:
    table: dict[str, Any] = quick_yaml(Path(__file__).with_suffix(".yaml"))
    return table | {"common_in_names": frozenset(table["common_in_names"].split())}
