"""Numbers and times of the day in a sentence, comparable across ways to say them. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assistant_gateway.wording import numerals

# What words mean that hold no number: shares in percent, counts, times of the day.
_MEANT = {
    "half": (50.0, 0.5), "halfway": (50.0,), "quarter": (25.0, 0.25), "quarters": (75.0, 0.75),
    "third": (33.0, 33.3), "thirds": (66.0, 67.0, 66.7), "fifth": (20.0,), "tenth": (10.0,),
    "eighth": (12.5,), "fully": (100.0,), "completely": (100.0,), "entirely": (100.0,),
    "full": (100.0,), "max": (100.0,), "maximum": (100.0,), "whole": (100.0,), "wide": (100.0,),
    "far": (100.0,), "way": (100.0,), "both": (2.0,), "pair": (2.0,), "couple": (2.0,),
    "twice": (2.0,), "all": (4.0, 100.0), "every": (4.0,), "each": (4.0, 2.0), "dozen": (12.0,),
    "noon": (12.0,), "midday": (12.0,), "midnight": (12.0,), "double": (2.0,), "hour": (60.0,),
}  # fmt: skip
_SHARES = re.compile(r"(\d) (third|quarter|fifth|tenth)s\b")
_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_HALVES_OF_HOURS = (
    (re.compile(r"\ban? hour and (?:a )?half\b|\b1\.5 hours?\b"), 90),
    (re.compile(r"\bhalf an hour\b|\bhalf hour\b"), 30),
    (re.compile(r"\b(?:a )?quarter (?:of )?an hour\b"), 15),
    (re.compile(r"\bthree quarters of an hour\b|\b3 quarters of an hour\b"), 45),
)
_HALF_OF_DAY = r"(?:\s*\b(?P<half>[ap])\.?\s?m\b\.?)?"
_HALF_OF_DAY_AFTER = _HALF_OF_DAY.replace("half>", "half2>")
_QUANTITY = re.compile(
    rf"\b(?P<h1>\d{{1,2}}):(?P<m1>\d\d)\b{_HALF_OF_DAY}"
    rf"|\b(?P<part>half|quarter|\d{{1,2}})(?: minutes?)? (?P<side>past|after|to|before|till)"
    r" (?P<h2>\d{1,2})\b(?!\s*(?:%|percent|degrees?|km|kilo))(?!:)"
    rf"{_HALF_OF_DAY_AFTER}"
    r"|\b(?P<noon>noon|midday|midnight)\b"
    rf"|(?<![\d.,])(?P<h3>\d{{1,2}}) (?P<m3>[0-5]\d)\b(?![.,]\d)"
    r"|(?<![\w.,])(?P<number>\d+(?:[.,]\d+)*)(?P<hours> hours?\b)?"
    r"(?:\s*(?:(?P<half4>[ap])\.?\s?m\b|(?P<clock>o'?clock)))?"
)  # fmt: skip
_COUNT = re.compile(
    r"(?:\b(?:all|the|us|you|we|of|other|both|last|next|these|those|my|our|not|than|of)|n't) $"
)
_UNIT = re.compile(r"^\s*(?:%|percent|degrees?|°|km|kilo|minutes?|hours?|o'?clock|[ap]\.?m|kw)")
_MOST_COUNTED = 5


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number or time: the numbers and the minutes of the day that it may mean.

    Of "six thirty" the `parts` are known as well if somebody has said both.
    """

    text: str
    values: frozenset[float] = frozenset()
    minutes: frozenset[int] = frozenset()
    parts: frozenset[float] = frozenset()


