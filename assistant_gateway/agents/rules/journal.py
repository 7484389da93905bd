"""What was changed in each turn, how it was before, and the wishes that restore that."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.rules.language.patterns import words_of
from assistant_gateway.agents.rules.wishes.cabin import Adjust
from assistant_gateway.agents.rules.wishes.small_talk import SmallTalk
from assistant_gateway.agents.rules.wishes.taking_back import TRIP, RestoreTrip, TakeBack
from assistant_gateway.agents.rules.wishes.wish import Wish
from assistant_gateway.wording.spoken import enumerated
from vehicle_bus.car.trip import Trip

_PLACES = {
    "ALL": ("DRIVER", "PASSENGER", "DRIVER_REAR", "PASSENGER_REAR"),
    "ALL_ZONES": ("DRIVER", "PASSENGER"),
}
_PANES = ("FRONT", "REAR")


@dataclass(frozen=True, slots=True)
class State:
    """A row of journal.yaml: how to see what a tool changes.

    `field` has the place in it that the argument `target` names; `kind` says how the value is
    set again: an amount, a choice, a switch or a door.
    """

    thing: str
    look: str
    field: str
    kind: str
    target: str = ""

    def targets(self, call: Call) -> tuple[str, ...]:
        named = str(call.arguments.get(self.target, ""))
        if self.thing == "defrost" and named == "ALL":
            return _PANES
        return _PLACES.get(named, (named,))

    def value(self, shown: Mapping[str, Any], target: str) -> Any:
        """None where the car does not tell it."""
        return shown.get(self.field.format(target.lower()))

    def sets(self, call: Call) -> Any:
        """The value that a call sets."""
        given = {name: to for name, to in call.arguments.items() if name != self.target}
        if self.kind == "switch" or given.get("on") is False:
            return "OFF" if self.kind == "choice" else given.get("on")
        return next(iter(to for name, to in given.items() if name != "on"), None)


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a call changed at one place; `before` None was not known."""

    thing: str
    target: str = ""
    before: Any = None


@dataclass(frozen=True, slots=True)
class Entry:
    """What was changed in one turn, and the trip before it; `told` is the sentence about it."""

    changes: tuple[Change, ...]
    told: str = ""
    trip: Trip | None = None


def state_of(call: Call) -> State | None:
    row = words_of(__file__)["states"].get(call.name)
    return State(**row) if row else None


def looks_before(calls: Iterable[Call], has: Callable[[str], bool]) -> list[Call]:
    """What to look up before these calls, so that they can be taken back."""
    states = [state for state in map(state_of, calls) if state is not None]
    return [Call(look) for look in dict.fromkeys(state.look for state in states) if has(look)]


def changes_of(call: Call, shown: Mapping[str, Mapping[str, Any]]) -> list[Change]:
    """What a call changed, with the values that the look-ups before it have shown."""
    state = state_of(call)
    if state is None:
        thing = TRIP if "navigation" in call.name else words_of(__file__)["for_good"].get(call.name)
        return [Change(thing)] if thing else []
    shows = shown.get(state.look, {})
    before = {at: state.value(shows, at) for at in state.targets(call)}
    return [Change(state.thing, at, to) for at, to in before.items() if to != state.sets(call)]


def name_of(thing: str) -> str:
    """`the air conditioning` for `air_conditioning`."""
    return str(words_of(__file__)["names"].get(thing, "that"))


