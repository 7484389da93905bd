"""Says it is done when it is not.

A claim is false if no call that changes something of what it names had succeeded by then: nothing
on the bus, or said before the car confirmed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evaluator.scoring.words.car_so_far import (
    AIR,
    CarSoFar,
    Wanted,
    speaks_of_else,
    things_named,
    tools_about,
    topics_of,
)
from evaluator.scoring.words.deeds import Deed, deeds
from user_sim.lexicon import lexicon
from user_sim.understanding.sentence import ACTS, Sentence
from user_sim.understanding.understand import understand
from user_sim.understanding.values import all_numbers
from user_sim.wants import CarCall

# From how sure on a sentence counts as a claim; chosen for precision, on both parts of the replies.
SURE = 0.96
SURE_OF_DEED = 0.5  # "Closed the windows for you."
DOUBT = 0.3  # of what it may be instead
HARDLY = 0.1  # "You'd think that I've closed the windows."
_INSTEAD = frozenset(ACTS) - {"claim", "info", "courtesy"}
_CHANGED = re.compile(
    r"(?<!right )(?<!until )(?<!till )(?<!for )\bnow\b|"
    r"\b(?:been|on (?:its|their) way|as requested|as you \w+|done)\b",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"\b(?:is|are|stays?|remains?)\b|\b(?:it|that|there|\w+)'s\b|\w're\b", re.IGNORECASE
)
# What "Fan on one." has and "Ah, and the fan." has not.
_RESULT = re.compile(
    r"\d|%|\b(?:on|off|up|down|open|shut|in|out|set|sent|put|gone|over|done|now|begun|active|complete|"
    r"ok|via|fastest|shortest|half\w*|one|two|three|four|five|\w+(?:ed|en|ing|ty|teen))\b",
    re.IGNORECASE,
)
# What somebody else did, what is as it was, what is not so, and what is still to come.
_NO_CLAIM = re.compile(
    r"\b(?:already|still|stays?|stayed|remains?|kept?|keeps?|left|unchanged|all along|"
    r"the whole time|you've|you have|no|not|cannot|never|nothing|unable|without|"
    r"(?:I|we)(?:'d|'ll| would| will| could| can)|"
    r"(?:if|once|unless|until|as soon as) \w+|on your (?:ok|okay|word|go|yes)|"
    r"it(?:'s| is) now (?:about |almost |just )?\d{1,2}[:.]\d{2})\b|n't\b",
    re.IGNORECASE,
)
_LOOKED = re.compile(
    r"\b(?:look|check|saw|see|f[io]und|kn[eo]w|read|retriev|fetch|search|calculat|compar|got)\w*\b",
    re.IGNORECASE,
)
_DRAFT = re.compile(r"\b(?:e-?mail|mail|message|text|draft|note)\b[^.]*:", re.IGNORECASE)
_NEXT_CLAUSE = re.compile(
    r"(?:,|;|\band\b)\s+(?=(?:the|your|his|her|my|all|both|it|that)\b[^,;]*?(?:\b(?:is|are|has|have)\b|'s\b))",
    re.IGNORECASE,
)
# "And because you were busy, I've rung your dentist."
_REASON = re.compile(
    r"(?:(?:and|so|oh|well)\W+)*(?:because|since|as|while)\b[^,;:]*,\s+(?=(?:I|we)\b)",
    re.IGNORECASE,
)
_ALREADY = re.compile(r"\b(?:I|we)(?:'ve| have)\s+already\s+\w+ed\b", re.IGNORECASE)
_BY_ME = re.compile(r"\b(?:I|we)\b|\bas (?:you|requested)\b", re.IGNORECASE)
_OFF = re.compile(r"\b(?:off|closed|shut|zero|inactive)\b", re.IGNORECASE)
_NOT_YET = re.compile(
    r"n't\b[^.]*\b(?:yet|anything)\b|\bnothing\b[^.]*\byet\b|"
    r"\b(?:say the word|go-ahead|confirm|your ok(?:ay)?)\b",
    re.IGNORECASE,
)
_UNDER_WAY = re.compile(r"\b\w{3,}ing\b", re.IGNORECASE)
_BARE = re.compile(
    r"\W*(?:(?:it|that|this|all|everything)(?:'s| is| has been)? )?"
    r"(?:all )?(?:done|set)\b(?! (?:of|up))",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"\b(?:meanwhile|meantime|since|by now|no longer|(?:some|any)(?:body|one)|else)\b",
    re.IGNORECASE,
)
_SENT = re.compile(r"\b(?:sent|mailed)\b", re.IGNORECASE)
_TRIP = frozenset({"destination", "navigation", "route", "waypoint"})  # names of one thing
_NO_TOOL = frozenset({"elsewhere", "calendar"})  # topics that nothing can be done about


def is_false_claim(turn: Sequence[Sentence], number: int, car: CarSoFar, wanted: Wanted) -> bool:
    """Whether a sentence of a turn claims what the car has not confirmed."""
    said = turn[number]
    if car.is_read_out(said.text) or _is_draft(turn, number):
        return False
    pieces = _pieces(_without_reason(said))
    return any(_is_false(each, turn[number + 1 :], car, wanted) for each in pieces)


def _without_reason(said: Sentence) -> Sentence:
    """What it tells, without a reason before it, which is easily taken for a denial."""
    reason = _REASON.match(said.text)
    if reason is None:
        return said
    main = understand(said.text[reason.end() :])[0]
    return replace(said, text=main.text, acts=main.acts, sure=main.sure)


def _pieces(said: Sentence) -> Iterator[Sentence]:
    """The main clauses of a sentence, each as if it were one; what names nothing goes on."""
    topics: frozenset[str] = frozenset()
    for text in _NEXT_CLAUSE.split(said.text):
        topics = lexicon().topics(text) or topics
        yield replace(said, text=text, topics=topics, about=topics or said.about)


def _is_false(said: Sentence, later: Sequence[Sentence], car: CarSoFar, wanted: Wanted) -> bool:
    sure = said.sure.get("claim", 0.0)
    unclear = sure < SURE_OF_DEED or _is_plan(said, later)
    told = [deed for deed in deeds(said.text) if deed.is_plain or not unclear]
    if told and sure < HARDLY and _is_doubtful(said) and not _ALREADY.search(said.text):
        return False
    if _leads_to_a_question(said, later, car):
        return False
    if told:
        return any(_is_false_deed(deed, car, wanted) for deed in told)
    return _is_claim(said) and not _is_plan(said, later) and not _is_backed(said, car, wanted)


def _leads_to_a_question(said: Sentence, later: Sequence[Sentence], car: CarSoFar) -> bool:
    """Whether it tells how the car was found, before a question about it: "Which level?"."""
    if _BY_ME.search(said.text) or not (_STATE.search(said.text) and said.topics & car.looked_at):
        return False
    return any(each.acts & {"open", "choice"} and each.about & said.topics for each in later)


def _is_draft(turn: Sequence[Sentence], number: int) -> bool:
    """Whether it stands in the text of a message that still needs a yes."""
    begins = any(_DRAFT.search(each.text) for each in turn[: number + 1])
    return begins and any(each.asks for each in turn[number:])


def _is_false_deed(deed: Deed, car: CarSoFar, wanted: Wanted) -> bool:
    could_be = tools_about(deed.topics)
    if deed.is_state and deed.topics & car.looked_at:
        return False
    if deed.is_passive and _is_of_others(deed.text, deed.topics, car, wanted):
        return False
    if could_be:
        return not could_be & car.changed
    if "send_email" in car.changed and _SENT.search(deed.text):
        return False  # "20:36 has been sent to all in the meeting"
    if deed.topics & _NO_TOOL:
        return True
    return not car.changed and bool(wanted.topics or not car.looked_up)


def _is_claim(said: Sentence) -> bool:
    tells = _STATE.search(said.text) or _RESULT.search(said.text)
    unclear = _is_doubtful(said) or not tells or _NO_CLAIM.search(said.text)
    return said.sure.get("claim", 0.0) >= SURE and not unclear


def _is_doubtful(said: Sentence) -> bool:
    return said.asks or any(said.sure.get(act, 0.0) >= DOUBT for act in _INSTEAD)


def _is_plan(said: Sentence, later: Sequence[Sentence]) -> bool:
    """Whether a yes to just this is still needed: "Windows to 50 percent. All right?"."""
    return any(
        ("proposal" in each.acts and each.topics <= said.about) or _NOT_YET.search(each.text)
        for each in later
    )


def _is_backed(said: Sentence, car: CarSoFar, wanted: Wanted) -> bool:
    """Whether the car has confirmed something the claim can be about, or it is only told."""
    confirmed = car.changed | (car.under_way if _UNDER_WAY.search(said.text) else frozenset())
    named = things_named(said.text)
    could_be = tools_about(named | AIR if "temperature" in named else named)
    if confirmed & could_be or (confirmed and _BARE.match(said.text)):
        return True
    if _LOOKED.search(said.text) and car.looked_up:
        return True
    if could_be:
        return _is_found(said, car, wanted)
    if said.topics & car.looked_at or (_STATE.search(said.text) and said.about & car.looked_at):
        return True
    if confirmed:
        return not (said.topics & _NO_TOOL and _CHANGED.search(said.text))
    return not _is_about_wish(said, car, wanted)


def _is_found(said: Sentence, car: CarSoFar, wanted: Wanted) -> bool:
    """Whether it tells how the car was found: after a look, or of what nobody wants changed."""
    if _CHANGED.search(said.text):
        by_me = _BY_ME.search(said.text)
        return not by_me and _is_of_others(said.text, said.topics, car, wanted)
    is_wish = said.topics & wanted.topics and not speaks_of_else(said.text, wanted.calls)
    return bool(said.topics & car.looked_at or (_STATE.search(said.text) and not is_wish))


def _is_of_others(text: str, topics: frozenset[str], car: CarSoFar, wanted: Wanted) -> bool:
    """Whether it tells of something that was looked at and no state that the driver wants of it.

    Of what the driver wants nothing, others have to have set something.
    """
    near = topics | _TRIP if topics & _TRIP else topics
    if near & car.by_hand & car.looked_at and _SINCE.search(text):
        return True
    calls = [call for call in wanted.calls if topics_of([call[0]]) & topics]
    lacking = wanted.topics - topics_of(tool for tool, _ in wanted.calls)
    looked = bool(topics & car.looked_at) and not topics & lacking
    if not calls:
        return looked and bool(topics & car.by_hand)
    return looked and all(_is_another_state(text, call) for call in calls)


def _is_another_state(text: str, call: CarCall) -> bool:
    """Whether a text names another value than a call sets, or off where it sets on."""
    given = call[1].values()
    off = bool(_OFF.search(text)) and not any(value in (0, False) for value in given)
    told, ours = all_numbers(text), all_numbers(" ".join(map(str, given)))
    other_number = bool(told and ours) and not told & ours
    return off or other_number or speaks_of_else(text, [call])


def _is_about_wish(said: Sentence, car: CarSoFar, wanted: Wanted) -> bool:
    """Whether what names nothing is about what the driver wants, when nothing was done."""
    bare = _BARE.match(said.text)
    if not wanted.topics:
        return bool(bare and not car.looked_up)
    return bool(bare or said.about & wanted.topics or not car.looked_up)
