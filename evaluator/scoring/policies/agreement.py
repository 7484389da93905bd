"""Whether an answer agrees to what was proposed, as far as words can tell. Pure.

The patterns are in `agreement.yaml`.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from assistant_gateway.wording.sentences import sentences, straightened
from vehicle_bus.data_folder import quick_yaml

_CLAUSE = re.compile(r"[,;:!?]+|\.+(?=\s|$)|\s-+\s")
_OPENING = frozenset({"yes", "no", "do_it"})


def agreement(answer: str) -> bool | None:
    """True for a plain yes, False for a plain no; None for a yes with a condition, or neither.

    A wish that is repeated after the answer ("as I said: …") changes nothing about it, and "Just
    what I asked for, please: …" is a yes.
    """
    pattern = _patterns()
    plain = pattern["said_before"].sub("", straightened(answer))
    if pattern["refusals"].fullmatch(plain.strip(" .,!")):
        return False
    said = set(_said(pattern["reassurances"].sub(" sure ", plain)))
    if said == {"yes"}:
        return True
    return False if said - {"condition"} == {"no"} else None


def _said(answer: str) -> Iterator[str]:
    """What each clause says; what a question asks says nothing."""
    for sentence in sentences(answer):
        clauses = [clause.strip(" .\"')") for clause in _CLAUSE.split(sentence)]
        clauses = [clause for clause in clauses if clause]
        if sentence.rstrip("\"') ").endswith("?"):
            clauses.pop()
        for clause in clauses:
            yield from _said_in(clause)


def _said_in(clause: str) -> Iterator[str]:
    """A reason after the answer may hold any word; a condition opens a clause of its own."""
    pattern = _patterns()
    rest = pattern["fillers"].sub("", clause) or clause
    search = pattern["otherwise"].match, pattern["conditions"].match
    if pattern["no"].search(clause) or pattern["no"].search(rest):
        yield "no"
        search = pattern["otherwise"].search, pattern["conditions"].search
    elif pattern["yes"].search(rest) or pattern["do_it"].search(rest):
        yield "yes"
        search = pattern["otherwise"].search, pattern["conditions"].search
    for name, found in zip(("otherwise", "condition"), search, strict=True):
        if found(clause) or found(rest):
            yield name


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    tables: Mapping[str, list[str]] = quick_yaml(Path(__file__).with_name("agreement.yaml"))
    return {name: _pattern(name, "|".join(found)) for name, found in tables.items()}


def _pattern(name: str, found: str) -> re.Pattern[str]:
    if name == "fillers":
        found = rf"^(?:(?:{found})\b\W*)+"
    elif name in _OPENING:
        found = rf"^(?:{found})(?!\w)"
    else:
        found = rf"\b(?:{found})(?!\w)"
    return re.compile(found, re.IGNORECASE)
