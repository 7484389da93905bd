"""Numbers written as words become figures; everything else stays as it was said."""

import re

_UNITS = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen",
)
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_VALUES = {word: value for value, word in enumerate(_UNITS)} | {
    word: 10 * value for value, word in enumerate(_TENS, 2)
}
_TEN = "|".join(_TENS)
_UNIT = "|".join(_UNITS)
_DIGIT = "|".join(_UNITS[1:10])
_HUNDREDS = re.compile(
    rf"\b(?:(?P<count>{_DIGIT}|an?) hundred)(?:(?: and)? (?P<rest>\d+))?\b", re.IGNORECASE
)
_COMPOUND = re.compile(rf"\b(?P<ten>{_TEN})[ -](?P<digit>{_DIGIT})\b", re.IGNORECASE)
_SINGLE = re.compile(rf"\b(?P<word>{_TEN}|{_UNIT})\b(?!-)", re.IGNORECASE)
_HALF = re.compile(r"\b(?P<whole>\d+) and a half\b", re.IGNORECASE)
_POINT = re.compile(r"\b(?P<whole>\d+) (?:point|comma) (?P<part>\d+)\b", re.IGNORECASE)
# "The rear one" counts nothing; "level one" and "one degree" do.
_COUNTING_BEFORE = re.compile(
    r"\b(?:level|stage|setting|step|speed|to|on|by|at|than|degree|kilomet(?:re|er))\s$", re.I
)
_COUNTING_AFTER = re.compile(
    r"^\s(?:percent|degrees?|levels?|steps?|notch(?:es)?|hours?|minutes?|stops?|kilomet)", re.I
)


def in_figures(text: str) -> str:
    """`twenty-two and a half degrees` as `22.5 degrees`."""
    text = _COMPOUND.sub(lambda m: str(_value(m["ten"]) + _value(m["digit"])), text)
    text = _SINGLE.sub(_figure, text)
    text = _HUNDREDS.sub(_hundreds, text)
    text = _HALF.sub(lambda m: f"{m['whole']}.5", text)
    return _POINT.sub(lambda m: f"{m['whole']}.{m['part']}", text)


def number(text: str) -> float:
    """The value of a figure; whole numbers are ints."""
    found = float(text.replace(",", "."))
    return int(found) if found == int(found) else found


def _figure(match: re.Match[str]) -> str:
    before, after = match.string[: match.start()], match.string[match.end() :]
    if after[:8].lower().startswith(" hundred"):
        return match.group()
    counts = _COUNTING_BEFORE.search(before) or _COUNTING_AFTER.search(after)
    if match["word"].lower() == "one" and not counts:
        return match.group()
    return str(_value(match["word"]))


def _hundreds(match: re.Match[str]) -> str:
    count = match["count"].lower()
    hundreds = 1 if count in ("a", "an") else _value(count)
    return str(100 * hundreds + int(match["rest"] or 0))


def _value(word: str) -> int:
    return _VALUES[word.lower()]
