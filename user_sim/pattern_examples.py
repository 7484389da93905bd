"""Short texts that a regular expression matches.

Enough of the syntax for patterns that people write about words: alternatives, groups, optional
and repeated parts, classes, anchors. What it cannot read it skips; the caller checks the match.
"""

import re
from collections.abc import Iterator
from itertools import islice, product

_MOST = 64


def examples(pattern: str) -> Iterator[str]:
    """Texts the pattern matches, simplest first; none if the pattern is beyond this reader."""
    try:
        wanted = re.compile(pattern, re.IGNORECASE)
    except re.error:
        return
    texts, _ = _alternatives(pattern, 0)
    seen: set[str] = set()
    for text in texts:
        text = re.sub(r"\s+", " ", text).strip()
        if text and text not in seen and wanted.search(text):
            seen.add(text)
            yield text


def _alternatives(pattern: str, at: int) -> tuple[list[str], int]:
    found: list[str] = []
    while True:
        texts, at = _sequence(pattern, at)
        found += texts
        if at >= len(pattern) or pattern[at] == ")":
            return found[:_MOST], at
        at += 1


def _sequence(pattern: str, at: int) -> tuple[list[str], int]:
    texts = [""]
    while at < len(pattern) and pattern[at] not in "|)":
        part, at = _atom(pattern, at)
        part, at = _repeated(part, pattern, at)
        texts = ["".join(pair) for pair in islice(product(texts, part), _MOST)]
    return texts, at


def _atom(pattern: str, at: int) -> tuple[list[str], int]:
    character = pattern[at]
    if character == "(":
        return _group(pattern, at)
    if character == "[":
        end = pattern.index("]", at + 2)
        inside = pattern[at + 1 : end]
        return [" " if inside.startswith("^") or inside[0] in " -" else inside[0]], end + 1
    if character == "\\":
        escaped = pattern[at + 1]
        known = {"b": "", "B": "", "s": " ", "d": "5", "w": "a", "S": "a", "W": " ", "D": "a"}
        return [known.get(escaped, escaped)], at + 2
    if character == ".":
        return [" "], at + 1
    return ["" if character in "^$" else character], at + 1


def _group(pattern: str, at: int) -> tuple[list[str], int]:
    opening = re.compile(r"\((?:\?(?:[:=!]|<[=!]|P<\w+>|[a-z]+:))?").match(pattern, at)
    start = opening.end() if opening else at + 1
    texts, end = _alternatives(pattern, start)
    looks = pattern[at:start]
    return ([""] if looks in ("(?!", "(?<!", "(?<=") else texts), end + 1


def _repeated(part: list[str], pattern: str, at: int) -> tuple[list[str], int]:
    counted = re.compile(r"\{(\d*),?\d*\}|[*+?]").match(pattern, at)
    if counted is None:
        return part, at
    end = counted.end()
    if pattern[end : end + 1] in ("?", "+"):
        end += 1
    if counted[0] in ("?", "*") or counted[1] == "0":
        return ["", *part], end
    return part, end
