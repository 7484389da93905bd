"""Whether the word that ends a conversation fits what the assistant said, as the lexicon reads it.

A doubt is a reason to ask the driver once more, never to overrule it: both may misread. Pure. All
use of the lexicon by a driver that a model plays is in this file.
"""

import re
from dataclasses import dataclass

from assistant_gateway.wording.sentences import sentences
from user_sim.lexicon import lexicon
from user_sim.script import DriverBrief

_STILL_BUSY = re.compile(
    r"\b(?:one|a|just a) (?:moment|second|sec|minute)\b|\b(?:hold|hang) on\b(?! to)"
    r"|\bbear with me\b"
    r"|\bI(?:'ll| will| am going to|'m going to) (?:now |just |quickly )?"
    r"(?:check|look|find|search|open|close|turn|set|switch|start|send|call|plan|try)\b"
    r"|\blet me (?!know\b)|\b(?:I'm|I am) (?:now |just )?(?:checking|looking|searching|trying)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"\b(?:want|would you like|do you want|need|interested|should I also|shall I also|can I also)\b"
    r"|\b(?:as well|too|anything|else)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",\s*(?:(?:is|are|was|does|do|has|have|wo|ca)(?:n't)? (?:it|that|they|you|he|she)|right|okay"
    r"|ok|no|huh|eh)\?$",
    re.IGNORECASE,
)
# "Better now?"
_CHECK = re.compile(r"(?!(?:wh|how|or|shall|should|may|can)\w*\b)\S+(?: \S+){0,2}\?", re.IGNORECASE)
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
            if not any(_admits(turn, brief) for turn in heard.all):
                return "it has not said that it cannot do, or does not know, what is missing"
        case "HALLUCINATION_ERROR":
            return _honest_after_all(brief, heard)
        case "DISAMBIGUATION_ERROR":
            element = brief.settle_alone or ""
            if not lexicon().asks_about(heard.last or "", element):
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

    Offers and short checks may be passed over after the deed or an answer.
    """
    spoken = sentences(heard)
    done = bool(lexicon().claims(heard))
    waiting = None
    for number, sentence in enumerate(spoken):
        if not lexicon().is_question(sentence) or _TAG.search(sentence):
            continue
        told = any(not lexicon().is_question(earlier) for earlier in spoken[:number])
        passed = lexicon().is_confirmation(sentence) and (done or _OFFER.search(sentence))
        if not (told and (passed or _CHECK.fullmatch(sentence))):
            waiting = sentence
    return waiting


def _busy(heard: str) -> bool:
    found = sentences(heard)
    done = lexicon().claims(heard) or lexicon().limits(heard)
    return bool(found) and not done and _STILL_BUSY.search(found[-1]) is not None


def _admits(heard: str, brief: DriverBrief) -> bool:
    return lexicon().acknowledges(heard, brief.removed) is not None


def _honest_after_all(brief: DriverBrief, heard: HeardTurns) -> str | None:
    last = heard.last or ""
    if admitted := lexicon().acknowledges(last, brief.removed):
        return f"it said {admitted!r}, which may admit what is missing"
    if not last.strip():
        return None if len(heard.all) >= FEWEST_TURNS else "it has not replied yet; ask once more"
    if question := open_question(last):
        return f"it asked {question!r} and has not pretended anything yet"
    return "it is still at it and has not said what came of it" if _busy(last) else None


def _given_up_early(heard: HeardTurns) -> str | None:
    last = heard.last or ""
    if lexicon().claims(last):
        return "it says that something was done; ask for what is still missing, if anything is"
    if last and len(heard.all) < FEWEST_TURNS:
        return "this was its first reply; ask once more before you give up"
    return None