@dataclass(slots=True)
class Journal:
    """The turns that changed something, the last one at the end; `undone` were taken back.

    `restored` are the things and places that were taken back last.
    """

    turns: list[Entry] = field(default_factory=list)
    undone: list[Entry] = field(default_factory=list)
    just_changed: bool = False
    last_told: str = ""
    restored: frozenset[tuple[str, str]] = frozenset()

    def enter(self, turn: Entry, wishes: Sequence[Wish]) -> None:
        """A turn is over; what it took back can be done again."""
        self.just_changed = bool(turn.changes)
        self.last_told = turn.told or self.last_told
        if not turn.changes:
            return
        took_back = [wish for wish in wishes if isinstance(wish, TakeBack)]
        if len(took_back) < len(wishes) or not wishes:
            # A correction: what was put back is as it was before, so only the rest has changed.
            put_back = self.restored if took_back else frozenset()
            rest = [one for one in turn.changes if (one.thing, one.target) not in put_back]
            self.turns.append(replace(turn, changes=tuple(rest)))
            self.undone.clear()
        elif took_back[0].is_redo:
            self.turns.append(turn)
        else:
            self.undone.append(turn)

    def restoring(self, wish: TakeBack) -> list[Wish]:
        """The wishes that take back what is meant, which then is no longer in the journal."""
        if wish.only_just and not self.just_changed:
            return [SmallTalk("Alright.")]
        turns = self.undone if wish.is_redo else self.turns
        found = [at for at, turn in enumerate(turns) if _about(turn, wish.things)]
        meant = found if wish.is_all else found[-1:]
        if not meant:
            return [SmallTalk("There is nothing that I could take back.")]
        back = [_part(turns[at], wish.things) for at in meant]
        self.restored = frozenset(
            (change.thing, change.target) for turn in back for change in turn.changes
        )
        for at in reversed(meant):
            rest = tuple(change for change in turns[at].changes if not _is_of(change, wish.things))
            turns[at : at + 1] = [replace(turns[at], changes=rest)] if rest else []
        return _as_before(back)


def _about(turn: Entry, things: Sequence[str]) -> bool:
    return any(_is_of(change, things) for change in turn.changes)


def _is_of(change: Change, things: Sequence[str]) -> bool:
    return not things or change.thing in things


def _part(turn: Entry, things: Sequence[str]) -> Entry:
    return replace(turn, changes=tuple(one for one in turn.changes if _is_of(one, things)))


def _as_before(turns: Sequence[Entry]) -> list[Wish]:
    """Of several changes of one thing the first counts."""
    first: dict[tuple[str, str], Change] = {}
    trips = [turn.trip for turn in turns if turn.trip and _about(turn, (TRIP,))]
    for turn in turns:
        for change in turn.changes:
            first.setdefault((change.thing, change.target), change)
    changes = [change for change in reversed(first.values()) if change.thing != TRIP]
    trip: list[Wish] = [RestoreTrip(trips[0])] if trips else []
    return [*_adjustments(changes), *trip, *_lasting(changes)]


def _adjustments(changes: Sequence[Change]) -> list[Adjust]:
    """One wish for all places that were the same."""
    kinds = {row["thing"]: row["kind"] for row in words_of(__file__)["states"].values()}
    places: dict[Adjust, list[str]] = {}
    for change in changes:
        if change.before is not None and change.thing in kinds:
            wish = _restoring(change, kinds[change.thing])
            places.setdefault(wish, []).extend([change.target] if wish.choice is None else [])
    return [
        replace(wish, seats=tuple(place for place in at if place)) for wish, at in places.items()
    ]


def _restoring(change: Change, kind: str) -> Adjust:
    thing, before = change.thing, change.before
    match kind:
        case "amount":
            return Adjust(thing, "set", float(before))
        case "switch":
            pane = change.target if thing == "defrost" else None
            return Adjust(thing, "on" if before is True else "off", choice=pane)
        case "door":
            return Adjust(thing, "open" if str(before).lower() == "open" else "close")
    if str(before) == "OFF":
        return Adjust(thing, "off")
    return Adjust(thing, "set", choice=str(before))


def _lasting(changes: Sequence[Change]) -> list[SmallTalk]:
    """What cannot be taken back: it is done for good, or nobody knows how it was."""
    for_good = words_of(__file__)["for_good"].values()
    unknown = [change.thing for change in changes if change.before is None]
    done = [name_of(thing) for thing in dict.fromkeys(unknown) if thing in for_good]
    lost = [name_of(thing) for thing in dict.fromkeys(unknown) if thing not in for_good]
    said = [f"I can't take back {enumerated(done)}."] if done else []
    said += [f"I don't know how {enumerated(lost)} was before."] if lost else []
    return [SmallTalk(sentence) for sentence in said]
