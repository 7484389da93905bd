"""Slips of the keyboard: a word that nobody knows, one step away from one that is needed here."""

import re
from functools import cache

from assistant_gateway.agents.rules.language.patterns import words_of
from assistant_gateway.wording.language import english_words

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORD = re.compile(r"(?:(?<![\w'@.-])[a-z]|^[A-Z])[a-z]{3,}(?![\w'@-])")
_LONG = 6


def spelled(text: str) -> str:
    """`open the windows` for `opne the widnows`; names, which have capitals, stay."""
    return _WORD.sub(lambda word: _right(word[0]), text)


@cache
def _right(word: str) -> str:
    known = words_of("spelling")
    small = word.lower()
    if small in known or small in english_words():
        return word
    swapped = [small[:i] + small[i + 1] + small[i] + small[i + 2 :] for i in range(len(small) - 1)]
    near = [other for other in swapped if other in known] or [
        other for other in (_one_letter_off(small) if len(small) >= _LONG else ()) if other in known
    ]
    return near[0] if near else word


def _one_letter_off(word: str) -> list[str]:
    """A letter too many, too few or wrong."""
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    less = [left + right[1:] for left, right in cuts if right]
    more = [left + letter + right for left, right in cuts for letter in _LETTERS]
    other = [left + letter + right[1:] for left, right in cuts if right for letter in _LETTERS]
    return [*less, *more, *other]
