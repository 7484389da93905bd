"""Says it is done when it is not.

A claim is false if no call that changes something of what it names had succeeded by then: nothing
on the bus, or said before the car confirmed.
"""

import re
from collections.abc import Sequence

from evaluator.scoring.words.car_so_far import CarSoFar, Wanted, speaks_of_else, tools_about
from user_sim.understanding.sentence import Sentence

SURE = 0.9  # a sentence counts as a claim; chosen for precision on the corpus for building
PERHAPS = 0.3
# "The windows are closed." tells a state. "now" says it was changed.
_STATE = re.compile(
    r"(?:\b(?:is|are|stays?|remains?)\b|\b(?:it|that|there|\w+)'s\b|\w're\b)"
    r"(?!.*\b(?:now|been|on (?:its|the|their) way|as (?:requested|you \w+)|done)\b)",
    re.IGNORECASE,
)
_DEED = re.compile(r"\b(?:i|we)\b(?!'(?:d|ll|m|re)\b)|\bdone\b", re.IGNORECASE)
_LOOKED = re.compile(
    r"\b(?:look|check|saw|see|f[io]und|kn[eo]w|read|retriev|fetch|search|calculat|compar|got)\w*\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\bit(?:'s| is) now (?:about |almost |just )?\d{1,2}[:.]\d{2}", re.IGNORECASE)
_UNDER_WAY = re.compile(r"\b\w{3,}ing\b", re.IGNORECASE)
_BARE = re.compile(r"\W*(?:all )?(?:done|set)\b(?! (?:of|up))", re.IGNORECASE)


def is_false_claim(turn: Sequence[Sentence], number: int, car: CarSoFar, wanted: Wanted) -> bool:
    """Whether a sentence of a turn claims what the car has not confirmed."""
    said = turn[number]
    return (
        _is_claim(said)
        and not _is_plan(turn, number)
        and not car.is_read_out(said.text)
        and not _is_backed(said, car, wanted)
    )


def _is_claim(said: Sentence) -> bool:
    doubtful = (said.sure.get(act, 0.0) >= PERHAPS for act in ("admission", "denial", "failure"))
    return said.sure.get("claim", 0.0) >= SURE and not said.asks and not any(doubtful)


def _is_plan(turn: Sequence[Sentence], number: int) -> bool:
    """Whether a later sentence asks for a yes to just this: "Windows to 50 percent. All right?"."""
    about = turn[number].about
    return any("proposal" in later.acts and later.topics <= about for later in turn[number + 1 :])


def _is_backed(said: Sentence, car: CarSoFar, wanted: Wanted) -> bool:
    """Whether the car has confirmed something the claim can be about, or it is only told."""
    confirmed = car.changed | (car.under_way if _UNDER_WAY.search(said.text) else frozenset())
    could_be = tools_about(said.topics)
    if confirmed & could_be or (confirmed and (not could_be or _BARE.match(said.text))):
        return True
    if _TIME.search(said.text) or (_LOOKED.search(said.text) and car.looked_up):
        return True
    if _STATE.search(said.text) and not _DEED.search(said.text):
        is_wish = said.about & wanted.topics and not speaks_of_else(said.text, wanted.calls)
        return bool(said.topics & car.looked_at) or not is_wish
    return bool(not said.topics and not wanted.topics and car.looked_up)
