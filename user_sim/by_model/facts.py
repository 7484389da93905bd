"""Names in a turn of a driver, and what of it nobody has told or said before. Pure."""

import re
import unicodedata
from datetime import date

from user_sim.by_model.quantities import known, quantities

_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
# Written with a capital and still nobody's name: kin, forms of address, oaths, units, acronyms.
_NO_NAME = re.compile(
    r"i(?:'\w+)?|ok(?:ay)?|o|mu?m(?:my|ma)?|mom(?:my|ma)?|dad(?:dy)?|papa|mama|mother|father|grand?"
    r"(?:ma|pa|mother|father|dad|mum)|granny|nana|sis|bro|aunt(?:ie|y)?|uncle|mr|mrs|ms|miss|mister|"
    r"dr|doctor|prof|sir|madam|god|lord|jesus|christ|gosh|goodness|heaven|english|bluetooth|wi-?fi|"
    r"celsius|fahrenheit|kelvin|christmas|easter|[a-z]|[A-Z]{2,4}s?(?:'s)?|e-?mail",
)
_WORD = re.compile(r"[0-9]+(?:[.,][0-9]+)?|[^\W\d_]+(?:['/][^\W\d_]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\"]\s+|\n)\W*$")
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_SHORTEST_NAME = 3


def names(text: str) -> frozenset[str]:
    """Capitalised words inside sentences, in lower case; the first word of each says nothing."""
    return frozenset(
        match[0].lower()
        for match in _WORD.finditer(text)
        if match[0][0].isupper()
        and not _NO_NAME.fullmatch(match[0])
        and not _NO_NAME.fullmatch(match[0].lower())
        and not _SENTENCE_START.search(text[: match.start()])
    )


def words(text: str) -> frozenset[str]:
    """All words in lower case, with and without a possessive ending, in plain letters."""
    found = {_plain(word) for word in _WORD.findall(text)}
    return frozenset(found | {_without_ending(word) for word in found})


def invented_numbers(text: str, told: str, heard: str = "", earlier: str = "") -> list[str]:
    """Numbers and times in `text` that nobody has named, and that are no sum or difference.

    `told` is what the driver knows, `heard` what the assistant has just said.
    """
    here = known(told, heard, earlier)
    return sorted({found.text for found in quantities(text) if not here.holds(found)})


def invented_names(text: str, here: str) -> list[str]:
    """Names in `text` that occur nowhere in `here`, not even in part or as the day of a date."""
    named = words(here) | _days(here)
    whole = {_plain(word) for word in _WORD.findall(here) if word[0].isupper()}
    return sorted(
        name
        for name in names(text)
        if _without_ending(_plain(name)) not in named and not _is_part(_plain(name), whole)
    )


def _plain(word: str) -> str:
    """In lower case and without accents."""
    split = unicodedata.normalize("NFKD", word.lower().replace("\u00df", "ss"))
    return "".join(letter for letter in split if not unicodedata.combining(letter))


def _without_ending(word: str) -> str:
    return re.sub(r"'s?$", "", word)


def _is_part(name: str, whole: set[str]) -> bool:
    """`Tom` for Thomas is not found; `Rob` for Robert and `Anna's` for Ann are."""
    name = _without_ending(name)
    return any(
        min(len(name), len(other)) >= _SHORTEST_NAME
        and (other.startswith(name) or name.startswith(other))
        for other in map(_without_ending, whole)
    )


def _days(here: str) -> set[str]:
    """Weekday and month of every date."""
    found: set[str] = set()
    for year, month, day in _ISO.findall(here):
        try:
            when = date(int(year), int(month), int(day))
        except ValueError:
            continue
        found |= {_WEEKDAYS[when.weekday()], _MONTHS[when.month - 1]}
    if found or words(here) & {*_MONTHS, "today", "tomorrow", "yesterday"} - {"may"}:
        found |= {*_WEEKDAYS} if not found & {*_WEEKDAYS} else set()
    return found
