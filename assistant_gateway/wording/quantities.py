"""Amounts in a text, with their units, and how far they may be rounded: `about 310 km`. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from assistant_gateway.wording.numerals import in_figures

Unit = Literal["temperature", "percent", "distance", "duration", "clock", "power", "number"]
HALF_DAY = 12 * 60
DAY = 24 * 60
MILE_KM = 1.609
FIRST_LIGHT = 5  # o'clock; until then it is night


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount in °C, percent, kilometres, minutes, kilowatts or minutes after midnight.

    `either` marks a time on the clock that may be before or after noon.
    """

    unit: Unit
    amount: float
    either: bool = False


@lru_cache(maxsize=1024)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Every amount with its unit, and every number left over as a bare one."""
    left = _plain(text)
    found: list[Quantity] = []
    for reader in _READERS:
        found += reader.amounts(left)
        left = reader.pattern.sub(" ; ", left)
    found += [each for reader in _WEAK_CLOCKS for each in reader.amounts(left)]
    found += [Quantity("number", float(number)) for number in _BARE.findall(left)]
    return tuple(found)


@lru_cache(maxsize=4096)
def is_told(expected: Quantity, text: str) -> bool:
    """Whether a text tells this amount, maybe rounded.

    A bare number will do, unless another amount of this unit is told; one with a fraction, or told
    as a result ("so the middle is 20."), does all the same if it is exact.
    """
    same = [quantity for quantity in quantities(text) if quantity.unit == expected.unit]
    bare = [Quantity(expected.unit, amount) for amount in bare_numbers(text)]
    exact = [each.amount for each in bare if each.amount % 1]
    exact += [float(each["n"]) for each in _RESULT.finditer(_plain(text))]
    return expected.amount in exact or any(fits(expected, quantity) for quantity in same or bare)


def bare_numbers(text: str) -> list[float]:
    """The numbers without a unit; a pronoun ("the warm one") is none."""
    told = quantities(_PRONOUN.sub(" ", text))
    return [each.amount for each in told if each.unit == "number"]


def fits(expected: Quantity, told: Quantity) -> bool:
    """Whether the amount told is the expected one, rounded as people round."""
    apart = abs(expected.amount - told.amount)
    if expected.unit == "clock":
        day = HALF_DAY if told.either else DAY
        apart = min(apart % day, -apart % day)
    exact, steps = _ROUNDING[expected.unit]
    return apart <= exact or any(
        expected.amount >= lowest and told.amount % step == 0 and apart <= tolerance
        for lowest, step, tolerance in steps
    )


# How far an amount may be off; then from which amount on it may be told in which steps, and how far
# off that may be.
_ROUNDING: Mapping[Unit, tuple[float, tuple[tuple[float, float, float], ...]]] = {
    "temperature": (0.6, ()),
    "percent": (0.6, ((10, 5, 2),)),
    "distance": (0.6, ((20, 5, 2.5), (100, 10, 5), (200, 50, 12), (400, 100, 25))),
    "duration": (1, ((8, 5, 2.5), (60, 15, 7.5), (120, 30, 15))),
    "clock": (0, ((0, 5, 2.5),)),
    "power": (0.6, ()),
    "number": (0, ()),
}


@dataclass(frozen=True)
class _Reader:
    """Reads the amounts of one unit in one form."""

    unit: Unit
    pattern: re.Pattern[str]
    read: Callable[[Mapping[str, str]], Iterator[Quantity]]

    def amounts(self, text: str) -> Iterator[Quantity]:
        for match in self.pattern.finditer(text):
            given = {name: part for name, part in match.groupdict().items() if part is not None}
            yield from self.read(given)


def _numbers(unit: Unit, factor: float = 1.0) -> Callable[[Mapping[str, str]], Iterator[Quantity]]:
    def read(given: Mapping[str, str]) -> Iterator[Quantity]:
        for name in ("lower", "n"):
            if name in given:
                yield Quantity(unit, float(given[name]) * factor)

    return read


def _temperature(given: Mapping[str, str]) -> Iterator[Quantity]:
    sign = -1 if "below" in given else 1
    for degrees in (sign * each.amount for each in _numbers("temperature")(given)):
        yield Quantity("temperature", (degrees - 32) / 1.8 if "fahrenheit" in given else degrees)


def _clock_or_duration(given: Mapping[str, str]) -> Iterator[Quantity]:
    yield from _clock(given)
    yield Quantity("duration", 60 * int(given["h"]) + int(given["m"]))


def _duration(given: Mapping[str, str]) -> Iterator[Quantity]:
    """Of `3 h 05`, which may be a time on the clock as well, both."""
    named, bare = given.get("minutes"), given.get("bare") or given.get("rest")
    hours, minutes = given.get("hours", "0"), named or bare or "0"
    yield Quantity("duration", 60 * float(hours) + float(minutes))
    if bare and hours.isdigit() and int(hours) < DAY // 60 and int(bare) < 60:
        yield Quantity("clock", 60 * int(hours) + int(bare), either=int(hours) <= 12)


_SHARES = {"half": 50.0, "quarter": 25.0, "3 quarters": 75.0, "third": 100 / 3, "fifth": 20.0}


def _share(given: Mapping[str, str]) -> Iterator[Quantity]:
    yield Quantity("percent", _SHARES[given["share"]])


def _full(_given: Mapping[str, str]) -> Iterator[Quantity]:
    yield Quantity("percent", 100.0)


def _noon(given: Mapping[str, str]) -> Iterator[Quantity]:
    yield Quantity("clock", 0.0 if "midnight" in given else HALF_DAY)


_HALVES = {"a": 0, "p": HALF_DAY, "morning": 0, "afternoon": HALF_DAY, "evening": HALF_DAY,
           "night": HALF_DAY, "tonight": HALF_DAY}  # fmt: skip


def _clock(given: Mapping[str, str]) -> Iterator[Quantity]:
    """By 12 or by 24 hours, or so many minutes past or to an hour."""
    hour, minutes = int(given["h"]), int(given.get("m", 0))
    if "step" in given:
        step = {"half": 30, "quarter": 15}.get(given["step"]) or int(given["step"])
        minutes = step if given["side"] in ("past", "after") else -step
    half = _HALVES.get(given.get("half") or given.get("part") or "")
    if given.get("part") == "night" and hour % 12 < FIRST_LIGHT:
        half = 0
    if half is not None and hour <= 12:
        yield Quantity("clock", (hour % 12 * 60 + half + minutes) % DAY)
    else:
        by_24_hours = hour > 12 or given["h"].startswith("0")
        yield Quantity("clock", (hour * 60 + minutes) % DAY, either=not by_24_hours)


_N = r"(?<![\w.,:/])-?\d+(?:\.\d+)?"
_AMOUNT = rf"(?:(?P<lower>{_N})\s*(?:to|and|or|-)\s*)?(?P<n>(?:(?<=-)\d+(?:\.\d+)?|{_N}))[\s-]*"
_SPEED = r"(?!\s*(?:/|p?h\b|per\b|an? hour))"
_H = r"(?<![\w.,:])(?P<h>[01]?\d|2[0-4])"
_M = r"(?P<m>[0-5]\d)"
_HALF = r"\s*(?P<half>[ap])\.?\s?m\b"
_PART = r"\s*(?:in the|this|at)?\s*(?P<part>morning|afternoon|evening|night|tonight)\b"
_O_CLOCK = rf"(?:{_HALF}|\s*(?:o'? ?clock|sharp)\b)"
_OTHER = r"(?!\s*(?:[.,:]?\d|%|°|-|/|p?h\b|[a-z]*(?:met|deg|perc|km|kilo|mile|min|hour|stop|more)))"
_LEAD = (
    r"\b(?:at|until|till?|to|by|from|since|around|about|after|before|close[sd]?|opens?|starts?|"
    r"begins?|between|and|open) "
)
_MORE_MINUTES = (
    r"(?:,?[\s-]?(?:(?<=[\s-])and )?(?P<minutes>\d+)[\s-]*(?:minutes?|mins?|m)\b"
    r"|,?[\s-](?:and )?(?P<bare>\d+)"
    r"(?!\s*(?!(?:late|early|left|in|at|to|from|or|now|if|so|and|as)\b)[\w%°]|[.,]\d))"
)


_BARE = re.compile(rf"{_N}(?!\w)")


def _reader(
    unit: Unit, pattern: str, read: Callable[[Mapping[str, str]], Iterator[Quantity]] | None = None
) -> _Reader:
    return _Reader(unit, re.compile(pattern), read or _numbers(unit))


_RESULT = re.compile(
    r"\b(?:middle|average|mean|sum|total|difference|half|result)\b[^.,;]*?\b(?:is|was|of|to)\s+"
    rf"(?P<n>{_N})"
    r"(?=\s*(?:[.,;!?](?!\d)|$))"
)

_READERS = (
    _reader("clock", r"\b(?:(?P<midnight>midnight)|(?:12 )?(?:noon|midday))\b", _noon),
    _reader(
        "clock",
        r"(?<!from )(?<!open )\b(?P<step>half|quarter|(?:5|10|20|25)|\d+(?= minutes?)"
        r"|\d{1,2}(?= past )|(?:1[3-9]|2\d|(?:(?<=at )|(?<=by )|(?<=around ))\d)(?= to ))"
        r"(?: minutes?)? "
        rf"(?P<side>past|after|to|before|till) {_H}\b{_O_CLOCK}?(?:{_PART})?{_OTHER}",
        _clock,
    ),
    _reader("clock", rf"{_LEAD}{_H}\s?h\b(?! ?\d)", _clock),
    _reader("clock", rf"{_H}:{_M} ?h(?:ours)?\b", _clock_or_duration),
    _reader("clock", rf"{_H}[:.]{_M}(?:{_O_CLOCK}|\s?h\b)(?:{_PART})?", _clock),
    _reader("clock", rf"{_H}:{_M}\b(?:{_PART})?", _clock),
    _reader("clock", rf"{_H} ?{_M}(?:{_HALF}|\s?hours\b)", _clock),
    _reader("clock", rf"{_H}{_O_CLOCK}(?:{_PART})?", _clock),
    _reader("clock", rf"{_H}(?: {_M})?{_PART}", _clock),
    _reader("distance", rf"{_AMOUNT}(?:kilomet(?:re|er)s?|kms?|k|klicks?)\b{_SPEED}"),
    _reader("distance", rf"{_AMOUNT}miles?\b{_SPEED}", _numbers("distance", MILE_KM)),
    _reader(
        "temperature",
        rf"{_AMOUNT}(?:(?:°|degrees?\b|deg\b) ?"
        r"(?:(?P<fahrenheit>f(?:ahrenheit)?)\b|c(?:elsius|entigrade)?\b)?"
        r"|(?:c|celsius)\b|(?=below))"
        r"(?! apart)(?P<below> ?below (?:0|freezing))?",
        _temperature,
    ),
    _reader("percent", rf"{_AMOUNT}(?:%|per ?cent\b)"),
    _reader("power", rf"{_AMOUNT}(?:kw|kilowatts?)\b(?![\s-]*h)"),
    _reader(
        "duration",
        rf"(?P<hours>{_N})[\s-]*(?:hours?|hrs?|h)(?:(?P<rest>\d\d)\b|(?:\b|(?=\d))\.?{_MORE_MINUTES}|\b)",
        _duration,
    ),
    _reader("duration", rf"(?P<minutes>{_N})[\s-]*(?:minutes?|mins?)\b", _duration),
    _reader("clock", rf"{_H} {_M}\b{_OTHER}", _clock),
    _reader("temperature", r"(?P<n>(?<![\w.,:/-])-\d+(?:\.\d+)?(?!\w))"),
    _reader("percent", r"\b(?P<share>half|quarter|3 quarters|third|fifth)\b", _share),
    _reader("percent", r"\b(?:full(?:y)?|completely|(?:all the way|wide) open)\b", _full),
)
# Read beside the bare numbers, since `at 4` may be a level as well, and `15.34` any number.
_WEAK_CLOCKS = (
    _reader("clock", rf"{_LEAD}{_H}(?:\.?{_M}(?!\s*[\w%°])|\b{_OTHER})", _clock),
    _reader("clock", rf"{_H}\.{_M}(?!\d){_OTHER}(?!\s*(?:kw|kilow|eur|€))", _clock),
)

_REWRITTEN = tuple((re.compile(pattern), figures) for pattern, figures in (
    (r"\bhalf(?: an?)?[\s-]hour\b", "30 minutes"),
    (r"\b(?:a |1 )?quarter of an hour\b", "15 minutes"),
    (r"\b3 quarters of an hour\b", "45 minutes"),
    (r"\ban? (?=(?:hour|minute|degree|kilomet|percent))", "1 "),
    (r"(\d+) hours? and (?:a|1) half\b", r"\1.5 hours"),
    (r"(\d+) hours? and (?:a|1) quarter\b", r"\1 hours 15 minutes"),
    (r"(\d+) hours? and 3 quarters\b", r"\1 hours 45 minutes"),
))  # fmt: skip


_PRONOUN = re.compile(
    r"\bone(?= (?:needs?|can|should|must|may|might|would|could|has|wants?|never|always)\b)"
    r"|\b(?:that|this|which|the)(?: \w+)? one\b",
    re.IGNORECASE,
)
_SPACES = re.compile(r"[ \t]+")


@lru_cache(maxsize=1024)
def _plain(text: str) -> str:
    plain = in_figures(text, lone_one=True)
    for pattern, figures in _REWRITTEN:
        plain = pattern.sub(figures, plain)
    return _SPACES.sub(" ", plain)
