"""What a tool may read and change."""

from dataclasses import dataclass, field
from typing import Any

from vehicle_bus.car.state import CarState, FixedContext
from vehicle_bus.world.world import World


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a moving car is on its trip: `at_kilometer` of the route driven now."""

    route_id: str
    at_kilometer: float
    next_waypoint_id: str
    remaining_km: float
    remaining_minutes: int


@dataclass(slots=True)
class Car:
    """The inside of a vehicle: the only thing a tool gets in addition to its arguments.

    `compat` holds the quirks to reproduce, `notes` what tools keep for themselves between calls,
    `progress` how far it is on its way while it moves.
    """

    state: CarState
    context: FixedContext
    world: World
    compat: frozenset[str]
    calendar_id: str | None = None
    notes: dict[str, Any] = field(default_factory=dict)
    progress: Progress | None = None

    def set(self, **values: Any) -> None:
        """Change state variables; all of them or, if one does not fit, none."""
        self.state = self.state.changed(**values)

    def values(self, *names: str) -> dict[str, Any]:
        """State variables by name, the way most getters answer."""
        return {name: getattr(self.state, name) for name in names}
