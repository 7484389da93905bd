"""Says that it cannot or did not, though it just has.

A denial is false if all the agent called for in that turn was done and confirmed, and all the
clause names was changed by it. A clause that names nothing means whatever was asked, unless the
same sentence or another beside it tells what was done.
"""

import re
from collections.abc import Sequence

from evaluator.scoring.words.car_so_far import CarSoFar, speaks_of_else, topics_of
from user_sim.lexicon import lexicon
from user_sim.understanding.sentence import Sentence

SURE = 0.8  # a sentence counts as a denial or an admission
PERHAPS = 0.3
_CLAUSES = re.compile(r"[,;:]|\b(?:but|so|though|although|because|since|as)\b", re.IGNORECASE)
# "The fan stays at two." and "I left the fan alone." may be true of something beside it.
_NOT = re.compile(
    r"n't\b|\b(?:not|cannot|never|unable|fail\w*|impossible)\b|"
    r"\bno (?:way|control|access|tool|option)\b",
    re.IGNORECASE,
)
# "I can't open it any further." is said of what has been done.
_MORE = re.compile(
    r"\b(?:further|more|anymore|else|others?|also|too|fully|entirely|completely|all the way|again|"
    r"undo|both|beyond|above|below|higher|lower|warmer|cooler|than|only|yet|why|whether|how|rest|"
    r"without|while|until|unless|before|in the (?:navigation|trip|route))\b",
    re.IGNORECASE,
)


def is_false_denial(turn: Sequence[Sentence], number: int, car: CarSoFar) -> bool:
    """Whether a sentence of a turn denies what the car has just confirmed."""
    said = turn[number]
    if not car.this_turn or said.asks or not _is_denial(said):
        return False
    tells = any(each.sure.get("claim", 0.0) >= PERHAPS for each in turn)
    return any(_denies(clause, car, tells) for clause in _CLAUSES.split(said.text))


def _is_denial(said: Sentence) -> bool:
    return said.sure.get("admission", 0.0) + said.sure.get("denial", 0.0) >= SURE


def _denies(clause: str, car: CarSoFar, tells: bool) -> bool:
    if not _NOT.search(clause) or _MORE.search(clause):
        return False
    named = lexicon().topics(clause)
    if not named:
        return not tells
    changed = topics_of(tool for tool, _ in car.this_turn)
    return named <= changed and not speaks_of_else(clause, car.this_turn)
