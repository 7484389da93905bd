"""What a sentence says in plain words was done: "I've set the fan and closed the trunk."."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from evaluator.scoring.words.car_so_far import things_named
from vehicle_bus.data_folder import quick_yaml

_WORDS = quick_yaml(Path(__file__).with_name("deeds.yaml"))
_ADVERBS = rf"(?:(?:{'|'.join(_WORDS['adverbs'])}),?\s+)*"
_VERBS = "|".join([*_WORDS["verbs"], *_WORDS["weak"]])
_FIRST = ("first", "passive", "state", "bare")  # where a row of deeds may begin
_BEGINS = re.compile(
    rf"(?:(?P<first>\b(?:I|we)(?:'ve|\s+have|\s+had)?\s+)"
    rf"|(?P<passive>(?:\b(?:has|have)|'s|'ve)\s+{_ADVERBS}been\s+)"
    rf"|(?P<state>\b(?:was|were)\s+)"
    rf"|(?P<bare>^(?:and\s+|plus\W+|(?:all )?done\W+|okay\W+)*)"
    rf"|(?:,|\band|\bplus|\bthen)\s+(?:and\s+|then\s+|have\s+)*)"
    rf"{_ADVERBS}(?P<verb>{_VERBS})\b(?!{'|'.join(_WORDS['other_meanings'])})",
    re.IGNORECASE,
)
_WEAK = re.compile("|".join(_WORDS["weak"]), re.IGNORECASE)
_ENDS = re.compile(
    r"[;:]|\b(?:because|since|but|although|though|while|so|to (?:let|get|keep|make|help))\b",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(r"[,;:]|\b(?:and|but|so)\b", re.IGNORECASE)
# What stands before a deed that is none: a condition, a question, nobody, the make of the car.
_UNLESS = re.compile(
    r"\b(?:if|unless|once|when|whenever|after|before|until|till|as soon as|whether|in case|"
    r"whatever|that|which|what|how|who|shall|should|can|could|may|might|will|would|must|do|did|does|"
    r"no|not|nothing|none|neither|nor|never|nobody|said|says|say|feature|function|option)\b|n't\b",
    re.IGNORECASE,
)
_ANY_TENSE = re.compile(rf"(?:I|we)\s+{_ADVERBS}(?:set|put|shut|reset)\b", re.IGNORECASE)
_SENT = re.compile(r"sent|\w*-?mailed|messaged|texted|informed|notified|let", re.IGNORECASE)
# "I've opened it for some fresh air.": what follows says why.
_PRONOUN = re.compile(r"\s+(?:it|that|this|them|these|those|both|everything)\b", re.IGNORECASE)
_ABOUT = [(re.compile(verb, re.I), frozenset(about)) for verb, about in _WORDS["topics"].items()]


class Deed(NamedTuple):
    """One clause; `topics` are what its verb or else the clause names.

    `is_plain` is false for what may be told of something else ("it was set") or of a plan ("I've
    picked the fastest route", "I've added him to the e-mail"). `is_state` is true of what may have
    been found so: "The trunk was closed."; `is_passive` if nobody is named ("has been closed").
    """

    text: str
    topics: frozenset[str]
    is_plain: bool
    is_state: bool
    is_passive: bool


@lru_cache(maxsize=4096)
def deeds(sentence: str) -> tuple[Deed, ...]:
    """Every deed that a sentence tells, in its order."""
    return tuple(_deeds(sentence))


def _deeds(sentence: str) -> Iterator[Deed]:
    begins = list(_BEGINS.finditer(sentence))
    told = False
    for begin, after in zip_longest(begins, begins[1:]):
        before = _BOUNDARY.split(sentence[: begin.start()])[-1]
        if any(begin[kind] is not None for kind in _FIRST):
            told = not _UNLESS.search(before)
        if told:
            end = after.start() if after else len(sentence)
            its_subject = before if begin["passive"] or begin["state"] else ""
            clause = _ENDS.split(its_subject + sentence[begin.start() : end])[0]
            topics = _topics(begin["verb"], clause, sentence[begin.end() : end])
            is_state, is_passive = (begin[kind] is not None for kind in ("state", "passive"))
            yield Deed(clause, topics, _is_plain(begin, topics), is_state, is_passive)


def _topics(verb: str, clause: str, rest: str) -> frozenset[str]:
    own = next((about for known, about in _ABOUT if known.fullmatch(verb)), frozenset[str]())
    return own or (frozenset() if _PRONOUN.match(rest) else things_named(clause))


def _is_plain(begin: re.Match[str], topics: frozenset[str]) -> bool:
    verb = begin["verb"]
    drafted = "email" in topics and not _SENT.match(verb)
    unclear = begin["state"] or begin["bare"] is not None or _ANY_TENSE.match(begin[0])
    return not (drafted or unclear or _WEAK.fullmatch(verb))
