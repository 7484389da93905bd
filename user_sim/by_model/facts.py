"""Numbers and names in a sentence, comparable across ways to write them. Pure."""

import re

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_NUMBER_WORDS = {word: float(value) for value, word in enumerate(_SMALL.split())} | {
    word: float(value) for value, word in zip(range(30, 100, 10), _TENS.split(), strict=True)
}
_SPOKEN_AS = {"half": 50.0, "halfway": 50.0, "quarter": 25.0, "fully": 100.0, "completely": 100.0}
_NO_NAME = re.compile(
    r"i(?:'\w+)?|ok(?:ay)?|am|pm|(?:a/?c|gps|led|tv|usb|suv|ev|poi|celsius)(?:'?s)?", re.IGNORECASE
)
_WORD = re.compile(r"[0-9]+(?:[.,][0-9]+)?|[^\W\d_]+(?:['/][^\W\d_]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\"]\s+|\n)\W*$")


def numbers(text: str) -> frozenset[float]:
    """Every number but zero, in figures or in words; `9:30` is 9 and 30."""
    spoken = text.lower().replace("o'clock", "").replace(":00", "")
    found: set[float] = set()
    building, end = 0.0, 0
    for match in _WORD.finditer(spoken):
        word, joined = match[0], spoken[end : match.start()].strip() in ("", "-")
        end = match.end()
        if word == "and" and joined and building >= 100:
            continue
        if word == "hundred":
            building = (building if joined and building else 1.0) * 100
            continue
        # "That one" and "one moment" are no figures, "twenty-one" is.
        value = _NUMBER_WORDS.get(word, 0.0) if word != "one" or building else 0.0
        if joined and value and _continues(building, value):
            building += value
            continue
        found.add(building)
        building = value if word != "one" else 0.0
        if "0" <= word[0] <= "9":
            found.add(float(word.replace(",", ".")))
    return frozenset(found | {building}) - {0.0}


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


def invented_numbers(text: str, known: str) -> list[str]:
    """Numbers in `text` that `known` does not hold, whichever way either is written."""
    here = numbers(known) | {value for word, value in _SPOKEN_AS.items() if word in words(known)}
    # Three in the afternoon is 15 as well, and noon is named without minutes.
    hours = {number + 12 if number <= 12 else number - 12 for number in here if number <= 24}
    return [f"{number:g}" for number in sorted(numbers(text) - here - hours)]


def invented_names(text: str, known: str) -> list[str]:
    """Names in `text` that occur nowhere in `known`."""
    here = words(known)
    return sorted(name for name in names(text) if re.sub(r"'s?$", "", name) not in here)


def _continues(building: float, value: float) -> bool:
    """`twenty` `two`, `hundred` `fifty`; not `nine` `thirty`."""
    if value < 10 and building % 10 == 0 and building % 100 >= 20:
        return True
    return building >= 100 and building % 100 == 0
