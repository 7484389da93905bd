"""What is left out because it was said before: `and the rear one too`, `make it 22 instead`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant_gateway.agents.rules.language.details import choice, details
from assistant_gateway.agents.rules.wishes.things import OPENINGS
from assistant_gateway.agents.rules.wishes.wish import UNSAID, Adjust

AGAIN = re.compile(
    r"\b(?:it|them|both|that|same|too|ones?|instead|also|as well|again)\b", re.IGNORECASE
)
_THEM = re.compile(r"\b(?:them|all of them)\b", re.IGNORECASE)


STRONG = re.compile(
    r"\b(?:set|make|change|adjust|put|bring|direct|point|aim|send|lower|raise|match|sync\w*|align)\b",
    re.IGNORECASE,
)


def elliptical(piece: str, last: Adjust | None, verb: str | None) -> Iterator[Adjust]:
    """`and the rear one too`, `make it 22 instead`, `then close it again`."""
    if last is None:
        return
    said = details(piece)
    picked = choice(last.thing, piece)
    has_value = said.amount is not None or said.strength or picked
    acts = (verb not in (None, "set") or STRONG.search(piece)) and AGAIN.search(piece)
    if not (has_value or said.seats or acts):
        return
    wish = replace(
        last,
        verb=verb if verb not in (None, "set") else last.verb,
        seats=said.seats or last.seats or (("PLURAL",) if _THEM.search(piece) else ()),
        choice=picked or last.choice,
        only_open=False,
        is_implied=False,
    )
    if has_value or acts:
        wish = replace(
            wish,
            amount=said.amount,
            is_step=said.is_step,
            strength=said.strength,
            vague=said.vague,
        )
        if verb in (None, "set") and last.verb in ("on", "more", "less", UNSAID):
            wish = replace(wish, verb="set")
    yield wish


def verb_taken_over(wish: Adjust, last: Adjust) -> str:
    """The verb of the wish before, where a value does not say enough."""
    if last.verb in ("open", "close") and wish.thing in OPENINGS:
        return last.verb
    return "set" if wish.says_how else last.verb


def refines(new: Adjust, last: Adjust) -> bool:
    """`a hand's width, 15 percent` is one wish, told twice."""
    return not last.says_how and new.says_how and new.seats == last.seats


def verbs_shared(found: Sequence[Adjust]) -> list[Adjust]:
    """`turn the fan and the AC off`: a verb that says nothing takes that of the next."""
    shared = list(found)
    for index in range(len(shared) - 2, -1, -1):
        if shared[index].verb == UNSAID and shared[index + 1].verb in ("on", "off"):
            shared[index] = replace(shared[index], verb=shared[index + 1].verb)
    return [wish for wish in shared if wish.verb != UNSAID]