@dataclass(frozen=True, slots=True)
class Known:
    """What was said or told so far; `near` are the numbers that may be added and subtracted."""

    values: frozenset[float]
    minutes: frozenset[int]
    near: frozenset[float]

    def holds(self, said: Quantity) -> bool:
        if said.values & self.values or said.minutes & self.minutes:
            return True
        if said.parts and said.parts <= self.values:
            return True
        if any(not minute % 60 and minute // 60 % 12 in self._hours for minute in said.minutes):
            return True
        return bool(said.values & self._computed) or any(
            abs(here - there) in self.near for here in said.minutes for there in self.minutes
        )

    @property
    def _hours(self) -> set[float]:
        """Hours of half a day that were named without minutes."""
        return {n % 12 for n in self.values if n <= 24}

    @property
    def _computed(self) -> frozenset[float]:
        """Sums and differences of two of them, and a time of the day in its other half."""
        pairs = {
            round(found, 2)
            for one in self.near
            for other in self.near
            if one != other
            for found in (one + other, one - other)
        }
        hours = {n + 12 if n <= 12 else n - 12 for n in self.values if n <= 24}
        return frozenset(pairs | hours) - {0.0}


def known(told: str, heard: str = "", earlier: str = "") -> Known:
    """What a driver knows who was `told` this, and has just `heard` that, after what was said."""
    near = [*quantities(told), *quantities(heard)]
    one = {1.0} if re.search(r"\bone\b", f"{told} {heard}".lower()) else set()
    found = [*near, *quantities(earlier)]
    words = set(re.findall(r"[a-z]+", f"{told} {heard} {earlier}".lower()))
    meant = {value for word in words & _MEANT.keys() for value in _MEANT[word]}
    return Known(
        values=_values(found) | meant | one,
        minutes=frozenset(minute for each in found for minute in each.minutes),
        near=frozenset(value for each in near for value in each.values) | one,
    )


def quantities(text: str) -> Iterator[Quantity]:
    """Every number and time in a text but zero, "one", and small counts such as "all four"."""
    spoken = in_figures(text)
    for match in _QUANTITY.finditer(spoken):
        found = _read(match)
        if found is None or _is_count(match, spoken):
            continue
        yield found


def in_figures(text: str) -> str:
    """Figures for number words, without the endings of ordinals; minutes for parts of hours."""
    written = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", numerals.in_figures(text))
    for pattern, minutes in _HALVES_OF_HOURS:
        written = pattern.sub(f"{minutes} minutes", written)
    return _SHARES.sub(lambda found: f"{100 * int(found[1]) / _PARTS[found[2]]:.0f}", written)


def _read(match: re.Match[str]) -> Quantity | None:
    text = match[0].strip()
    if match["noon"]:
        return Quantity(text, frozenset({12.0}), frozenset({0 if "night" in text else 720}))
    if match["h1"]:
        return _time(text, int(match["h1"]), int(match["m1"]), match["half"])
    if match["h2"]:
        part = {"half": 30, "quarter": 15}.get(match["part"]) or int(match["part"])
        late = match["side"] in ("past", "after")
        parts = frozenset({float(part), float(match["h2"])})
        found = _time(text, int(match["h2"]), part if late else -part, match["half2"])
        return Quantity(text, found.values, found.minutes, parts)
    if match["h3"]:
        hour, minute = int(match["h3"]), int(match["m3"])
        parts = frozenset({float(hour), float(minute)})
        minutes = _time(text, hour, minute, None).minutes if hour <= 24 else frozenset()
        return Quantity(text, frozenset(), minutes, parts)
    return _number(text, match)


def _number(text: str, match: re.Match[str]) -> Quantity | None:
    written = match["number"]
    values = {float(re.sub(r"[.,](?=.*[.,])", "", written).replace(",", "."))}
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", written):
        values.add(float(re.sub(r"[.,]", "", written)))
    if match["hours"]:
        values |= {60 * value for value in values}
    values.discard(0.0)
    hour = min(values, default=99.0)
    half = match["half4"]
    minutes: frozenset[int] = frozenset()
    if (half and hour <= 12) or (match["clock"] and hour <= 24):
        minutes = _time(text, int(hour), 0, half).minutes
        return Quantity(text, frozenset() if half else frozenset(values), minutes, frozenset())
    if found := re.fullmatch(r"(\d{1,2})\.([0-5]\d)", written):
        minutes = _time(text, int(found[1]), int(found[2]), None).minutes
    return Quantity(text, frozenset(values), minutes) if values else None


def _time(text: str, hour: int, minute: int, half: str | None) -> Quantity:
    """A time of the day; in both halves of the day if it may be either."""
    first = (hour % 24) * 60 + minute
    if half and hour <= 12:
        minutes = {(hour % 12) * 60 + minute + (720 if half == "p" else 0)}
    else:
        minutes = {first, first + 720} if hour <= 12 else {first}
    return Quantity(text, frozenset(), frozenset(each % 1440 for each in minutes))


def _values(found: Iterable[Quantity]) -> frozenset[float]:
    """All numbers, and of times the hours, in both halves of the day, and the minutes."""
    values: set[float] = set()
    for each in found:
        values |= each.values | each.parts
        for minute in each.minutes:
            values |= {minute // 60, minute // 60 % 12 or 12.0, minute % 60}
    return frozenset(values - {0.0})


def _is_count(match: re.Match[str], spoken: str) -> bool:
    """`all four`, `the two of us`, `not three`: how many there are, or what is not wanted."""
    number = match["number"]
    if not number or match["hours"] or match["half4"] or match["clock"]:
        return False
    if not _COUNT.search(spoken[: match.start()]) or _UNIT.search(spoken[match.end() :]):
        return False
    return spoken[: match.start()].endswith("not ") or (
        number.isdecimal() and int(number) < _MOST_COUNTED
    )
