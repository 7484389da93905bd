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
    # Groups 1 and 2 are places.
    leaves_out: re.Pattern[str] = _phrase(
        r"(?:skip\w*|remov\w*|delet\w*|drop\w*|bypass\w*|replac\w+|(?:tak|cut)\w* out|leav\w+(?: out)?)"
        r" (?:the )?(?:(?:stop|waypoint|stay) (?:in|at) )?(?:both )?([A-Z]\w+)(?: and ([A-Z]\w+))?",
        flags=0,
    )
    # What the assistant has understood, to be confirmed.
    reads_back: re.Pattern[str] = re.compile(
        r"\b(?:(?:is|was) (?:that|this|it) (?:it|right|correct|what|how|the (?:idea|change|plan|one|way)|all)\b"
        r"|(?:have i|did i|i've|i) (?:got|get|understood|understand|heard|hear)\b|(?:right|correct|agreed|yes|was it|were they)\W*$"
        r"|(?:sounds?|looks?) (?:good|right|fine|okay|ok)\b|does that (?:sound|work|suit|fit|match)\b)",
        re.IGNORECASE,
    )
    # Later or only for a while, where the wish is for now and for good.
    puts_off: re.Pattern[str] = _phrase(
        r"tomorrow",
        r"later (?:on|today|tonight)\b",
        r"(?:only|just) (?:for )?(?:tonight|today|this once|now)\b",
        r"starting (?:at|from|in)\b",
        r"at (?:half|quarter|\w+ (?:to|past)) \w+\b",
        r"at \w+ (?:tonight|this (?:evening|morning|afternoon))\b",
    )
    # Group 1 is what stays as it is.
    leaves_alone: re.Pattern[str] = re.compile(
        r"\b(?:(?:won't|will not|not|don't|shouldn't|wouldn't|never) (?:touch|chang|start|open|clos|mov|set|adjust|add|dial|call|send)\w*"
        r"|without (?:touching|changing|starting|opening|closing|setting)|leav(?:e|ing)(?! (?:\w+ ){0,4}out\b)|keep(?:ing)?|but no|but not|without(?= (?:the|your|any|its)\b)) ([^,;.?!]*)"
        r"|((?:(?!\b(?:while|and|but|so)\b)[^,;.?!:])*)\b(?:isn't touched|is not touched|stays?(?: (?:as|where|how|in|put|closed|shut|open))?|remains? (?:as|unchanged|closed|open)|(?:is|are) left)\b",
        re.IGNORECASE,
    )
    others: re.Pattern[str] = _phrase(r"(?:others?|rest|else|everything)\b")
    pronoun: re.Pattern[str] = _phrase(r"(?:it|them|that|this|these|those)\b")
    pronoun_in: re.Pattern[str] = _phrase(r"(?:it|them|that|this|so)\b")
    # Looks for, reads out or orders something.
    offers_something: re.Pattern[str] = _phrase(
        r"(?:find|look (?:for|up|at|into)|search|check|read|compare|reset|play|order|book"
        r"|fetch|hear|tell you|show you|preheat|get you)\b(?: out)?"
        r"(?! (?:it|them|that|these|those|this|one|again|once|what|which)\b)"
    )
    reads_out: re.Pattern[str] = re.compile(
        r"\b(?:e-?mail|mail|message|text|draft|note|reads?|says?|to [A-Z]\w+(?: [A-Z]\w+)?)\b[^.?!:]*:\s*([^?]*?)(?=\.?\s*(?:Shall|May|Should|Send|Okay|Can|Do|Is|Right)\b[^?]*\?|$)"
    )
    greets: re.Pattern[str] = _phrase(
        r"(?:hi|hello|dear|hey|best|kind|regards?|greetings?|cheers|thanks?|thank you|bye|yours|just|letting you know)\b"
    )
    # What would not be done, whatever it is.
    negated: re.Pattern[str] = re.compile(
        r"\b(?:without|no|not|don't|won't)\b[^,;.?!]*", re.IGNORECASE
    )
    tells_a_fact: re.Pattern[str] = re.compile(
        r"\b(?:is|are|was|were|has|have|had|shows?|says?|reads?|there|takes?|costs?|found|see|looks?|seems?|needs?|can|could"
        r"|would|will|runs?|leads?|comes?|only|I'm)\b|'(?:s|re|ve|ll)\b|n't\b",
        re.IGNORECASE,
    )
    by_me: re.Pattern[str] = _phrase(r"(?:I|I'd|I'll|me)\b")
    tells_a_deed: re.Pattern[str] = re.compile(
        r"\b(?:I've|I have|we've|we have|has|have|'s) (?:now |just |also |already )?(?:been |put |set |turned |sent |closed )"
        r"|\b(?:I've|I have) (?:now |just |also )?\w+ed\b|\bI (?:\w+ed|set|put|sent|shut)\b|\b(?:is|are)(?: \w+){0,2} now\b|\b(?:done|now)\b",
        re.IGNORECASE,
    )
    only: re.Pattern[str] = _phrase(r"only\b", r"nothing but\b")
    instead_of_place: re.Pattern[str] = re.compile(r"\b(?:instead of|rather than) ([A-Z]\w+)")
    instead_of: re.Pattern[str] = re.compile(
        r"\b(?:instead of|rather than)\b[^,;.?!]*", re.IGNORECASE
    )

    quotes: re.Pattern[str] = re.compile(
        r"""(?::\s*)?(?:"([^"]*)"|(?<![^\W_])'([^']*(?:'\w[^']*)*[.!?])')"""
    )
    tells_a_value: re.Pattern[str] = re.compile(
        r"\d|\b(?:yes|yep|no|none|all|every|open|closed?|on|off|one|two|both)\b", re.IGNORECASE
    )


PHRASES = Phrases()
