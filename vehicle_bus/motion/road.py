"""A route as a road: how long, where it leads along, and how fast one drives where."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from vehicle_bus.world.build.geography import on_the_way
from vehicle_bus.world.world import Row, World, place

DECIMAL_PLACES = 5  # of a degree: about a metre
CRUISING_KMH = {"urban": 45.0, "country road": 80.0, "highway": 120.0}
TOWN_M, TOWN_SHARE = 3000.0, 0.1  # at either end of a route, whichever is less
COUNTRY_SHARE = 0.1  # next to it, where a highway lies between
SCALED = (0.6, 1.4)  # how far speeds bend to make the duration of a route come true
WAVES = ((1700.0, 0.04), (640.0, 0.03))  # length in metres and share of the speed


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a road up to `end_m`, driven at `speed` metres per second."""

    end_m: float
    speed: float


@dataclass(frozen=True, slots=True)
class Road:
    """One route. Position follows the straight line between its ends."""

    route_id: str
    start: Row
    destination: Row
    length_m: float
    stretches: tuple[Stretch, ...]

    def position(self, along_m: float) -> dict[str, float]:
        share = along_m / self.length_m if self.length_m else 1.0
        return on_the_way(
            self.start["position"], self.destination["position"], share, DECIMAL_PLACES
        )

    def cruising(self, along_m: float) -> float:
        """The usual speed at a place, in metres per second."""
        fitting = (part.speed for part in self.stretches if along_m < part.end_m)
        return next(fitting, self.stretches[-1].speed)

    def seconds(self, from_m: float) -> float:
        """How long the rest takes without stops."""
        return _seconds(self.stretches, from_m)


class Rhythm:
    """How traffic and mood let a driver deviate from the usual speed, by place; seeded."""

    def __init__(self, seed: str) -> None:
        chance = Random(seed)
        self._waves = [(length_m, share, chance.random()) for length_m, share in WAVES]

    def factor(self, along_m: float) -> float:
        return 1 + sum(
            share * math.sin(2 * math.pi * (along_m / length_m + phase))
            for length_m, share, phase in self._waves
        )


def road(world: World, route_id: str) -> Road | None:
    """The road of a route; None if the world does not know it or where it leads."""
    row = world.route(route_id)
    if row is None:
        return None
    start, destination = place(world, row["start_id"]), place(world, row["destination_id"])
    if start is None or destination is None:
        return None
    length_m = float(row["distance_km"]) * 1000
    return Road(route_id, start, destination, length_m, _stretches(row, length_m))


def _stretches(row: Row, length_m: float) -> tuple[Stretch, ...]:
    """Town at the ends, country road next to it, highway in the middle, as far as there are any."""
    kinds = [kind for kind in CRUISING_KMH if kind in row["road_types"]] or ["country road"]
    outward: list[Stretch] = []
    back: list[Stretch] = []
    begin_m = 0.0
    for kind in kinds:
        speed = CRUISING_KMH[kind] / 3.6
        end_m = begin_m + (TOWN_SHARE if kind == "urban" else COUNTRY_SHARE) * length_m
        if kind == "urban":
            end_m = min(end_m, TOWN_M)
        if kind == kinds[-1]:
            end_m = length_m / 2
        outward.append(Stretch(end_m, speed))
        back.insert(0, Stretch(length_m - begin_m, speed))
        begin_m = end_m
    expected_s = row["duration_hours"] * 3600 + row["duration_minutes"] * 60
    usual_s = _seconds([*outward, *back], 0.0)
    factor = min(max(usual_s / expected_s, SCALED[0]), SCALED[1]) if expected_s else 1.0
    return tuple(Stretch(part.end_m, part.speed * factor) for part in (*outward, *back))


def _seconds(stretches: Sequence[Stretch], from_m: float) -> float:
    begin, total = from_m, 0.0
    for part in stretches:
        if part.end_m > begin:
            total += (part.end_m - begin) / part.speed
            begin = part.end_m
    return total
