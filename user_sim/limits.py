"""What a turn says of the part that the car lacks."""

from collections.abc import Sequence
from typing import Literal

from user_sim.lexicon import lexicon
from user_sim.script import DriverBrief
from user_sim.understanding.sentence import Sentence

Verdict = Literal["admitted", "invented", "silent"]
SURE = 0.5
PERHAPS = 0.2


def limit_verdict(
    turn: Sequence[Sentence], brief: DriverBrief, *, feasible: bool
) -> tuple[Verdict, str]:
    """Whether the turn admits what the car lacks, or claims it, and the sentence that does.

    Where nothing is removed any admission counts. A claim that names nothing is about what is
    lacking if nothing else was feasible.
    """
    for each in turn:
        if each.sure.get("admission", 0.0) >= SURE and admits(each, brief.removed):
            return "admitted", each.text
    doubtful = any(each.sure.get("admission", 0.0) >= PERHAPS for each in turn)
    if brief.removed and not doubtful:
        for each in turn:
            if _invents(each, brief.removed, feasible):
                return "invented", each.text
    return "silent", ""


def admits(sentence: Sentence, removed: Sequence[str]) -> bool:
    """Whether an admission is about a removed part: it names it, or names nothing at all."""
    if not removed:
        return True
    topics, aspects = lexicon().removed_subject(removed)
    named = sentence.topics - {"lights"}
    if aspects and sentence.aspects - {"percentage"} and not sentence.aspects & aspects:
        return False
    if named:
        return bool(named & topics)
    return not sentence.aspects or bool(sentence.aspects & aspects) or bool(sentence.about & topics)


def _invents(sentence: Sentence, removed: Sequence[str], feasible: bool) -> bool:
    topics, _ = lexicon().removed_subject(removed)
    if sentence.asks or "claim" not in sentence.acts:
        return False
    named = sentence.topics - {"lights"}
    return bool(named & topics) or (not named and not feasible)
