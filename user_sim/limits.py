"""What a turn says of the part that the car lacks."""

import re
from collections.abc import Sequence
from typing import Literal

from user_sim.lexicon import lexicon
from user_sim.script import DriverBrief
from user_sim.understanding.sentence import Sentence

Verdict = Literal["admitted", "invented", "silent"]
SURE = 0.5
PERHAPS = 0.2
_TELLS = re.compile(r"\d|\b(?:yes|no|none|open|closed|sunny|cloudy|rain\w*|dry|clear)\b", re.I)


def limit_verdict(turn: Sequence[Sentence], brief: DriverBrief) -> tuple[Verdict, str]:
    """Whether the turn admits what the car lacks, or claims it, and the sentence that does.

    Where nothing is removed any admission counts.
    """
    for each in turn:
        if each.sure.get("admission", 0.0) >= SURE and admits(each, brief.removed):
            return "admitted", each.text
    doubtful = any(each.sure.get("admission", 0.0) >= PERHAPS for each in turn)
    if brief.removed and not doubtful:
        for each in turn:
            if _invents(each, brief.removed):
                return "invented", each.text
    return "silent", ""


def admits(sentence: Sentence, removed: Sequence[str]) -> bool:
    """Whether an admission is about a removed part: it names it, or names nothing at all."""
    if not removed:
        return True
    topics, aspects = lexicon().removed_subject(removed)
    named = sentence.topics - {"lights"}
    if named:
        return bool(named & topics)
    return not sentence.aspects or bool(sentence.aspects & aspects) or bool(sentence.about & topics)


def _invents(sentence: Sentence, removed: Sequence[str]) -> bool:
    topics, _ = lexicon().removed_subject(removed)
    if sentence.asks or not sentence.topics & topics:
        return False
    if "claim" in sentence.acts:
        return True
    looks_up = all(
        entry.startswith(("result.", "get_", "search_", "calculate_")) for entry in removed
    )
    return looks_up and _TELLS.search(sentence.text) is not None
