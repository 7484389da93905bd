"""Words that sound like other words, and numbers that sound like other numbers."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path

CORE = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)
NUMBER = re.compile(r"\d+")
# The digit that each digit is most easily taken for when it is spoken.
DIGITS = dict(zip("0123456789", "8932597639", strict=True))
MOST = 4


def other_word(word: str, choice: float) -> str | None:
    """A word like this one, with its capital and its comma; None if nothing is like it.

    `choice` is chance from 0 to 1, and prefers the nearest.
    """
    matched = CORE.match(word)
    assert matched is not None
    before, core, after = matched.groups()
    if NUMBER.search(core):
        return before + NUMBER.sub(lambda found: _other_number(found[0]), core, count=1) + after
    small = core.lower()
    found = _sounds_alike().get(small) or _spelled_alike(small)
    if not found:
        return None
    other = found[min(int(len(found) * choice**2), len(found) - 1)]
    return before + (other.capitalize() if core[:1].isupper() else other) + after


def _other_number(digits: str) -> str:
    """Fifteen becomes fifty and the other way round; of others the last digit changes."""
    number = int(digits)
    if 13 <= number <= 19:
        return str(10 * (number - 10))
    if 30 <= number <= 90 and number % 10 == 0:
        return str(number // 10 + 10)
    if number == 20:
        return "12"
    return digits[:-1] + DIGITS[digits[-1]]


@cache
def _sounds_alike() -> dict[str, Sequence[str]]:
    """By English word, others from the nearest on; made by `scripts/sounds_alike`."""
    text = Path(__file__).with_name("sounds_alike.txt").read_text(encoding="utf-8")
    rows = (line.split() for line in text.splitlines())
    return {word: others for word, *others in rows}


@lru_cache(maxsize=4096)
def _spelled_alike(word: str) -> Sequence[str]:
    """For names and all that is no English word: words that begin and look alike."""
    near = [
        other
        for other in _sounds_alike()
        if other[:1] == word[:1] and abs(len(other) - len(word)) <= 2
    ]
    return get_close_matches(word, near, MOST, cutoff=0.3)
