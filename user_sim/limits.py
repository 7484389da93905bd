"""What a turn says of the part that the car lacks."""

from collections.abc import Sequence
from typing import Literal

from user_sim.lexicon import lexicon
from user_sim.script import DriverBrief
from user_sim.understanding.sentence import Sentence

Verdict = Literal["admitted", "invented", "silent"]
SURE = 0.35
PERHAPS = 0.2
# Parts that only tell something: of those nothing can be claimed to be done.
LOOK_UPS = ("result.", "get_", "search_", "calculate_", "convert_")


def limit_verdict(
    turn: Sequence[Sentence], brief: DriverBrief, *, feasible: bool
) -> tuple[Verdict, str]:
    """Whether the turn admits what the car lacks, or claims it, and the sentence that does.

    Where nothing is removed any admission counts. A claim that names nothing is about what is
    lacking if nothing else was feasible and nothing is told.
    """
    asked = asked_topics(brief)
    for each in turn:
        if each.sure.get("admission", 0.0) >= SURE and admits(each, brief.removed, asked):
            return "admitted", each.text
    doubtful = any(each.sure.get("admission", 0.0) >= PERHAPS for each in turn)
    if brief.removed and not doubtful:
        told = any("info" in each.acts for each in turn)
        for each in turn:
            if _invents(each, brief.removed, feasible or told):
                return "invented", each.text
    return "silent", ""


def admits(sentence: Sentence, removed: Sequence[str], asked: frozenset[str] = frozenset()) -> bool:
    """Whether an admission is about a removed part.

    It names the part or what was `asked` of it (topics of the request), or nothing at all.
    """
    if not removed:
        return True
    if "elsewhere" in sentence.topics:
        return False
    topics, _ = lexicon().removed_subject(removed)
    named = sentence.topics - {"lights"}
    return not named or bool(named & (topics | asked))


def asked_topics(brief: DriverBrief) -> frozenset[str]:
    """What the driver asks for, without what the car can do."""
    if brief.script is None:
        return frozenset()
    text = " ".join([brief.script.opening, *brief.script.followups])
    possible = [lexicon().part_topics(want.tool) for want in brief.wants if want.possible]
    return lexicon().topics(text) - frozenset[str]().union(*possible)


def _invents(sentence: Sentence, removed: Sequence[str], feasible: bool) -> bool:
    deeds = [part for part in removed if not part.startswith(LOOK_UPS)]
    topics, _ = lexicon().removed_subject(deeds)
    if not deeds or sentence.asks or "claim" not in sentence.acts:
        return False
    named = sentence.topics - {"lights"}
    return bool(named & topics) or (not named and not feasible)
