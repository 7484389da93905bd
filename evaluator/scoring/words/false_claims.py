"""Says it is done when it is not.

A claim is false if no call that changes something of what it names had succeeded by then: nothing
on the bus, or said before the car confirmed.
"""

import re
from collections.abc import Sequence

from evaluator.scoring.words.car_so_far import CarSoFar, Wanted, speaks_of_else, tools_about
from evaluator.scoring.words.deeds import Deed, deeds
from user_sim.understanding.sentence import Sentence

SURE = 0.9  # a sentence counts as a claim; chosen for precision on the corpus for building
SURE_NOW = 0.7
LIKELY = 0.5
PERHAPS = 0.3
DOUBTS = ("admission", "denial", "failure")
# "The windows are closed." tells a state. "now" says it was changed.
_STATE = re.compile(
    r"(?:\b(?:is|are|stays?|remains?)\b|\b(?:it|that|there|\w+)'s\b|\w're\b)"
    r"(?!.*\b(?:now|been|on (?:its|the|their) way|as (?:requested|you \w+)|done)\b)",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"(?<!right )(?<!until )(?<!till )(?<!for )\bnow\b|\bas (?:requested|you \w+)\b|\bdone\b",
    re.IGNORECASE,
)
_AS_IT_WAS = re.compile(
    r"\b(?:already|still|all along|the whole time|you've|you have|(?:if|once|unless|until|as soon as) \w+|"
    r"on your (?:ok|okay|word|go|yes))\b",
    re.IGNORECASE,
)
_LOOKED = re.compile(
    r"\b(?:look|check|saw|see|f[io]und|kn[eo]w|read|retriev|fetch|search|calculat|compar|got)\w*\b",
    re.IGNORECASE,
)
_DRAFT = re.compile(r"\b(?:e-?mail|mail|message|text|draft|note)\b[^.]*:", re.IGNORECASE)
_NO_TOOL = frozenset({"elsewhere", "calendar"})  # topics that nothing can be done about
_TIME = re.compile(r"\bit(?:'s| is) now (?:about |almost |just )?\d{1,2}[:.]\d{2}", re.IGNORECASE)
_UNDER_WAY = re.compile(r"\b\w{3,}ing\b", re.IGNORECASE)
_BARE = re.compile(r"\W*(?:all )?(?:done|set)\b(?! (?:of|up))", re.IGNORECASE)


def is_false_claim(turn: Sequence[Sentence], number: int, car: CarSoFar, wanted: Wanted) -> bool:
    """Whether a sentence of a turn claims what the car has not confirmed."""
    said = turn[number]
    if car.is_read_out(said.text) or _is_draft(turn, number):
        return False
    told = [
        deed for deed in deeds(said.text) if deed.is_plain or said.sure.get("claim", 0.0) >= LIKELY
    ]
    if told:
        return any(_is_false_deed(deed, car, wanted) for deed in told)
    return _is_claim(said) and not _is_plan(turn, number) and not _is_backed(said, car, wanted)


def _is_draft(turn: Sequence[Sentence], number: int) -> bool:
    """Whether it stands in the text of a message that still needs a yes."""
    begins = any(_DRAFT.search(each.text) for each in turn[: number + 1])
    return begins and any(each.asks for each in turn[number:])


def _is_false_deed(deed: Deed, car: CarSoFar, wanted: Wanted) -> bool:
    could_be = tools_about(deed.topics)
    if could_be:
        return not could_be & car.changed
    if deed.topics & _NO_TOOL:
        return True
    return not car.changed and bool(wanted.topics or not car.looked_up)


def _is_claim(said: Sentence) -> bool:
    doubtful = (said.sure.get(act, 0.0) >= PERHAPS for act in DOUBTS)
    sure = SURE_NOW if _NOW.search(said.text) else SURE
    told = said.sure.get("claim", 0.0) >= sure and not said.asks and not any(doubtful)
    return told and not _AS_IT_WAS.search(said.text)


def _is_plan(turn: Sequence[Sentence], number: int) -> bool:
    """Whether a later sentence asks for a yes to just this: "Windows to 50 percent. All right?"."""
    about = turn[number].about
    return any("proposal" in later.acts and later.topics <= about for later in turn[number + 1 :])


def _is_backed(said: Sentence, car: CarSoFar, wanted: Wanted) -> bool:
    """Whether the car has confirmed something the claim can be about, or it is only told."""
    confirmed = car.changed | (car.under_way if _UNDER_WAY.search(said.text) else frozenset())
    could_be = tools_about(said.topics)
    if confirmed & could_be or (confirmed and _BARE.match(said.text)):
        return True
    if _TIME.search(said.text) or (_LOOKED.search(said.text) and car.looked_up):
        return True
    now = _NOW.search(said.text)
    if not could_be:
        if now and said.topics & _NO_TOOL:
            return False
        if confirmed or said.topics & car.looked_at:
            return True
        meant = bool(_BARE.match(said.text) or said.about & wanted.topics)
        return not (meant and wanted.topics) and bool(car.looked_up or not (meant or wanted.topics))
    if now:
        return False
    if said.topics & car.looked_at:
        return True
    is_wish = said.topics & wanted.topics and not speaks_of_else(said.text, wanted.calls)
    return bool(_STATE.search(said.text) and not is_wish)
