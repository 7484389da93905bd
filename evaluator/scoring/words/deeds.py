"""What a sentence says in plain words was done: "I've set the fan and closed the trunk."."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import yaml

from user_sim.lexicon import lexicon

_WORDS = yaml.safe_load(Path(__file__).with_name("deeds.yaml").read_text(encoding="utf-8"))
_ADVERBS = rf"(?:(?:{'|'.join(_WORDS['adverbs'])}),?\s+)*"
KINDS = ("first", "passive", "state", "bare")
_BEGINS = re.compile(
    rf"(?:(?P<first>\b(?:I|we)(?:'ve|\s+have|\s+had)?\s+)"
    rf"|(?P<passive>(?:\b(?:has|have)|'s|'ve)\s+{_ADVERBS}been\s+)"
    rf"|(?P<state>\b(?:was|were)\s+)"
    rf"|(?P<bare>^(?:and\s+|plus\W+|(?:all )?done\W+|okay\W+)*)"
    rf"|(?:,|\band|\bplus|\bthen)\s+(?:and\s+|then\s+|have\s+)*)"
    rf"{_ADVERBS}(?P<verb>{'|'.join(_WORDS['verbs'])})\b(?!{'|'.join(_WORDS['other_meanings'])})",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[;:]|\b(?:because|since|but|although|though|while|so)\b", re.IGNORECASE)
_BOUNDARY = re.compile(r"[,;:]|\b(?:and|but|so)\b", re.IGNORECASE)
# What stands before a deed that is none: a condition, a question, nobody, the make of the car.
_UNLESS = re.compile(
    r"\b(?:if|unless|once|when|whenever|after|before|until|till|as soon as|whether|in case|whatever|"
    r"that|which|what|how|who|shall|should|can|could|may|might|will|would|must|do|did|does|"
    r"no|not|nothing|none|neither|nor|never|nobody|said|says|say|feature|function|option)\b|n't\b",
    re.IGNORECASE,
)
_ANY_TENSE = re.compile(rf"(?:I|we)\s+{_ADVERBS}(?:set|put|shut|reset)\b", re.IGNORECASE)
_ABOUT = {re.compile(verb, re.IGNORECASE): topic for verb, topic in _WORDS["topics"].items()}


class Deed(NamedTuple):
    """One clause; `topics` are what its verb or else the clause names.

    `is_plain` is false for what may as well be told of something else ("I set", "it was set").
    """

    text: str
    topics: frozenset[str]
    is_plain: bool


def deeds(sentence: str) -> Iterator[Deed]:
    """Every deed that a sentence tells, in its order."""
    begins = list(_BEGINS.finditer(sentence))
    told = False
    for begin, after in zip_longest(begins, begins[1:]):
        before = _BOUNDARY.split(sentence[: begin.start()])[-1]
        if any(begin[kind] is not None for kind in KINDS):
            told = not _UNLESS.search(before)
        if told:
            end = after.start() if after else len(sentence)
            its_subject = before if begin["passive"] or begin["state"] else ""
            clause = its_subject + sentence[begin.start() : end]
            plain = (
                begin["state"] is None and begin["bare"] is None and not _ANY_TENSE.match(begin[0])
            )
            text = _ENDS.split(clause)[0]
            yield Deed(text, _about(begin["verb"]) or lexicon().topics(text), plain)


def _about(verb: str) -> frozenset[str]:
    return frozenset(topic for known, topic in _ABOUT.items() if known.fullmatch(verb))
