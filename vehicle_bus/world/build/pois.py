"""Points of interest in cities and along routes."""

from collections import Counter
from collections.abc import Iterator, Sequence

from vehicle_bus.world.build.chance import Chance
from vehicle_bus.world.build.geography import beside, on_the_way
from vehicle_bus.world.build.sources import City
from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.numbering import CATEGORIES, Numbering, poi_key, poi_number
from vehicle_bus.world.places import CHARGING, Poi

AIRPORTS = "airports"
EVERYWHERE = tuple(category for category in CATEGORIES if category != AIRPORTS)
PER_CITY = 2
EVERY_KM = 50
FARTHEST_FRACTION = 0.999
MOST_PLUGS = 5
IN_TOWN_KM = 4.5
ALWAYS = "00:00h - 24:00h"
OPENS_CLOSES = {
    "bakery": ((6, 8), (12, 16)),
    "fast_food": ((6, 8), (18, 24)),
    "supermarkets": ((6, 8), (18, 24)),
    "restaurants": ((8, 13), (17, 22)),
    "parking": ((0, 8), (20, 24)),
}
AC_KW = (11, 22)
DC_KW = (50, 100, 150, 200, 250, 300, 350)
AVAILABILITY = {"available": 60, "occupied": 35, "maintenance": 5}
PHONE_NUMBERS = 9 * 10**9
PHONE_STRIDE = 6_180_339_887  # has no divisor in common with PHONE_NUMBERS: no number twice


class PoiMaker:
    """Counts places by category while it makes them."""

    def __init__(self, numbering: Numbering, names: Row) -> None:
        self._numbering = numbering
        self._names = names
        self._made: Counter[str] = Counter()

    def in_city(self, city: City, chance: Chance) -> Iterator[Poi]:
        """Two places per category, and the airport if there is one."""
        if city.airport is not None:
            position = beside(city.row["position"], chance.between(5, 9), chance.between(-9, 9))
            yield self._poi(AIRPORTS, city, chance, position, _of(city), city.airport)
        for category in EVERYWHERE:
            for name in self._different_names(category, city, chance):
                east, north = (chance.between(-IN_TOWN_KM, IN_TOWN_KM) for _ in range(2))
                position = beside(city.row["position"], east, north)
                yield self._poi(category, city, chance, position, _of(city), name)

    def along(
        self,
        start: City,
        destination: City,
        outward: Sequence[Row],
        back: Sequence[Row],
        chance: Chance,
    ) -> Iterator[Poi]:
        """One place per category at every full 50 km of the fastest route."""
        route_ids = [row["route_id"] for row in (*outward, *back)]
        directions = [outward[0]["route_id"][:11], back[0]["route_id"][:11]]
        length_km = outward[0]["distance_km"]
        ends = (start.row["position"], destination.row["position"])
        for stretch in range(1, int(length_km / EVERY_KM) + 1):
            at_km = float(EVERY_KM * stretch)
            fraction = min(round(at_km / length_km, 3), FARTHEST_FRACTION)
            point = on_the_way(*ends, fraction)
            city = start if fraction < 0.5 else destination
            kilometres = (at_km, round(length_km - at_km, 1))
            for category in EVERYWHERE:
                off = (chance.between(0.7, 3.5), chance.between(0.7, 3.5))
                signs = (chance.one_of((-1, 1)), chance.one_of((-1, 1)))
                lies = {
                    "corresponding_route_ids": route_ids,
                    "route_positions": {
                        direction: {"at_route_kilometer": kilometre}
                        for direction, kilometre in zip(directions, kilometres, strict=True)
                    },
                }
                position = beside(point, off[0] * signs[0], off[1] * signs[1])
                detour_km = round(max(off) * chance.between(1.1, 1.6), 1)
                yield self._poi(
                    category, city, chance, position, lies, fraction=fraction, detour_km=detour_km
                )

    def _different_names(self, category: str, city: City, chance: Chance) -> list[str]:
        names: dict[str, None] = {}
        while len(names) < PER_CITY:
            names[_name(self._names, category, city.language, chance)] = None
        return list(names)

    def _poi(
        self,
        category: str,
        city: City,
        chance: Chance,
        position: Row,
        lies: Row,
        name: str | None = None,
        *,
        fraction: float | None = None,
        detour_km: float = 0.0,
    ) -> Poi:
        serial = self._made[category]
        self._made[category] += 1
        number = poi_number(category, serial)
        row = {
            "id": self._numbering.id_of(poi_key(category), serial),
            "name": name or _name(self._names, category, city.language, chance),
            "category": category,
            "position": position,
            "opening_hours": _hours(category, chance),
            "phone_number": _phone(city, number, self._numbering.seed),
            **lies,
        }
        if category == CHARGING:
            row["charging_plugs"] = list(self._plugs(serial, chance))
        return Poi(number, row, fraction, detour_km)

    def _plugs(self, serial: int, chance: Chance) -> Iterator[Row]:
        for plug in range(chance.whole(1, MOST_PLUGS)):
            power_type = "DC" if chance.happens(60) else "AC"
            yield {
                "plug_id": self._numbering.id_of("plg_cha", serial * MOST_PLUGS + plug),
                "power_type": power_type,
                "power_kw": chance.one_of(DC_KW if power_type == "DC" else AC_KW),
                "availability": chance.weighted(AVAILABILITY),
            }


def _of(city: City) -> Row:
    return {"corresponding_location_id": city.row["id"]}


def _name(names: Row, category: str, language: str, chance: Chance) -> str:
    words = names["opened_in"][language]
    patterns: list[str] = names["own_name"].get(category) or words[category]
    pattern = chance.one_of(patterns)
    return pattern.format(
        brand=chance.one_of(names["chains"].get(category, ("",))),
        town=chance.one_of(words["towns"]),
        family=chance.one_of(words["families"]),
        thing=chance.one_of(words["things"]),
    )


def _hours(category: str, chance: Chance) -> str:
    if category not in OPENS_CLOSES:
        return ALWAYS
    opens, closes = (chance.whole(*span) for span in OPENS_CLOSES[category])
    return f"{opens:02}:00h - {closes:02}:00h"


def _phone(city: City, number: int, seed: int) -> str:
    digits = str(10**9 + (number * PHONE_STRIDE + seed) % PHONE_NUMBERS)
    return f"{city.country['phone']} {digits[:3]} {digits[3:]}"
