"""What stands in a piece without being a wish: how things are, and what is not wanted."""

import re

from assistant_gateway.agents.rules.language.details import details
from assistant_gateway.agents.rules.language.trimming import without_refusals

_ALREADY_SO = re.compile(
    r"\b(?:that(?:'s| is| are| was)|which (?:is|are)|is|are|was|were|(?:it|there|what)'s|isn't|"
    r"aren't) "
    r"(?:\w+ ){0,2}?(?:still |already |left )?(?:open|opened|closed|on|off)\b(?: (?:yet|already))?",
    re.IGNORECASE,
)
_IF_NOT_SO = re.compile(
    r"\b(?:if|unless|in case) (?:it|they|that|those|these|the \w+(?: \w+)?)\b.*$", re.IGNORECASE
)
_REFUSED = re.compile(r"^(?:no|not|without|don'?t|do not|never|no need|leave) ", re.IGNORECASE)
_DONE_ALREADY = re.compile(
    r"^(?:i|we|he|she|they|somebody|my \w+)(?:'ve| have| has|'s)?(?: already| just)? "
    r"(?:closed|opened|turned|switched|set|put|left|shut)\b",
    re.IGNORECASE,
)


_GOES_ON = re.compile(
    r"\b(?:keeps?|is|are|was) (?:\w+ )?(?:blowing|heating|coming)\b", re.IGNORECASE
)


def is_no_wish(piece: str) -> bool:
    """`leave the fan as it is`, `I closed it already`."""
    refused = _REFUSED.search(piece) and not details(piece).amount
    return bool(refused or _DONE_ALREADY.search(piece) or _GOES_ON.search(piece))


def without_conditions(piece: str) -> str:
    """The piece without what is not wanted, or wanted only if it is not so already."""
    return without_refusals(_IF_NOT_SO.sub("", piece))


def without_state(piece: str) -> tuple[str, bool]:
    """The piece without how things are, and whether there was something like that."""
    told = _ALREADY_SO.sub(" ", piece)
    return told, told != piece
