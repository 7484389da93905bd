"""Where the navigation leads: waypoints, and the routes between them. Edits give a new trip."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Trip:
    """`routes[i]` leads from `waypoints[i]` to `waypoints[i + 1]`.

    Nothing is checked here: who edits has made sure that the new routes fit their neighbours.
    """

    waypoints: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    is_active: bool = False

    @property
    def last(self) -> int:
        return len(self.waypoints) - 1

    @property
    def stops(self) -> tuple[str, ...]:
        """Waypoints between start and destination."""
        return self.waypoints[1:-1]

    def positions(self, waypoint: str) -> list[int]:
        return [i for i, known in enumerate(self.waypoints) if known == waypoint]

    def following(self, position: int) -> str | None:
        return self.waypoints[position + 1] if position < self.last else None

    def is_stopover(self, position: int) -> bool:
        return 0 < position < self.last

    def extended(self, destination: str, route: str) -> "Trip":
        return self._with((*self.waypoints, destination), (*self.routes, route))

    def with_stopover(self, after: int, new: str, route_to: str, route_away: str) -> "Trip":
        """With a stop between the waypoint at `after` and the next one."""
        return self._with(
            (*self.waypoints[: after + 1], new, *self.waypoints[after + 1 :]),
            (*self.routes[:after], route_to, route_away, *self.routes[after + 1 :]),
        )

    def with_other(self, position: int, new: str, route_to: str, route_away: str) -> "Trip":
        """With another stop in the place of one on the way."""
        return self._with(
            (*self.waypoints[:position], new, *self.waypoints[position + 1 :]),
            (*self.routes[: position - 1], route_to, route_away, *self.routes[position + 1 :]),
        )

    def without(self, position: int, route: str) -> "Trip":
        """Past a stop on the way, along one route."""
        return self._with(
            (*self.waypoints[:position], *self.waypoints[position + 1 :]),
            (*self.routes[: position - 1], route, *self.routes[position + 1 :]),
        )

    def redirected(self, destination: str, route: str) -> "Trip":
        """To another destination from the last stop on the way."""
        return self._with((*self.waypoints[:-1], destination), (*self.routes[:-1], route))

    def shortened(self) -> "Trip":
        """Only to the last stop on the way."""
        return self._with(self.waypoints[:-1], self.routes[:-1])

    def _with(self, waypoints: tuple[str, ...], routes: tuple[str, ...]) -> "Trip":
        return replace(self, waypoints=waypoints, routes=routes)
