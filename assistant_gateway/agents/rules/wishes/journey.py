"""What a driver can wish for on the way; frozen."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of several routes: by what it is best at, or by its roads."""

    best: str | None = None
    roads: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.best or self.roads)


@dataclass(frozen=True, slots=True)
class Goal:
    """A place: a name, or a kind of place somewhere."""

    name: str | None = None
    kind: str | None = None
    where: str | None = None
    filters: tuple[str, ...] = ()
    pick: str | None = None
    at_km: int | None = None
    is_along: bool = False


@dataclass(frozen=True, slots=True)
class Guide:
    """A trip to the last of the goals, over the others."""

    goals: tuple[Goal, ...]
    choice: Choice = Choice()
    is_straight: bool = False


@dataclass(frozen=True, slots=True)
class AddStop:
    goal: Goal
    before: str | None = None
    after: str | None = None
    choice: Choice = Choice()


@dataclass(frozen=True, slots=True)
class Swap:
    """Another place instead of a stop, or of the destination if none is named."""

    new: Goal
    old: Goal | None = None
    choice: Choice = Choice()


@dataclass(frozen=True, slots=True)
class Drop:
    """A stop, or the destination, is left out; `old` None is one of the stops."""

    old: Goal | None
    is_destination: bool = False
    choice: Choice = Choice()


@dataclass(frozen=True, slots=True)
class EndAt:
    goal: Goal
    choice: Choice = Choice()


@dataclass(frozen=True, slots=True)
class StopGuidance:
    pass


@dataclass(frozen=True, slots=True)
class Resume:
    """The stored trip is followed again."""


@dataclass(frozen=True, slots=True)
class TripStatus:
    pass


@dataclass(frozen=True, slots=True)
class RoutesTo:
    """What ways there are; nothing is started."""

    goal: Goal
    choice: Choice = Choice()


@dataclass(frozen=True, slots=True)
class Find:
    """Places of a kind; nothing is started."""

    goal: Goal


Journey = (
    Guide | AddStop | Swap | Drop | EndAt | StopGuidance | Resume | TripStatus | RoutesTo | Find
)
