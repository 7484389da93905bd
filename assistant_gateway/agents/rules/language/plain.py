"""What was said, made even: plain quotes, figures, units in words, no courtesies."""

import re
import unicodedata

from assistant_gateway.agents.rules.language.numbers import in_figures

_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014\u2026", "''\"\"--.")
_UNITS = (
    (re.compile(r"(?<=\d)\s*%"), " percent"),
    (re.compile(r"\bper cent\b", re.IGNORECASE), "percent"),
    (re.compile(r"\s*°\s*C?\b|(?<=\d)\s*°|(?<=\d) ?C\b"), " degrees"),
    (re.compile(r"(?<=\d)\s*(?:km|kms|kilomet(?:re|er)s?)\b", re.IGNORECASE), " kilometres"),
    (re.compile(r"(?<=\d),(?=\d{3}\b)"), ""),
    (re.compile(r"(?<=\d),(?=5\b)"), "."),
    (re.compile(r"\bdegrees? celsius\b", re.IGNORECASE), "degrees"),
    (re.compile(r"\b(a|p)\.m\.?", re.IGNORECASE), r"\1m"),
    (re.compile(r"\ba/c\b|\bA\.C\.", re.IGNORECASE), "AC"),
)
_COURTESIES = re.compile(
    r"\b(?:please|kindly|thank you(?: very much)?|thanks(?: a lot)?|real quick|quickly|"
    r"hey (?:car|there|assistant)|if you (?:can|could|would|don't mind)|would you mind|"
    r"could you|can you|would you|will you|(?:can|could) we (?!make it|get|reach|drive)|"
    r"i(?:'d| would) (?:like|love) you to|"
    r"i (?:want|need) you to|i was wondering if|do me a favou?r and|go ahead and|just|actually|"
    r"maybe|perhaps)\b,?\s*",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')]*\s+|\n+|;\s*")
_FIRST_WORD = re.compile(r"(?P<word>[A-Z][a-z]+)(?! [A-Z][a-z])\b")
_LONG_ENOUGH = 4
_TITLE = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|St)\.$")


def plain(text: str) -> str:
    """The words of the driver in an even form; names keep their capitals."""
    told = unicodedata.normalize("NFKC", text.translate(_STRAIGHT))
    told = in_figures(re.sub(r"[*_#`]+", "", told))
    for pattern, unit in _UNITS:
        told = pattern.sub(unit, told)
    return re.sub(r"[ \t]+", " ", told).strip()


def without_courtesies(text: str) -> str:
    """What is left when nobody is polite."""
    return re.sub(r"[\s,]+([,.!?])", r"\1", _COURTESIES.sub("", text)).strip(" ,")


def uncapitalised(sentence: str, whole: str) -> str:
    """The sentence without the capital that stands there only because it begins."""
    found = _FIRST_WORD.match(sentence)
    if found is None or len(sentence.split()) < _LONG_ENOUGH:
        return sentence
    elsewhere = re.compile(rf"(?<=[a-z,] ){re.escape(found['word'])}\b")
    if elsewhere.search(whole):
        return sentence
    return sentence[0].lower() + sentence[1:]


def sentences(text: str) -> list[str]:
    """Sentences with the sign that ends them."""
    found: list[str] = []
    for piece in _SENTENCE_END.split(text):
        if found and _TITLE.search(found[-1]):
            found[-1] += f" {piece}"
        elif re.search(r"\w", piece):
            found.append(piece.strip())
    return found
