"""Text cut into sentences, with plain quotes and dashes and without markup."""

import re
import unicodedata

_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014\u2026", "''\"\"--.")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|approx|min|max|no|vs|dr|mr|mrs|ms|st|a\.m|p\.m)|^\W*\d{1,2})\.$", re.I
)
_UNIT = re.compile(r"(?:\d\s?min|\b[ap]\.m|\betc)\.$", re.I)  # may stand at the end of a sentence
_BEGINS = re.compile(r"\s+[\"'(]*[A-Z]")
_SENTENCE_END = re.compile(r"[.!?]+[\"')\]]*(?=\s|$)")


def straightened(text: str) -> str:
    """The text with plain quotes and dashes and without markup, ready for the patterns."""
    plain = unicodedata.normalize("NFKC", text.translate(_STRAIGHT))
    return re.sub(r"[*_#`]+", "", plain)


def sentences(text: str) -> list[str]:
    """Split a text into sentences; a line or list item ends one."""
    found: list[str] = []
    for line in straightened(text).splitlines():
        start = 0
        for end in _SENTENCE_END.finditer(line):
            before = line[start : end.start() + 1]
            goes_on = not (_UNIT.search(before) and _BEGINS.match(line, end.end()))
            if line[end.start()] == "." and _ABBREVIATION.search(before) and goes_on:
                continue
            found.append(line[start : end.end()].strip())
            start = end.end()
        found.append(line[start:].strip())
    spoken = (re.sub(r"^[^\w\"'(]+", "", sentence) for sentence in found)
    return [sentence for sentence in spoken if re.search(r"\w", sentence)]
