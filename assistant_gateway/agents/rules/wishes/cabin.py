"""Wishes about the cabin: which thing, what to do with it, how far and where."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assistant_gateway.agents.rules.language.details import Details, choice, details, seats
from assistant_gateway.agents.rules.language.patterns import first
from assistant_gateway.agents.rules.language.trimming import without_purposes
from assistant_gateway.agents.rules.wishes.ellipsis import (
    AGAIN,
    STRONG,
    elliptical,
    refines,
    verb_taken_over,
    verbs_shared,
)
from assistant_gateway.agents.rules.wishes.likening import likened, reference
from assistant_gateway.agents.rules.wishes.remarks import (
    is_no_wish,
    without_conditions,
    without_state,
)
from assistant_gateway.agents.rules.wishes.things import TELL_ONLY, end_of_first_mention, mentions
from assistant_gateway.agents.rules.wishes.wish import UNSAID, Adjust, Inquire

_IMPLIED = re.compile(
    r"\b(?:warm|heat|cool)\w* (?:\w+ ){0,3}(?:up|down|off)\b|"
    r"\b(?:warm|heat|cool)\w* (?:up |down )?(?:the |my |our )?"
    r"(?:car|cabin|interior|inside|\w* ?area)\b|"
    r"\b(?:i'm|i am|we're|we are|it's|it is|is|are|feel\w*|get\w*|my \w+) (?:\w+ ){0,3}"
    r"(?:cold|freezing|hot|warm|chilly|sweating|boiling|frozen|fog\w*|mist\w*|frost\w*|ic\w+)\b|"
    r"\bmist\w* (?:up|over)\b|\bfog\w* (?:up|over)\b",
    re.IGNORECASE,
)
_FRESH_AIR_IS_SWITCHED = re.compile(
    r"circulat|\b(?:mode|switch|set|change|turn|put|use|go to)\b", re.IGNORECASE
)
_SAME_PLACE = re.compile(r"\b(?:the )?same (?:zone|side|seat|window|one)\b", re.IGNORECASE)


def inquiries(sentence: str) -> list[Inquire]:
    """What a question about the cabin is about."""
    return [Inquire(thing) for thing in mentions(sentence)]


def adjustments(said: Sequence[str], before: Adjust | None) -> list[Adjust]:
    """What the pieces of a sentence want changed; `before` is what the last wish was about."""
    found: list[Adjust] = []
    spoken_of: Adjust | None = None
    for piece in _joined(said):
        last = found[-1] if found else spoken_of or before
        new = list(_in_piece(piece, last, is_first=not found))
        things = [] if new else [thing for thing in mentions(piece) if thing not in TELL_ONLY]
        if things:
            # "The fan is off, so turn it on": what a remark is about is what `it` means.
            spoken_of = Adjust(things[0], UNSAID, seats=seats(piece))
        if found and new and not mentions(piece) and refines(new[0], found[-1]):
            found.pop()
        found += new
    return verbs_shared(found)


def _joined(said: Sequence[str]) -> Iterator[str]:
    """Pieces that belong together: a verb whose thing comes after the next `and`."""
    waiting = ""
    for piece in said:
        piece = f"{waiting} {piece}".strip()
        opens = not mentions(piece) and first("cabin", "verbs", piece)
        if opens and details(piece).seats and not AGAIN.search(piece) and not waiting:
            waiting = f"{piece} and"
            continue
        waiting = ""
        yield piece
    if waiting:
        yield waiting.removesuffix(" and")


def _in_piece(piece: str, last: Adjust | None, *, is_first: bool) -> Iterator[Adjust]:
    if is_no_wish(piece):
        return
    told, like = likened(without_conditions(piece))
    if not like:
        told = without_purposes(told, end_of_first_mention(told))
    told, only_open = without_state(told)
    things = mentions(told)
    verb = first("cabin", "verbs", told)
    if not things:
        yield from elliptical(told, last, verb)
        return
    for thing in things:
        if thing in TELL_ONLY:
            continue
        wish = _wish(thing, told, verb, details(told), only_open=only_open)
        wish = replace(wish, like=reference(thing, like) if like else None)
        if last is not None and _SAME_PLACE.search(told):
            wish = replace(wish, seats=last.seats)
        if verb is None and last is not None and not is_first:
            yield replace(wish, verb=verb_taken_over(wish, last))
        elif verb is not None or wish.says_how:
            yield wish if _commands(wish, told, verb) else replace(wish, verb=UNSAID)


def _wish(thing: str, piece: str, verb: str | None, said: Details, *, only_open: bool) -> Adjust:
    return Adjust(
        thing=thing,
        verb=verb or "set",
        amount=said.amount,
        is_step=said.is_step,
        strength=said.strength,
        vague=said.vague,
        seats=said.seats,
        choice=choice(thing, piece),
        only_open=only_open and verb == "close",
        is_implied=thing in ("temperature", "defrost") and bool(_IMPLIED.search(piece)),
    )


def _commands(wish: Adjust, piece: str, verb: str | None) -> bool:
    if wish.thing == "circulation" and not _FRESH_AIR_IS_SWITCHED.search(piece):
        return False
    return wish.says_how or verb != "set" or bool(STRONG.search(piece))
