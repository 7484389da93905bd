"""Where a moving car is on its trip: the road under it, what lies behind, what comes next."""

import math

from vehicle_bus.car.car import Progress
from vehicle_bus.car.state import CarState
from vehicle_bus.motion.road import Road, road
from vehicle_bus.world.places import CHARGING, DIRECTION, kilometre
from vehicle_bus.world.world import World

STOP_NS = 60_000_000_000  # on the way, before the car goes on


class Journey:
    """Follows the active trip of a car, route by route."""

    def __init__(self, world: World) -> None:
        self.road: Road | None = None
        self.along_m = 0.0
        self._world = world
        self._trip: tuple[str, ...] = ()
        self._leg = 0
        self._rests_until_ns = 0
        self._chargers_m: tuple[float, ...] = ()

    @property
    def left_m(self) -> float:
        return self.road.length_m - self.along_m if self.road else 0.0

    @property
    def is_there(self) -> bool:
        """Whether the end of the route is reached."""
        return self.road is not None and self.left_m <= 0

    @property
    def share(self) -> float:
        """How much of the route is driven, from 0 to 1."""
        return self.along_m / self.road.length_m if self.road and self.road.length_m else 0.0

    @property
    def is_last_leg(self) -> bool:
        return self._leg == len(self._trip) - 1

    @property
    def to_next_stop_m(self) -> float:
        """The way to where one could stay or charge."""
        chargers = (at_m - self.along_m for at_m in self._chargers_m if at_m >= self.along_m)
        return min(chargers, default=self.left_m)

    def is_guided(self, state: CarState) -> bool:
        """Whether the navigation of the car leads along this road."""
        return (
            self.road is not None
            and state.navigation_active
            and state.routes_to_final_destination_id == self._trip
        )

    def follow(self, state: CarState, now_ns: int) -> None:
        """Take the next route after a stop, and the new one when the trip was changed."""
        trip = state.routes_to_final_destination_id if state.navigation_active else ()
        rested = self.is_there and now_ns >= self._rests_until_ns
        if trip and trip != self._trip:
            self._change_to(trip)
        elif trip and rested and not self.is_last_leg:
            self._take(trip, self._leg + 1, 0.0)

    def move(self, metres: float) -> None:
        self.along_m = min(self.along_m + metres, self.road.length_m if self.road else 0.0)

    def rest(self, now_ns: int, speed_factor: float) -> None:
        """Stay a while at the end of this route."""
        self._rests_until_ns = now_ns + round(STOP_NS / speed_factor)

    def progress(self) -> Progress | None:
        if self.road is None:
            return None
        return Progress(
            route_id=self.road.route_id,
            at_kilometer=round(self.along_m / 1000, 2),
            next_waypoint_id=self.road.destination["id"],
            remaining_km=round(self.left_m / 1000, 2),
            remaining_minutes=math.ceil(self.road.seconds(self.along_m) / 60),
        )

    def _change_to(self, trip: tuple[str, ...]) -> None:
        """Go on with a changed trip.

        A road that is still part of it is kept. Another one from the same place is taken as if the
        car had been on it so far; a trip from elsewhere begins at its start.
        """
        if self.road is None:
            self._take(trip, 0, 0.0)
            return
        if self.road.route_id in trip:
            self._trip, self._leg = trip, trip.index(self.road.route_id)
            return
        origin = self.road.destination if self.is_there else self.road.start
        along_m = 0.0 if self.is_there else self.along_m
        for leg, route_id in enumerate(trip):
            route = self._world.route(route_id)
            if route is not None and route["start_id"] == origin["id"]:
                self._take(trip, leg, along_m)
                return
        self._take(trip, 0, 0.0)

    def _take(self, trip: tuple[str, ...], leg: int, along_m: float) -> None:
        self._trip, self._leg = trip, leg
        self.road = road(self._world, trip[leg])
        self.along_m = min(along_m, self.road.length_m) if self.road else 0.0
        chargers = self._world.pois_along(trip[leg], CHARGING, None, 0.0)
        found = (kilometre(poi, trip[leg][:DIRECTION]) * 1000 for poi in chargers)
        self._chargers_m = tuple(sorted(at_m for at_m in found if math.isfinite(at_m)))
