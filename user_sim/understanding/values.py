"""The values that a text names: numbers, colours, sides, ways of choosing, opposite deeds, names."""

import re
from collections.abc import Iterable
from functools import lru_cache

_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_TEENS = ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_NUMBERS = {word: float(n) for n, word in enumerate([*_UNITS, *_TEENS])}
_NUMBERS |= {word: 10.0 * n for n, word in enumerate(_TENS, start=2)}
_NUMBERS |= {"hundred": 100.0, "half": 50.0, "halfway": 50.0}
# Numbers that measure a way, a time or an energy are facts about a choice, never the choice.
_MEASURE = (
    r"(?=\s*(?:km|kilomet\w*|miles?|h\b|hours?|hrs?|min\w*|kwh?|kilowatt\w*|euros?|eur|€|:\d|"
    r"stops?|routes?|options?|meetings?|results?|alternatives?|a\.?m\b|p\.?m\b|o'clock))"
)
_DIGITS = re.compile(r"(?<![\w.:])(\d+(?:[.,]\d+)?)(?![\w:]|[.,]\d)", re.IGNORECASE)
_MEASURED = re.compile(_DIGITS.pattern + _MEASURE, re.IGNORECASE)
_WORDS = re.compile(
    rf"\b(?:({'|'.join(_TENS)})[- ]({'|'.join(_UNITS[1:10])})|({'|'.join(_NUMBERS)}))\b", re.I
)
_COLOURS = ["red", "green", "blue", "yellow", "white", "pink", "orange", "purple", "cyan", "brown"]
_CHOSEN = {
    "zone": {
        "driver": r"\bdriver|\byour (?:own )?(?:side|seat|window)|\byours\b",
        "passenger": r"\bpassenger|\bco-?driver",
        "rear": r"\b(?:rear|back|behind)\b",
        "front": r"\bfront\b",
        "left": r"\bleft\b",
        "right": r"\bright[- ](?:hand|side|rear|one|window|seat)|\bthe right\b",
        "all": r"\b(?:all|both|every|everywhere|whole|entire)\b",
    },
    "route": {
        "fastest": r"\b(?:fastest|quickest|fast one|quick one)\b",
        "shortest": r"\bshortest\b",
        "toll_free": r"\b(?:toll-free|no tolls?|without (?:any )?tolls?|avoid\w* tolls?)\b",
        "slowest": r"\b(?:slowest|longest|scenic)\b",
    },
    "direction": {
        "feet": r"\b(?:feet|foot|footwell|legs)\b",
        "head": r"\b(?:head|face|chest)\b",
        "windshield": r"\b(?:windshield|windscreen)\b",
    },
    "deed": {
        "open": r"\bopen(?:ed|ing)?\b",
        "close": r"\b(?:close|shut|closing|closed)\b",
        "on": r"\b(?:turn|turned|switch|switched|put|have)\b[^.?!]*\bon\b|\bactivate\b",
        "off": r"\boff\b|\bdeactivate\b",
        "add": r"\badd(?:ed|ing)?\b",
        "remove": r"\b(?:remove|delete|drop|skip|leave out)\b",
    },
}
_PATTERNS = {
    kind: {name: re.compile(pattern, re.IGNORECASE) for name, pattern in words.items()}
    for kind, words in _CHOSEN.items()
} | {"colour": {word: re.compile(rf"\b{word}\b", re.IGNORECASE) for word in _COLOURS}}
_INSTEAD = re.compile(
    r"\b(?:rather than|instead of|not|and not|from)\b[^.,;?!]*?(?=\bto\b|[.,;?!]|$)", re.I
)
_ROAD = re.compile(r"\b[A-Z]{1,3} ?\d{1,4}\b")
_NAME = re.compile(r"(?<![.?!:*\d] )(?<!^)\b[A-ZÀ-Þ][\w'’-]+")
_NO_NAMES = frozenset(
    [
        "I",
        "I'm",
        "I'll",
        "I've",
        "I'd",
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
        "AC",
        "DC",
        "A/C",
        "SOC",
        "EV",
        "OK",
        "Okay",
        "Celsius",
        "English",
        "The",
        "A",
        "An",
        "Yes",
        "No",
    ]
)

Values = frozenset[tuple[str, str]]


@lru_cache(maxsize=4096)
def values(text: str) -> Values:
    """Pairs of kind and value: `("number", "40")`, `("zone", "rear")`, `("road", "A9")` …"""
    found = {
        (kind, name)
        for kind, words in _PATTERNS.items()
        for name, pattern in words.items() if pattern.search(text)
    }  # fmt: skip
    if {("zone", "driver"), ("zone", "passenger")} <= found:
        found.add(("zone", "all"))
    found |= {("number", f"{number:g}") for number in numbers(text)}
    found |= {("road", road.replace(" ", "")) for road in _ROAD.findall(text)}
    found |= {("name", name.lower()) for name in names(text)}
    return frozenset(found)


def of_kind(found: Iterable[tuple[str, str]], kind: str) -> set[str]:
    return {value for each, value in found if each == kind}


def numbers(text: str) -> set[float]:
    """Digits and number words, without those that measure something."""
    plain = _MEASURED.sub(" ", _ROAD.sub(" ", _INSTEAD.sub(" ", text)))
    found = {float(digits.replace(",", ".")) for digits in _DIGITS.findall(plain)}
    for tens, unit, single in _WORDS.findall(plain):
        if single:
            found.add(_NUMBERS[single.lower()])
        else:
            found.add(_NUMBERS[tens.lower()] + _NUMBERS[unit.lower()])
    if "and a half" in plain:
        found = {number + 0.5 for number in found} - {50.5}
    return found - {1.0} if re.search(r"\bone\b", plain) and "1" not in plain else found


def names(text: str) -> set[str]:
    """Words with a capital letter that begin no sentence."""
    plain = _ROAD.sub(" ", text)
    return {re.sub(r"['’]s$", "", name) for name in _NAME.findall(plain)} - _NO_NAMES
