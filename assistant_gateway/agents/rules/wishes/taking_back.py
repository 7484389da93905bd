"""Wishes about what the assistant did before: take it back, tell it, say it again."""

from dataclasses import dataclass

from assistant_gateway.agents.rules.language.patterns import Patterns, first
from assistant_gateway.agents.rules.wishes.cabin import TELL_ONLY, mentions
from assistant_gateway.agents.rules.wishes.wish import Wish
from vehicle_bus.car.trip import Trip

_SAYS = Patterns(__file__)
TRIP = "trip"


@dataclass(frozen=True, slots=True)
class TakeBack(Wish):
    """What was done is taken back: the last of it, all of it, or the last of some things.

    `only_just` takes back nothing but what the turn before did; `is_redo` does again what was
    taken back.
    """

    things: tuple[str, ...] = ()
    is_all: bool = False
    is_redo: bool = False
    only_just: bool = False


@dataclass(frozen=True, slots=True)
class RestoreTrip(Wish):
    """The trip as it was."""

    trip: Trip


@dataclass(frozen=True, slots=True)
class TellDone(Wish):
    """The driver asks what was done."""


@dataclass(frozen=True, slots=True)
class SayAgain(Wish):
    """The driver did not hear the last answer."""


def takes_back(piece: str) -> Wish | None:
    """What a piece wants of earlier turns, if that is what it is about."""
    if _SAYS["tell"].search(piece):
        return TellDone()
    if _SAYS["again"].search(piece):
        return SayAgain()
    if _SAYS["redo"].search(piece):
        return TakeBack(is_redo=True)
    if not _SAYS["back"].search(piece) or _SAYS["to_a_value"].search(piece):
        return TakeBack(only_just=True) if _SAYS["not_that"].search(piece) else None
    things = [thing for thing in mentions(piece) if thing not in TELL_ONLY]
    if not things and first("cabin", "colours", piece):
        things.append("ambient")
    if _SAYS["trip"].search(piece):
        things.append(TRIP)
    return TakeBack(tuple(things), is_all=not things and bool(_SAYS["all"].search(piece)))
