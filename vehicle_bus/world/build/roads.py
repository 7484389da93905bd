"""Routes between cities, and from a city to a place in it."""

from collections.abc import Sequence
from dataclasses import dataclass

from vehicle_bus.world.build.chance import Chance
from vehicle_bus.world.build.geography import short_km, straight_km
from vehicle_bus.world.build.sources import City
from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.numbering import Numbering

NAMES = (["fastest", "first"], ["second"], ["third"])
EUROPEAN = 90
ALTERNATIVES_IN_TOWN = 2


@dataclass(frozen=True, slots=True)
class Way:
    """One alternative, still without direction and id."""

    roads: tuple[str, ...]
    distance_km: float
    minutes: int
    road_types: tuple[str, ...]
    toll: bool = False


def between_cities(start: City, destination: City, chance: Chance) -> list[Way]:
    """Three alternatives, the fastest first: by motorway, a shorter one, one further round."""
    straight = straight_km(start.row["position"], destination.row["position"])
    fast_km = straight * chance.between(1.18, 1.3)
    shorter = chance.between(0.84, 0.95) if chance.happens(65) else chance.between(1.02, 1.06)
    ways = [
        _way(start, destination, chance, fast_km, motorway=True),
        _way(start, destination, chance, fast_km * shorter, motorway=False),
        _way(start, destination, chance, fast_km * chance.between(1.03, 1.14), motorway=True),
    ]
    return _fastest_first(ways)


def in_town(city: City, position: Row, streets: Sequence[str], chance: Chance) -> list[Way]:
    """Two alternatives to a place of a city, the faster first."""
    direct_km = max(0.3, short_km(city.row["position"], position))
    ways = []
    for _ in range(ALTERNATIVES_IN_TOWN):
        distance_km = round(direct_km * chance.between(1.2, 1.7), 2)
        kph = chance.between(24, 34) + 2 * min(distance_km, 15)
        types = ("country road", "urban") if distance_km > 8 or chance.happens(20) else ("urban",)
        names = chance.some_of(streets, chance.whole(1, 3))
        ways.append(Way(tuple(names), distance_km, max(1, round(60 * distance_km / kph)), types))
    return _fastest_first(ways)


def route_rows(
    numbering: Numbering,
    start_id: str,
    destination_id: str,
    first_index: int,
    ways: Sequence[Way],
    *,
    back: bool = False,
) -> list[Row]:
    """The rows of the alternatives; `back` is the way back, on the same roads."""
    kind = f"r{start_id[0]}{destination_id[0]}"
    key = f"{kind}_{start_id[4:7]}_{destination_id[4:7]}"
    shortest = min(range(len(ways)), key=lambda rank: ways[rank].distance_km)
    return [
        {
            "route_id": numbering.id_of(key, first_index + rank),
            "start_id": start_id,
            "destination_id": destination_id,
            "name_via": ", ".join(reversed(way.roads) if back else way.roads),
            "distance_km": way.distance_km,
            "duration_hours": way.minutes // 60,
            "duration_minutes": way.minutes % 60,
            "road_types": sorted((*way.road_types, *(["includes toll road"] if way.toll else []))),
            "includes_toll": way.toll,
            "alias": [*NAMES[rank], *(["shortest"] if rank == shortest else [])],
        }
        for rank, way in enumerate(ways)
    ]


def _fastest_first(ways: Sequence[Way]) -> list[Way]:
    return sorted(ways, key=lambda way: (way.minutes, way.distance_km))


def _way(
    start: City, destination: City, chance: Chance, distance_km: float, *, motorway: bool
) -> Way:
    settled = distance_km / (distance_km + 60)  # a short trip is mostly getting out and in
    kph = (60 + 38 * settled if motorway else 55 + 31 * settled) * chance.between(0.96, 1.04)
    distance_km = round(distance_km, 2)
    types = {"highway"} if motorway else {"country road"}
    if not motorway and chance.happens(30):
        types.add("highway")
    if motorway and chance.happens(35):
        types.add("country road")
    if chance.happens(50):
        types.add("urban")
    toll_percent = (start.country["toll"] + destination.country["toll"]) / 2
    toll = "highway" in types and chance.happens(toll_percent)
    roads = _roads(start, destination, chance, distance_km, motorway=motorway)
    return Way(roads, distance_km, round(60 * distance_km / kph), tuple(sorted(types)), toll)


def _roads(
    start: City, destination: City, chance: Chance, distance_km: float, *, motorway: bool
) -> tuple[str, ...]:
    """One to three road numbers, in the style of the countries the trip begins and ends in."""
    if distance_km < 80:
        names = [_road(start, chance, motorway=motorway)]
    elif distance_km < 350:
        names = [_road(city, chance, motorway=motorway) for city in (start, destination)]
    else:
        across = f"E{chance.whole(4, EUROPEAN)}" if motorway else _road(start, chance)
        names = [
            _road(start, chance, motorway=motorway),
            across,
            _road(destination, chance, motorway=motorway),
        ]
    return tuple(dict.fromkeys(names))


def _road(city: City, chance: Chance, *, motorway: bool = False) -> str:
    smaller = "national" if chance.happens(70) else "local"
    letter, highest = city.country["motorway" if motorway else smaller]
    return f"{letter}{chance.whole(1, highest)}"
