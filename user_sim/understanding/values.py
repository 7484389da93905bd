"""The values that a text names: numbers, colours, sides, kinds of route, opposite deeds, names."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

from user_sim.lexicon import Patterns
from vehicle_bus.data_folder import quick_yaml

_KINDS = quick_yaml(Path(__file__).with_name("values.yaml"))
_UNITS, _TEENS, _TENS = (_KINDS["numbers"][each].split() for each in ("units", "teens", "tens"))
_NUMBERS = {word: float(number) for number, word in enumerate([*_UNITS, *_TEENS])}
_NUMBERS |= {word: 10.0 * number for number, word in enumerate(_TENS, start=2)}
_NUMBERS |= {word: float(number) for word, number in _KINDS["numbers"]["others"].items()}
_DIGITS = re.compile(r"(?<![\w.:])(\d+(?:[.,]\d+)?)(?![\w:]|[.,]\d)", re.IGNORECASE)
# Numbers that measure a way, a time or an energy are facts about a choice, never the choice.
_WORDS = re.compile(
    rf"\b(?:({'|'.join(_TENS)})[- ]({'|'.join(_UNITS[1:10])})|({'|'.join(_NUMBERS)}))\b",
    re.IGNORECASE,
)
_MEASURED = re.compile(
    rf"(?:{_DIGITS.pattern}|{_WORDS.pattern})(?=\s*(?:{_KINDS['measures']}))", re.IGNORECASE
)
# Elsewhere "one" stands for a thing.
_AS_LEVEL = re.compile(r"\b(?:level|stage|step|to|on|at|fan|heating) one\b", re.IGNORECASE)
_PHONE = re.compile(r"\+\d[\d ()/-]{5,}\d")
_WHOLE = re.compile(_KINDS["whole"], re.IGNORECASE)
_COUNT = re.compile(
    r"\b(?:that|this|the (?:first|second|other)|your) half\b"
    r"|\b(?:all (?:of the )?|those |these )(?:two|three|four|five|[2-5])\b"
    r"|\bhalf (?:as|that|of that)\b"
    r"|\b(?:two|three|four|five|[2-5]) (?:people|front|rear|back|of|in the)\b"
    r"|\b[\w-]+ past [\w-]+",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"""(?x)
    (?<!\bthat)(?<!\bit)(?:\b(?:is|are|stands?|says|reads|shows)|'s)\ (?:(?:only|just)\ )?
    (?:(?:currently|already|now|still)\ )?
    (?:(?:open|opened|set)\ (?:(?:at|on|by|to)\ )?|(?:at|on|by)\ )?
    (?:level\ )?[\w-]+
    |\b(?:currently|already|still)\ [\w-]+
    |\b(?:being|sitting|standing|(?:is|are)\ (?:open|closed),|it's\ open)\ (?:at|on|by)\ [\w-]+
    |^\d+[.)][ ]|\(\d\)
    |,\ (?:now|currently|still)\ (?:at|on)\ [\w-]+(?:\ (?:percent|degrees)|\ ?[%°]C?)?(?=,)
    |\b(?:below|above|under)\ [\w-]+
    |\d+\ ?h(?:ours?)?\ ?(?:and\ )?\d+|\bhours?\ and\ [\w-]+""",
    re.IGNORECASE,
)
_GENITIVE = re.compile(
    r"(\b(?:put|set|make|turn|bring|take|shift|move) (?:(?:your|the) )?[\w-]+)'s(?= )",
    re.IGNORECASE,
)
_HALVES = re.compile(
    rf"({_DIGITS.pattern}|{_WORDS.pattern})\s+(?:and a half|point five)\b", re.IGNORECASE
)
_INSTEAD = re.compile(
    r"\b(?:than|rather than|instead of|not|and not|nothing|no longer"
    r"|from(?! (?:there|here|that|this|it)\b)"
    r"|(?:leav|keep)(?:e|ing)?(?! out))\b"
    r"[^.,;?!]*?(?=\bto\b|[.,;?!]|$)"
    r"|\b(?:same as|like|as) (?:yours|hers|his|mine)(?: is)?\b"
    r"|\b(?:align\w* with|match\w*(?: to)?|same as|(?<!'d )(?<!you )(?<!would )like|as) "
    r"(?:(?:on|at|for) )?(?:the |your )?(?:co-?driver|driver|passenger)(?:'s)?\b"
    r"|\d+(?:[.,]\d+)?(?= ?(?:->|→))",
    re.IGNORECASE,
)
_CHOSEN = Patterns(
    {
        (kind, name): pattern
        for kind, words in _KINDS["chosen"].items()
        for name, pattern in words.items()
    }
)
_ROAD = re.compile(r"\b[A-Z]{1,3}[ -]?\d{1,4}\b")
_NAME = re.compile(r"(?<![.?!:*\d\"'] )(?<![\"'(\n])(?<!^)\b[A-Z\u00c0-\u00de][\w'-]+")
LEFT_OUT = re.compile(
    r"\b(?:except|excluding|without|but not|(?:all|both|everybody|everyone) but|other than"
    r"|apart from)(?: for)? (?:[A-Z][\w'-]+ ?)+"
    r"|(?:[A-Z][\w'-]+ )+(?:(?:is|was|being|gets) )?(?:left out|excluded|omitted|skipped)"
)
_AIM = re.compile(r"(?:\b[Tt]o|\b[Tt]owards?|→|->)\s+((?:[A-Z\u00c0-\u00de][\w'-]+ ?)+)")
_AT = re.compile(r"\b(?:[Ii]n|[Aa]t|[Nn]ear)\s+((?:[A-Z\u00c0-\u00de][\w'-]+ ?)+)")
_MAIL = re.compile(r"\b([a-z]{3,})[._]([a-z]{3,})\d*@\w")
_BETWEEN_NAMES = re.compile(r"(?<=\w{3})-(?=[A-Z\u00c0-\u00de]\w\w)")  # "Dijon-Lyon"
_NO_NAMES = frozenset(_KINDS["no_names"].split())

Values = frozenset[tuple[str, str]]


@lru_cache(maxsize=4096)
def values(text: str) -> Values:
    """Pairs of kind and value: `("number", "40")`, `("zone", "rear")`, `("road", "A9")` …"""
    chosen = _INSTEAD.sub(" ", text)
    found = set(_CHOSEN.found_in(chosen))
    if {("zone", "driver"), ("zone", "passenger")} <= found:
        found.add(("zone", "sides"))
    found |= {("number", f"{number:g}") for number in numbers(text)}
    if _WHOLE.search(chosen):
        found.add(("number", "100"))
    found |= {("road", re.sub(r"[ -]", "", road)) for road in _ROAD.findall(text)}
    found |= {("name", name.lower()) for name in names(LEFT_OUT.sub(" ", text))}
    return frozenset(found)


def of_kind(found: Iterable[tuple[str, str]], kind: str) -> set[str]:
    return {value for each, value in found if each == kind}


@lru_cache(maxsize=1024)
def numbers(text: str) -> frozenset[float]:
    """Digits and number words, without those that measure something."""
    text = _GENITIVE.sub(r"\1", _PHONE.sub(" ", text))
    text = _COUNT.sub(" ", _STATE.sub(" ", text))
    return all_numbers(_MEASURED.sub(" ", _ROAD.sub(" ", _INSTEAD.sub(" ", text))))


@lru_cache(maxsize=4096)
def all_numbers(plain: str) -> frozenset[float]:
    """Digits and number words."""
    rest = _HALVES.sub(" ", plain)
    found = {_number(each[0]) for each in (*_DIGITS.finditer(rest), *_WORDS.finditer(rest))}
    found |= {_number(each[1]) + 0.5 for each in _HALVES.finditer(plain)}
    one = _AS_LEVEL.search(plain) or re.search(r"\b1\b", plain)
    return frozenset(found if one else found - {1.0})


def _number(text: str) -> float:
    """Of digits or of number words."""
    if text[0].isdigit():
        return float(text.replace(",", "."))
    return sum(_NUMBERS[word] for word in re.split(r"[- ]", text.lower()))


def names(text: str) -> set[str]:
    """Words with a capital letter that begin no sentence."""
    plain = _ROAD.sub(" ", text)
    mails = {word.capitalize() for found in _MAIL.findall(plain) for word in found}
    found = _NAME.findall(_BETWEEN_NAMES.sub(" ", plain))
    return {re.sub(r"'s$", "", name) for name in found} - _NO_NAMES | mails


def aims(text: str, *, at: bool = False) -> list[set[str]]:
    """The words, in lower case, of each name that follows "to", or "in" and the like."""
    pattern = _AT if at else _AIM
    return [
        {word.lower() for word in each.split()}
        for each in pattern.findall(_ROAD.sub(" ", text))
        if each.strip() not in _NO_NAMES
    ]


@cache
def question_kinds() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """What a question asks for, and how an answer of that kind looks."""
    return tuple(
        (re.compile(row["asks"], re.IGNORECASE), re.compile(row["answer"]))
        for row in _KINDS["questions"]
    )
