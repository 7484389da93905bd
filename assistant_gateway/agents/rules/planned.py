"""The trip as it will be after edits that are planned but not made yet."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Planned:
    """Waypoints from start to destination, and one route from each to the next."""

    is_active: bool
    waypoints: tuple[str, ...]
    routes: tuple[str, ...]

    @property
    def stops(self) -> tuple[str, ...]:
        return self.waypoints[1:-1]

    @property
    def last(self) -> int:
        return len(self.waypoints) - 1

    def with_stop(self, at: int, stop: str, there: str, onwards: str) -> "Planned":
        return replace(
            self,
            waypoints=(*self.waypoints[:at], stop, *self.waypoints[at:]),
            routes=(*self.routes[: at - 1], there, onwards, *self.routes[at:]),
        )

    def extended(self, place: str, route: str) -> "Planned":
        return replace(self, waypoints=(*self.waypoints, place), routes=(*self.routes, route))

    def with_other(self, at: int, stop: str, there: str, onwards: str) -> "Planned":
        return replace(
            self,
            waypoints=(*self.waypoints[:at], stop, *self.waypoints[at + 1 :]),
            routes=(*self.routes[: at - 1], there, onwards, *self.routes[at + 1 :]),
        )

    def without(self, at: int, route: str) -> "Planned":
        return replace(
            self,
            waypoints=(*self.waypoints[:at], *self.waypoints[at + 1 :]),
            routes=(*self.routes[: at - 1], route, *self.routes[at + 1 :]),
        )

    def redirected(self, place: str, route: str) -> "Planned":
        return replace(
            self, waypoints=(*self.waypoints[:-1], place), routes=(*self.routes[:-1], route)
        )

    def shortened(self) -> "Planned":
        return replace(self, waypoints=self.waypoints[:-1], routes=self.routes[:-1])
