"""The route of a car as a line on a plane, with the charge along it. Pure.

A road is the straight line between its ends, as the car drives it; `at_km` counts along the roads.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import itemgetter
from typing import Any, ClassVar

from evaluator.live.update import Update
from vehicle_bus.car.state import Place
from vehicle_bus.world.build.geography import KM_PER_DEGREE, straight_km
from vehicle_bus.world.places import CHARGING, DIRECTION, kilometre
from vehicle_bus.world.world import Row, World, place

POSITION = ("current_location.position.longitude", "current_location.position.latitude")
EVERY_NS = 500_000_000  # while it drives
DRIVEN_POINTS = 60  # of the charge, on a whole route
NEAR_KM = 0.5
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class RouteNow(Update):
    """A route and where the car is on it; without `points` there is none.

    `place` is the nearest known one, `away_km` from the car. `moment` is date and time in the car
    (ISO 8601), which run `rate` times as fast as its own time.
    """

    KIND: ClassVar[str] = "route"
    points: Sequence[dict[str, Any]] = ()
    length_km: float = 0.0
    at_km: float = 0.0
    charge: Sequence[dict[str, float]] = ()
    charging: Sequence[dict[str, Any]] = ()
    place: str = ""
    away_km: float = 0.0
    moment: str = ""
    rate: float = 1.0


@dataclass(frozen=True, slots=True)
class Leg:
    """One road of a route, on the plane."""

    start: Point
    end: Point
    from_km: float
    length_km: float

    def nearest(self, point: Point) -> tuple[float, float]:
        """How far away a point is, and at which kilometre it comes nearest."""
        (x, y), (to_x, to_y) = self.start, self.end
        square = (to_x - x) ** 2 + (to_y - y) ** 2
        along = (point[0] - x) * (to_x - x) + (point[1] - y) * (to_y - y)
        share = min(max(along / square, 0.0), 1.0) if square else 0.0
        nearest = (x + (to_x - x) * share, y + (to_y - y) * share)
        return math.dist(point, nearest), self.from_km + self.length_km * share


@dataclass(slots=True)
class RouteMap:
    """Follows the values of one car, which begins at its `home`."""

    world: World
    home: Place
    _trip: tuple[Sequence[str], Sequence[str]] = ((), ())
    _legs: tuple[Leg, ...] = ()
    _points: tuple[dict[str, Any], ...] = ()
    _charging: tuple[dict[str, Any], ...] = ()
    _stops: tuple[Row, ...] = ()
    _driven: list[dict[str, float]] = field(default_factory=list)
    _shown: RouteNow = RouteNow()
    _looked_ns: int = -EVERY_NS
    _middle: float = 0.0  # the latitude around which the plane is laid

    @property
    def now(self) -> RouteNow:
        """What was shown last."""
        return self._shown

    def take(self, values: Mapping[str, Any], at_ns: int) -> Iterator[RouteNow]:
        """The route, if it is another one; where the car is, a few times a second."""
        trip = _trip(values)
        is_new = trip != self._trip
        if is_new:
            self._trip, self._driven = trip, []
            self._lay_out(*trip)
        if not is_new and at_ns - self._looked_ns < EVERY_NS:
            return
        self._looked_ns = at_ns
        name, away_km = self._nearest(values)
        shown = replace(self._route(values), place=name, away_km=away_km)
        if shown != self._shown:
            self._shown = shown
            yield shown

    def _lay_out(self, waypoints: Sequence[str], routes: Sequence[str]) -> None:
        places = [place(self.world, each) for each in waypoints]
        roads = [self.world.route(each) for each in routes]
        self._legs = self._points = self._charging = self._stops = ()
        if not routes or None in places or None in roads or len(places) != len(roads) + 1:
            return
        known = [each for each in places if each is not None]
        self._middle = known[0]["position"]["latitude"]
        kms = [0.0]
        for road in roads:
            kms.append(kms[-1] + float(road["distance_km"] if road else 0.0))
        spots = [self._point(each["position"]) for each in known]
        self._legs = tuple(
            Leg(start, end, from_km, to_km - from_km)
            for (start, end), (from_km, to_km) in zip(pairwise(spots), pairwise(kms), strict=True)
        )
        self._points = tuple(
            {"name": each["name"], "x_km": x, "y_km": y, "at_km": round(km, 2), "stop": True}
            for each, (x, y), km in zip(known, spots, kms, strict=True)
        )
        self._charging = tuple(sorted(self._chargers(routes), key=itemgetter("at_km")))
        self._stops = tuple(known)

    def _point(self, position: Mapping[str, float]) -> Point:
        east = position["longitude"] * KM_PER_DEGREE * math.cos(math.radians(self._middle))
        return round(east, 3), round(position["latitude"] * KM_PER_DEGREE, 3)

    def _chargers(self, routes: Sequence[str]) -> Iterator[dict[str, Any]]:
        for leg, route_id in zip(self._legs, routes, strict=True):
            for poi in self.world.pois_along(route_id, CHARGING, None, 0.0):
                at_km = kilometre(poi, route_id[:DIRECTION])
                if at_km <= leg.length_km:
                    yield {"at_km": round(leg.from_km + at_km, 2), "name": poi["name"]}

    def _nearest(self, values: Mapping[str, Any]) -> tuple[str, float]:
        """The name of the nearest place, and how far away it is."""
        longitude, latitude = (values.get(name) for name in POSITION)
        if longitude is None or latitude is None:
            return self.home.name, 0.0
        here = {"longitude": longitude, "latitude": latitude}
        known = (self.home.model_dump(), *self._stops, *self.world.locations())
        away_km = [straight_km(here, each["position"]) for each in known]
        nearest = away_km.index(min(away_km))
        return str(known[nearest]["name"]), away_km[nearest]

    def _route(self, values: Mapping[str, Any]) -> RouteNow:
        if not self._legs:
            return RouteNow()
        length_km = self._legs[-1].from_km + self._legs[-1].length_km
        at_km = round(self._at_km(values), 2)
        charge = tuple(self._charge(values, at_km, length_km))
        return RouteNow(self._points, round(length_km, 2), at_km, charge, self._charging)

    def _at_km(self, values: Mapping[str, Any]) -> float:
        """On the road that it is on; where two lead along each other, not back to the first."""
        longitude, latitude = (values.get(name) for name in POSITION)
        if longitude is None or latitude is None:
            return 0.0
        here = self._point({"longitude": longitude, "latitude": latitude})
        found = [leg.nearest(here) for leg in self._legs]
        nearest_km = min(away_km for away_km, _ in found)
        near = [at_km for away_km, at_km in found if away_km <= nearest_km + NEAR_KM]
        before_km = self._driven[-1]["at_km"] if self._driven else 0.0
        return min((km for km in near if km >= before_km - NEAR_KM), default=near[-1])

    def _charge(
        self, values: Mapping[str, Any], at_km: float, length_km: float
    ) -> Iterator[dict[str, float]]:
        """As it was measured so far, then as the range of the car lets expect."""
        percent, range_km = values.get("state_of_charge"), values.get("remaining_range_km")
        if percent is None or range_km is None:
            return
        here = {"at_km": at_km, "soc": float(percent)}
        if not self._driven or at_km - self._driven[-1]["at_km"] >= length_km / DRIVEN_POINTS:
            self._driven.append(here)
        yield from self._driven
        if here != self._driven[-1]:
            yield here
        empty_km = at_km + range_km
        ends_km = {leg.from_km + leg.length_km for leg in self._legs} | {empty_km}
        for km in sorted(km for km in ends_km if at_km < km <= length_km):
            left = max(0.0, (empty_km - km) / range_km) if range_km else 0.0
            yield {"at_km": round(km, 2), "soc": round(percent * left, 1)}


def _trip(values: Mapping[str, Any]) -> tuple[Sequence[str], Sequence[str]]:
    if not values.get("navigation_active"):
        return (), ()
    return (
        tuple(values.get("waypoints_id") or ()),
        tuple(values.get("routes_to_final_destination_id") or ()),
    )
