"""Numbers in a text as figures: `twenty-two and a half` becomes `22.5`. Pure."""

import re
from collections.abc import Iterator

from assistant_gateway.wording.sentences import straightened

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = {word: value for value, word in enumerate(_ONES.split())} | {
    word: value for value, word in zip(range(20, 100, 10), _TENS.split(), strict=True)
}
_LARGE = {"hundred": 100, "thousand": 1000}
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
# First and second stay words, since they mean ranks and moments more often than days.
_ORDINAL_WORDS = {word: value for value, word in enumerate(_ORDINALS.split()) if value > 2} | {
    "thirtieth": 30
}
_SPELLED = "|".join(NUMBER_WORDS)
_RUN = re.compile(
    rf"\b(?:an?\s+(?=hundred|thousand))?(?:(?:{_SPELLED}|hundred|thousand)\b"
    rf"|\d+(?:\.\d+)?(?=\s+(?:hundred|thousand)\b))"
    rf"(?:(?:\s+|-)(?:and\s+)?(?:{_SPELLED}|hundred|thousand)\b)*"
)
_ORDINAL = re.compile(
    r"\b(?P<share>(?:a|one) )?(?:(?P<tens>20|30)[\s-])?"
    rf"(?P<day>{'|'.join(_ORDINAL_WORDS)}|first|second)\b"
)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
_REWRITTEN = (
    (re.compile(r"(?<=\d)\s?½"), ".5"),
    (re.compile(r"(?<=\d)\s?¼"), ".25"),
    (re.compile(r"(?<=\d)\s?¾"), ".75"),
    (re.compile(r"½"), "0.5"),
    (re.compile(r"¼"), "0.25"),
    (re.compile(r"¾"), "0.75"),
)
_FRACTIONS = (
    (re.compile(r"\bone (?=(?:point \d|and (?:a|one) (?:half|quarter)|and 3 quarter))"), "1 "),
    (re.compile(r"(?<=\d),(?=\d{3}\b)"), ""),
    (re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))"), "."),
    (re.compile(r"(?<=\d) oh one\b"), " 01"),
    (re.compile(r"(?<=\d) oh (?=\d\b)"), " 0"),
    (re.compile(r"(?<=\d) oh\b"), " 0"),
    (re.compile(r"\bminus one\b"), "-1"),
    (re.compile(r"\bminus (?=\d)"), "-"),
    (re.compile(r"(?<=\d) point (?=\d)"), "."),
    (re.compile(r"(?<=\d\.\d) (?=\d\b)"), ""),
    (re.compile(r"\b(\d+) (?:and (?:a|one) half|1/2)\b"), r"\1.5"),
    (re.compile(r"\b(\d+) and (?:a|one) quarter\b"), r"\1.25"),
    (re.compile(r"\b(\d+) and 3[ -]quarters?\b"), r"\1.75"),
)  # fmt: skip


def in_figures(text: str, *, lone_one: bool = False) -> str:
    """The text in lower case, with plain quotes and dashes, its numbers in figures.

    Numbers that are only said one after the other stay apart: `nine thirty` becomes `9 30`. A share
    such as `a fifth` stays as it is, and so does `one` alone unless `lone_one` is asked for.
    """
    for pattern, figures in _REWRITTEN:
        text = pattern.sub(figures, text)
    plain = re.sub("[\u2010\u2011\u2012\u2212]", "-", straightened(text).lower())
    plain = _RUN.sub(lambda run: run[0] if run[0] == "one" else " ".join(_numbers(run[0])), plain)
    plain = _ORDINAL.sub(_ordinal, plain)
    for pattern, figures in _FRACTIONS:
        plain = pattern.sub(figures, plain)
    return re.sub(r"\bone\b", "1", plain) if lone_one else plain


def numbers(text: str) -> list[float]:
    """Every number of a text, a lone `one` as well."""
    return [float(number) for number in _NUMBER.findall(in_figures(text, lone_one=True))]


def _ordinal(found: re.Match[str]) -> str:
    if found["share"] or not (found["tens"] or found["day"] in _ORDINAL_WORDS):
        return found[0]
    day = _ORDINAL_WORDS.get(found["day"]) or ("first", "second").index(found["day"]) + 1
    return f"{int(found['tens'] or 0) + day}th"


def _numbers(run: str) -> Iterator[str]:
    """The numbers of a run of number words, with the `and` between those that are apart."""
    done, joined = 0.0, False
    part: float | None = None
    for word in run.replace("-", " ").split():
        if word in ("a", "an"):
            continue
        if word == "and":
            joined = True
            continue
        if word in _LARGE:
            factor = _LARGE[word]
            done, part = (done + (part or 1) * factor, 0) if factor == 1000 else (
                done, (part or 1) * factor)  # fmt: skip
        else:
            value = float(word) if word[0].isdigit() else float(NUMBER_WORDS[word])
            if part is None or _continues(done + part, part, value):
                part = (part or 0.0) + value
            else:
                yield f"{done + part:.12g}"
                if joined:
                    yield "and"
                done, part = 0.0, value
        joined = False
    if part is not None:
        yield f"{done + part:.12g}"


def _continues(building: float, part: float, value: float) -> bool:
    """`twenty` `two`, `hundred` `fifty`, `thousand` `five`; not `nine` `thirty`."""
    if value < 10 and part % 10 == 0 and part % 100 >= 20:
        return value > 0
    return building >= 100 and building % 100 == 0 and value > 0
