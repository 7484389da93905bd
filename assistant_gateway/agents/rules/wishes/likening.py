"""Things that shall be like others: `match the sunshade to the sunroof`."""

import re

from assistant_gateway.agents.rules.language.details import choice, seats
from assistant_gateway.agents.rules.wishes.things import TELL_ONLY, mentions

_LIKE = re.compile(
    r"\b(?:(?:to |that |which )?match(?:es|ing)?|(?:to |at |the )*same (?:\w+ ){0,3}as|"
    r"as (?:much|far|wide|high|warm) as|sync\w*(?: \w+)? (?:with|to)|equal to|identical to|"
    r"just like|to be like)\b(?P<other>.*)$",
    re.IGNORECASE,
)
_MATCH = re.compile(
    r"^(?:match|sync\w*|align|adjust)\b(?P<thing>.*)\b(?:to|with)\b(?P<other>(?! \d).*)$",
    re.IGNORECASE,
)


def likened(piece: str) -> tuple[str, str]:
    """`the sunshade`, `the sunroof` of `match the sunshade to the sunroof`, else nothing."""
    if choice("ambient", piece) == "CAR":
        return piece, ""
    matched = _MATCH.search(piece)
    if matched:
        return f"set {matched['thing']}", matched["other"]
    found = _LIKE.search(piece)
    if found is None or not (mentions(found["other"]) or seats(found["other"])):
        return piece, ""
    return f"set {piece[: found.start()]}", found["other"]


def reference(thing: str, other: str) -> tuple[str, tuple[str, ...]]:
    """What a thing shall be like: another thing, or the same thing at another seat."""
    things = [name for name in mentions(other) if name not in TELL_ONLY]
    return (things[0] if things else thing), seats(other)
