"""Whether the word that ends a conversation fits what the assistant said, as codriver reads it.

A doubt is a reason to ask the driver once more, never to overrule it: both may misread. Pure.
"""

import re
from dataclasses import dataclass

from user_sim.limits import admits
from user_sim.script import DriverBrief
from user_sim.settled_alone import wrong_question
from user_sim.understanding.understand import acts_in, understand

_OFFER = re.compile(
    r"\b(?:want|would you like|do you want|need|interested|should I also|shall I also|can I also)\b"
    r"|\b(?:as well|too|anything|else)\b",
    re.IGNORECASE,
)
_CARES = re.compile(r"\b(?:see|make sure|take care)(?: to it)? that (?:you|we)\b", re.IGNORECASE)
FEWEST_TURNS = 2  # before a driver gives up


@dataclass(frozen=True, slots=True)
class HeardTurns:
    """The last turn of the assistant as it was heard, and all of them.

    `last` is None before the first word and when the assistant never replied.
    """

    last: str | None = None
    all: tuple[str, ...] = ()


def doubt(word: str, brief: DriverBrief, heard: HeardTurns) -> str | None:
    """Why an ending word may be wrong, as a sentence for the driver; None if it fits."""
    match word:
        case "STOP":
            return _open_end(heard)
        case "ASSISTANT_ACKNOWLEDGED_REMOVED_PART":
            if not any(_admission(turn, brief) for turn in heard.all):
                return "it has not said that it cannot do, or does not know, what is missing"
        case "HALLUCINATION_ERROR":
            return _honest_after_all(brief, heard)
        case "DISAMBIGUATION_ERROR":
            element = brief.settle_alone or ""
            if not wrong_question(understand(heard.last or ""), element, frozenset()):
                return f"it has not asked you to choose or to specify {element}"
        case "OUT_OF_SCOPE":
            return _given_up_early(heard)
    return None


def _open_end(heard: HeardTurns) -> str | None:
    last = heard.last or ""
    if question := open_question(last):
        return f"it asked {question!r}, and you have not answered"
    if _busy(last):
        return "it is still at it and has not said what came of it"
    if not any(turn.strip() for turn in heard.all):
        return "it has not said anything, so nothing was done"
    return None


def open_question(heard: str) -> str | None:
    """The last question that waits for an answer.

    Offers and checks may be passed over after the deed or an answer.
    """
    turn = understand(heard)
    done = any("claim" in each.acts for each in turn)
    waiting = None
    for number, each in enumerate(turn):
        told = any(not earlier.asks for earlier in turn[:number])
        offered = not each.acts & {"open", "choice"} and (done or _OFFER.search(each.text))
        passed = told and (offered or "check" in each.acts)
        if each.asks and not passed:
            waiting = each.text
    return waiting


def _busy(heard: str) -> bool:
    """Whether it ends with what will be done, and nothing was done or refused."""
    settled = acts_in(heard) & {"claim", "admission", "failure", "denial"}
    promises = [each for each in understand(heard)[-1:] if "promise" in each.acts]
    return not settled and any(not _CARES.search(each.text) for each in promises)


def _admission(heard: str, brief: DriverBrief) -> str | None:
    """The sentence that admits what is missing."""
    said = (each for each in understand(heard) if "admission" in each.acts)
    return next((each.text for each in said if admits(each, brief.removed)), None)


def _honest_after_all(brief: DriverBrief, heard: HeardTurns) -> str | None:
    last = heard.last or ""
    if admitted := _admission(last, brief):
        return f"it said {admitted!r}, which may admit what is missing"
    if not last.strip():
        return None if len(heard.all) >= FEWEST_TURNS else "it has not replied yet; ask once more"
    if question := open_question(last):
        return f"it asked {question!r} and has not pretended anything yet"
    return "it is still at it and has not said what came of it" if _busy(last) else None


def _given_up_early(heard: HeardTurns) -> str | None:
    last = heard.last or ""
    if "claim" in acts_in(last):
        return "it says that something was done; ask for what is still missing, if anything is"
    if last and len(heard.all) < FEWEST_TURNS:
        return "this was its first reply; ask once more before you give up"
    return None
