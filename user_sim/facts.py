"""The facts a sentence speaks of: numbers and names, comparable across ways to write them. Pure."""

import re

_NUMBER_WORDS = {
    word: float(value)
    for value, word in [
        *enumerate(
            ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
        ),
        *enumerate(("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"), 11),
        *enumerate(("seventeen", "eighteen", "nineteen", "twenty"), 17),
        *((30, "thirty"), (40, "forty"), (50, "fifty"), (60, "sixty"), (70, "seventy")),
        *((80, "eighty"), (90, "ninety")),
    ]
}
_SPOKEN_AS = {"half": 50.0, "halfway": 50.0, "quarter": 25.0, "fully": 100.0, "completely": 100.0}
_NO_NAME = re.compile(
    r"i(?:'\w+)?|ok(?:ay)?|am|pm|(?:a/?c|gps|led|tv|usb|suv|ev|poi|celsius)(?:'?s)?", re.IGNORECASE
)
_WORD = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+(?:['/][^\W\d_]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\"]\s+|\n)\W*$")


def numbers(text: str) -> frozenset[float]:
    """Every number said, in figures or in words; `9:30` is 9 and 30."""
    found: set[float] = set()
    building: float | None = None
    for word in _WORD.findall(text.lower().replace("o'clock", "").replace(":00", "")):
        value = _value(word)
        if building is not None and value is not None and _continues(building, value):
            building += value
            continue
        if word == "hundred":
            building = (building or 1.0) * 100
            continue
        if word == "and" and building is not None and building >= 100:
            continue
        if building is not None:
            found.add(building)
        building = value
    return frozenset(found | ({building} if building is not None else set()))


def names(text: str) -> frozenset[str]:
    """Capitalised words inside sentences, in lower case; the first word of each says nothing."""
    return frozenset(
        match[0].lower()
        for match in _WORD.finditer(text)
        if match[0][0].isupper()
        and not _NO_NAME.fullmatch(match[0])
        and not _SENTENCE_START.search(text[: match.start()])
    )


def words(text: str) -> frozenset[str]:
    """All words in lower case, with and without a possessive ending."""
    found = {word.lower() for word in _WORD.findall(text)}
    return frozenset(found | {re.sub(r"'s?$", "", word) for word in found})


def invented_numbers(said: str, known: str) -> list[str]:
    """Numbers in `said` that `known` does not hold, whichever way either is written."""
    here = numbers(known) | {value for word, value in _SPOKEN_AS.items() if word in words(known)}
    # Three in the afternoon is 15 as well, and noon is told without its minutes.
    hours = {number + 12 if number <= 12 else number - 12 for number in here if number <= 24}
    return [f"{number:g}" for number in sorted(numbers(said) - here - hours - {0.0})]


def invented_names(said: str, known: str) -> list[str]:
    """Names in `said` that occur nowhere in `known`."""
    here = words(known)
    return sorted(name for name in names(said) if re.sub(r"'s?$", "", name) not in here)


def _value(word: str) -> float | None:
    if word[0].isdigit():
        return float(word.replace(",", "."))
    # "That one" and "one moment" are no figures.
    return None if word == "one" else _NUMBER_WORDS.get(word)


def _continues(building: float, value: float) -> bool:
    """`twenty` `two`, `hundred` `fifty`; not `nine` `thirty`."""
    if value < 10 and building % 10 == 0 and building % 100 >= 20:
        return True
    return building >= 100 and building % 100 == 0 and value < 100
