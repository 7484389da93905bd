"""Names of places and people, and numbers of roads, as they stand in a sentence."""

import re
from functools import cache

from assistant_gateway.agents.rules.language.patterns import Patterns, words_of

_SAYS = Patterns(__file__)

_WORD = r"[A-ZÄÖÜÉÈÁÅØŁŽŠČ][\w'-]*[\wß]"
_JOINT = r"(?:of|am|an der|la|le|de|del|der|upon|sur|di|van|von|zu|St\.)"


def names(text: str) -> list[str]:
    """Capitalised names that are no roads and no beginnings of sentences."""
    found: list[str] = []
    for match in _SAYS["name"].finditer(_SAYS["road"].sub(lambda road: "0" * len(road[0]), text)):
        words = match.group().split()
        if match.start() == 0 and len(words) == 1 and _SAYS["verb_like"].match(text[match.end() :]):
            continue
        while words and words[0] in _none_of("capitals"):
            words.pop(0)
        while words and words[-1] in _none_of("capitals"):
            words.pop()
        if words:
            found.append(re.sub(r"[']s$", "", " ".join(words)))
    return found


def place_names(text: str) -> list[str]:
    """Names; where nobody wrote capitals, the word behind `to` or `in`."""
    found = names(text)
    if found or re.search(r"[A-Z]\w", text[1:]):
        return found
    lower = (match["name"] for match in _SAYS["lower_place"].finditer(text))
    return [name.title() for name in lower if name not in _none_of("lower")]


def roads(text: str) -> frozenset[str]:
    """`A41`, `B45`."""
    return frozenset(road.replace(" ", "") for road in _SAYS["road"].findall(text))


@cache
def _none_of(kind: str) -> frozenset[str]:
    return frozenset(words_of("names")[kind].split())
