"""A sentence cut into clauses of pieces that are about the same part of the world."""

from dataclasses import dataclass

from assistant_gateway.agents.rules.language.names import names
from assistant_gateway.agents.rules.language.patterns import Patterns, first
from assistant_gateway.agents.rules.language.plain import pieces
from assistant_gateway.agents.rules.wishes.people import contacts
from assistant_gateway.agents.rules.wishes.things import mentions
from assistant_gateway.agents.rules.wishes.wish import Mail

_SAYS = Patterns(__file__)

_WITH_NAMES = frozenset({"drop", "swap", "add", "end_at", "guide"})


@dataclass(frozen=True, slots=True)
class Clause:
    """Some pieces of one domain: people, charging, weather, trip or cabin."""

    domain: str
    pieces: tuple[str, ...]
    is_asked: bool = False

    @property
    def text(self) -> str:
        return " and ".join(self.pieces) + ("?" if self.is_asked else "")


def clauses(sentence: str) -> list[Clause]:
    """Runs in the order they are said; what is about nothing goes with what stands before it."""
    found: list[Clause] = []
    asked = sentence.rstrip().endswith("?")
    circumstances = ""
    said = pieces(sentence)
    for told in said:
        piece = f"{told} {circumstances}".strip()
        if _sets_the_scene(told) and not found and told is not said[-1]:
            circumstances = piece
            continue
        circumstances = ""
        domain = domain_of(piece)
        if domain == "people" and isinstance(contacts(piece)[0], Mail):
            # The text of a mail goes on to the end of the sentence.
            rest = sentence[max(sentence.find(piece), 0) :].rstrip("?")
            return [*found, Clause("people", (rest,), asked)]
        goes_on = found and (domain is None or (domain == found[-1].domain == "cabin"))
        if goes_on:
            found[-1] = Clause(found[-1].domain, (*found[-1].pieces, piece), asked)
        else:
            found.append(Clause(domain or "cabin", (piece,), asked))
    return found


def _sets_the_scene(piece: str) -> bool:
    """`about 100 kilometres into our route`, before the wish itself."""
    is_bare = not mentions(piece) and first("trip", "kinds", piece) is None
    return bool(_SAYS["scene"].search(piece)) and is_bare and len(piece.split()) > 1


def domain_of(piece: str) -> str | None:
    """What a piece is about; None if it has to be read with others."""
    told = first("trip", "domains", piece)
    if told == "people" and contacts(piece):
        return "people"
    if told == "charging_time" and not _SAYS["limit"].search(piece):
        return "charging"
    if mentions(piece) and not (told == "weather" and _SAYS["outside"].search(piece)):
        return "cabin"
    if told in ("people", "charging_time", None):
        return "trip" if _is_about_places(piece) else None
    return told


def _is_about_places(piece: str) -> bool:
    """`skip Basel`, `is there a bakery`: something to do, with a place to do it at."""
    act = first("trip", "acts", piece)
    if first("trip", "kinds", piece):
        return act is not None
    return act in _WITH_NAMES and bool(names(piece))
