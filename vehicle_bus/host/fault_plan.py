"""Which calls of a car are hit by its faults. Pure; chance is seeded."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from vehicle_bus.car.fault import WITH_A_TIME, Fault
from vehicle_bus.car.state import STATE_NAMES, CarState, PlannedEvent

SECOND = 1_000_000_000
NOT_RECEIVED = frozenset({"lost_command", "offline"})


@dataclass(slots=True)
class PlannedFault:
    """A fault, how many calls matched it so far, and how many of them it hit."""

    fault: Fault
    matched: int = 0
    hits: int = 0

    @property
    def is_over(self) -> bool:
        return self.fault.times is not None and self.hits >= self.fault.times


class Absence(NamedTuple):
    """From when until when a car is off the bus, and by which fault."""

    from_ns: int
    until_ns: int
    fault: Fault


class Presence(NamedTuple):
    """The car leaves the bus or is back."""

    at_ns: int
    online: bool
    fault: Fault


@dataclass(slots=True)
class FaultPlan:
    """The faults of one car. Several may match a call; only the first that is due hits it."""

    seed: str = ""
    _planned: list[PlannedFault] = field(default_factory=list)
    _absences: list[Absence] = field(default_factory=list)
    _presences: list[Presence] = field(default_factory=list)
    _hands: list[PlannedEvent] = field(default_factory=list)
    _taken_back: list[PlannedEvent] = field(default_factory=list)
    _numbered: int = 0
    _chance: Random = field(init=False)

    def __post_init__(self) -> None:
        self._chance = Random(self.seed)

    def plan(self, *faults: Fault) -> None:
        """Add faults from now on; those that have a time are due at that time."""
        for fault in faults:
            if fault.at_s is None:
                self._planned.append(PlannedFault(fault))
            elif fault.kind == "offline":
                self._plan_absence(fault, round(fault.at_s * SECOND))

    def hand(self, fault: Fault, at_s: float) -> PlannedEvent:
        """The hand of a `knob` fault that turns it at a time of the car."""
        turned = PlannedEvent(at_s=at_s, set=fault.set, by=fault.by)
        self._hands.append(turned)
        return turned

    def forget(self, tool: str) -> None:
        """No more faults of which `tool` is the pattern."""
        self._planned = [each for each in self._planned if each.fault.tool != tool]

    def clear(self) -> None:
        """No more faults; a car that is away is back at the next moment."""
        self._planned.clear()
        self._absences.clear()
        returns = [presence for presence in self._presences if presence.online]
        self._presences = [Presence(0, True, each.fault) for each in returns[:1]]
        self._taken_back += self._hands
        self._hands.clear()

    def taken_back(self) -> list[PlannedEvent]:
        """Hands of faults that are cleared; the car forgets those that still wait."""
        hands, self._taken_back = self._taken_back, []
        return hands

    @property
    def changes_by_itself(self) -> bool:
        """Whether one of them may hit the car without a command."""
        return bool(self._presences) or any(
            planned.fault.kind in WITH_A_TIME for planned in self._planned
        )

    def next(self, tool: str, kind: str, at_ns: int) -> Fault | None:
        """The fault that hits a call of a tool; `kind` says whether the tool sets or gets."""
        absence = self.away(at_ns)
        if absence is not None:
            return absence.fault
        chosen: Fault | None = None
        for planned in self._planned:
            if not planned.fault.is_about(tool, kind) or planned.is_over:
                continue
            planned.matched += 1
            is_due = planned.matched >= planned.fault.nth
            if is_due and planned.fault.chance < 1:
                is_due = self._chance.random() < planned.fault.chance
            if is_due and chosen is None:
                planned.hits += 1
                chosen = planned.fault
        if chosen is not None and chosen.kind == "offline":
            self._plan_absence(chosen, at_ns)
        return chosen

    def uncount(self, fault: Fault) -> None:
        """Take back a hit that had no visible effect."""
        for planned in self._planned:
            if planned.fault is fault and planned.hits:
                planned.hits -= 1
                return

    def number(self) -> str:
        """The id of the next fault that hits."""
        self._numbered += 1
        return f"f{self._numbered}"

    def away(self, at_ns: int) -> Absence | None:
        """The absence that a moment falls into."""
        return next((a for a in self._absences if a.from_ns <= at_ns < a.until_ns), None)

    def presences(self, to_ns: int) -> list[Presence]:
        """How the car left and came back up to a moment, each returned once."""
        due = [presence for presence in self._presences if presence.at_ns <= to_ns]
        self._presences = [presence for presence in self._presences if presence.at_ns > to_ns]
        self._absences = [absence for absence in self._absences if absence.until_ns > to_ns]
        return due

    def shuffled(self, burst: Iterable[Any]) -> list[Any]:
        """The same in another order; what has only one order stays as it is."""
        before = list(burst)
        after = list(before)
        while len(before) > 1 and after == before:
            self._chance.shuffle(after)
        return after

    def other_than(self, state: CarState, names: Iterable[str]) -> CarState:
        """A state that differs in one of these variables, if a number or a switch is among them."""
        variables = sorted(
            name for name in STATE_NAMES.intersection(names)
            if isinstance(getattr(state, name), int | float)
        )  # fmt: skip
        if not variables:
            return state
        name = self._chance.choice(variables)
        return state.changed(**{name: _another(name, getattr(state, name), state)})

    def _plan_absence(self, fault: Fault, at_ns: int) -> None:
        until_ns = at_ns + round(fault.for_s * SECOND)
        self._absences.append(Absence(at_ns, until_ns, fault))
        self._presences += [Presence(at_ns, False, fault), Presence(until_ns, True, fault)]
        self._presences.sort(key=lambda presence: presence.at_ns)


def _another(name: str, value: Any, state: CarState) -> Any:
    """A value the variable could have as well."""
    if isinstance(value, bool):
        return not value
    for other in (100 - value, value + 1, value - 1, value + 5, value - 5):
        if other != value and _fits(state, name, other):
            return other
    return value


def _fits(state: CarState, name: str, value: Any) -> bool:
    try:
        state.changed(**{name: value})
    except ValueError:
        return False
    return True
