"""A sentence cut into runs of pieces that are about the same part of the world."""

import re
from dataclasses import dataclass

from assistant_gateway.agents.rules.language.patterns import first
from assistant_gateway.agents.rules.language.pieces import pieces
from assistant_gateway.agents.rules.wishes.cabin import mentions
from assistant_gateway.agents.rules.wishes.people import contacts


@dataclass(frozen=True, slots=True)
class Run:
    """Some pieces of one domain: people, charging, weather, trip or cabin."""

    domain: str
    pieces: tuple[str, ...]
    is_asked: bool = False

    @property
    def text(self) -> str:
        return " and ".join(self.pieces) + ("?" if self.is_asked else "")


def runs(sentence: str) -> list[Run]:
    """Runs in the order they are said; what is about nothing goes with what stands before it."""
    found: list[Run] = []
    asked = sentence.rstrip().endswith("?")
    for piece in pieces(sentence):
        domain = domain_of(piece)
        if domain == "people":
            # The text of a mail goes on to the end of the sentence.
            rest = sentence[max(sentence.find(piece), 0) :]
            return [*found, Run("people", (rest,), asked)]
        goes_on = found and (domain is None or (domain == found[-1].domain == "cabin"))
        if goes_on:
            found[-1] = Run(found[-1].domain, (*found[-1].pieces, piece), asked)
        else:
            found.append(Run(domain or "cabin", (piece,), asked))
    return found


def domain_of(piece: str) -> str | None:
    """What a piece is about; None if it has to be read with others."""
    told = first("trip", "domains", piece)
    if told == "people" and contacts(piece):
        return "people"
    if mentions(piece) and not (
        told == "weather" and re.search(r"\bweather|outside\b", piece, re.I)
    ):
        return "cabin"
    return told if told != "people" else None
