"""Routes between cities and places, worked out instead of stored.

Three alternatives for a place on the way between two cities, from and to both of them, and three
between a place in a city and any other city. Their ids are numbered by place and alternative, so
that an id alone says what it stands for.
"""

from collections.abc import Sequence

from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.numbering import CATEGORY_OF_PART, Numbering, poi_number, poi_serial
from vehicle_bus.world.places import Poi
from vehicle_bus.world.recipe import Recipe
from vehicle_bus.world.tables import WorldTables

ALTERNATIVES = 3
ROUTE_ID_PARTS = 4


class NumberedRecipes:
    """What `WorldTables` answers of recipes, for a world that was built."""

    def __init__(self, tables: WorldTables, seed: int) -> None:
        self._tables = tables
        self._numbering = Numbering(seed)
        self._cities = {row["id"][4:7]: row["id"] for row in tables.entries("locations")}

    def recipes(self, start_id: str, destination_id: str) -> list[Recipe]:
        """The alternatives between a city and a place, in either direction; none otherwise."""
        outward = start_id.startswith("loc_")
        city_id, poi_id = (start_id, destination_id) if outward else (destination_id, start_id)
        poi = self._tables.poi(poi_id)
        return self._recipes(city_id, poi, outward=outward) if poi else []

    def recipe(self, route_id: str) -> Recipe | None:
        parts = route_id.split("_")
        if len(parts) != ROUTE_ID_PARTS or parts[0] not in ("rlp", "rpl"):
            return None
        outward = parts[0] == "rlp"
        city_part, poi_part = parts[1:3] if outward else parts[2:0:-1]
        city_id, category = self._cities.get(city_part), CATEGORY_OF_PART.get(poi_part)
        if city_id is None or category is None:
            return None
        index = self._numbering.index_of(route_id)
        if index is None:
            return None
        serial, alternative = divmod(index, ALTERNATIVES)
        poi = self._tables.poi_numbered(poi_number(category, serial))
        recipes = self._recipes(city_id, poi, outward=outward) if poi else []
        return recipes[alternative] if recipes else None

    def _recipes(self, city_id: str, poi: Poi, *, outward: bool) -> list[Recipe]:
        home_id = poi.row.get("corresponding_location_id")
        if home_id is not None:
            ends = (city_id, home_id) if outward else (home_id, city_id)
            bases = [row["route_id"] for row in self._tables.routes(*ends)]
            return self._numbered(city_id, poi, bases, None, outward=outward)
        forward, back = _halves(poi.row["corresponding_route_ids"])
        fraction = poi.fraction or 0.0
        match city_id[4:7]:
            case part if part == forward[0][4:7]:
                bases = forward if outward else back
                return self._numbered(city_id, poi, bases, fraction, outward=outward)
            case part if part == forward[0][8:11]:
                bases = back if outward else forward
                return self._numbered(city_id, poi, bases, 1 - fraction, outward=outward)
        return []

    def _numbered(
        self,
        city_id: str,
        poi: Poi,
        bases: Sequence[str],
        fraction: float | None,
        *,
        outward: bool,
    ) -> list[Recipe]:
        poi_id: str = poi.row["id"]
        ends = (city_id, poi_id) if outward else (poi_id, city_id)
        key = f"r{ends[0][0]}{ends[1][0]}_{ends[0][4:7]}_{ends[1][4:7]}"
        first = poi_serial(poi.number) * ALTERNATIVES
        return [
            Recipe(
                self._numbering.id_of(key, first + rank),
                *ends,
                base,
                rank,
                fraction,
                poi.detour_km,
            )
            for rank, base in enumerate(bases)
        ]


def _halves(route_ids: Row | list[str]) -> tuple[list[str], list[str]]:
    """The ids of one direction and those of the other."""
    ids = list(route_ids)
    return ids[:ALTERNATIVES], ids[ALTERNATIVES:]
