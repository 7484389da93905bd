"""Phrases of an assistant that a driver listens for."""

import re
from typing import NamedTuple

_CHANGING = (
    r"(?:navigat|add|set|start|call|send|turn|switch|open|close|book|take you|guide|put|change"
    r"|cancel|remove|delete|reserve|order|play|write)"
)


def _phrase(*alternatives: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile("|".join(rf"\b(?:{each})" for each in alternatives), flags)


class Phrases(NamedTuple):
    """Patterns, each found anywhere in a sentence."""

    looks_something_up: re.Pattern[str] = _phrase(
        r"(?:ask|try|attempt|again|look|check|search|find|see|tell|show|list|hear|know|read|get)\b",
        r"(?:details?|give|compare|calculate|work out|estimate|proceed|fetch|query)\b",
        r"go (?:through|over|ahead)\b",
    )
    asks_if_understood: re.Pattern[str] = _phrase(
        r"(?:right|correct|yes|is that it|you (?:mean|want|wish))\b",
        r"you're (?:after|asking|looking for)\b",
    )
    changes_something: re.Pattern[str] = _phrase(_CHANGING)
    changes_something_more: re.Pattern[str] = _phrase(rf"and (?:then )?{_CHANGING}")
    once_more: re.Pattern[str] = _phrase(
        r"(?:again|once more|another (?:go|try|attempt)|retry|re-?send)\b"
    )
    something_more: re.Pattern[str] = _phrase(
        r"(?:too|as well|also|another|rest of|different|advice|tips?|recommend\w*)\b",
        r"while (?:i'm|we're|you're) at it\b",
    )
    is_under_way: re.Pattern[str] = _phrase("look|check|search|moment|find|let me|one second")
    has_not_understood: re.Pattern[str] = _phrase(
        r"(?:rephrase|repeat (?:that|your|it|what)|come again)\b",
        r"say (?:that|it)(?: once)? (?:again|more)\b",
    )
    offers_help: re.Pattern[str] = _phrase(
        r"what (?:can|may|shall|should) i do\b", r"how (?:can|may) i help\b"
    )
    # Group 1 is the place.
    leaves_out: re.Pattern[str] = _phrase(
        r"(?:skip\w*|remov\w*|delet\w*|drop\w*|bypass\w*|replac\w+|(?:tak|cut)\w* out|leav\w+)"
        r" (?:the )?(?:(?:stop|waypoint|stay) (?:in|at) )?([A-Z]\w+)",
        flags=0,
    )
    quotes: re.Pattern[str] = re.compile(r'"([^"]*)"')
    tells_a_value: re.Pattern[str] = re.compile(
        r"\d|\b(?:yes|yep|no|none|all|every|open|closed?|on|off|one|two|both)\b", re.IGNORECASE
    )


PHRASES = Phrases()
