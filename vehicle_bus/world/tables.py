"""What is asked of a world file: places by id and by where they lie, routes by id and by ends."""

from collections.abc import Sequence
from functools import lru_cache

import orjson

from vehicle_bus.world.file import Values, WorldFile
from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.places import Poi
from vehicle_bus.world.recipe import Recipe

POIS_KEPT = 512
ROUTES_KEPT = 512
POI = "SELECT number, row, fraction, detour_km FROM poi WHERE"
LYING = "SELECT row FROM lies JOIN poi ON number = poi WHERE place = ? AND lies.category = ?"
RECIPE = (
    "SELECT route_id, start_id, destination_id, base_route_id, alternative, fraction, detour_km "
    "FROM recipe WHERE"
)


class WorldTables:
    """Typed look-ups; the few rows asked for again and again are kept in memory."""

    def __init__(self, file: WorldFile) -> None:
        self._file = file
        self.poi = lru_cache(POIS_KEPT)(self._poi)
        self.route = lru_cache(ROUTES_KEPT)(self._route)
        self.routes = lru_cache(ROUTES_KEPT)(self._routes)

    def entries(self, kind: str) -> list[Row]:
        """Rows of one of the kinds that are few."""
        query = "SELECT row FROM entry WHERE kind = ? ORDER BY number"
        return _rows(self._file.all(query, (kind,)))

    def poi_numbered(self, number: int) -> Poi | None:
        return _poi(self._file.one(f"{POI} number = ?", (number,)))

    def lying(
        self, place: str, category: str, at_kilometer: float | None = None, within_km: float = 0
    ) -> list[Row]:
        """Places of a category in a location or along a direction, all or around a kilometre."""
        if at_kilometer is None:
            return _rows(self._file.all(f"{LYING} ORDER BY poi", (place, category)))
        query = f"{LYING} AND abs(kilometre - ?) <= ? ORDER BY poi"
        return _rows(self._file.all(query, (place, category, at_kilometer, within_km)))

    def recipe(self, route_id: str) -> Recipe | None:
        values = self._file.one(f"{RECIPE} route_id = ?", (route_id,))
        return Recipe(*values) if values else None

    def recipes(self, start_id: str, destination_id: str) -> list[Recipe]:
        query = f"{RECIPE} start_id = ? AND destination_id = ? ORDER BY number"
        return [Recipe(*values) for values in self._file.all(query, (start_id, destination_id))]

    def answer(self, start_id: str, destination_id: str) -> list[str]:
        """The ids a pair of ends is answered with, where that was laid down."""
        query = (
            "SELECT route_id FROM answer WHERE start_id = ? AND destination_id = ? ORDER BY rank"
        )
        return [route_id for (route_id,) in self._file.all(query, (start_id, destination_id))]

    def detour(self, poi_id: str, route_id: str) -> Row | None:
        query = "SELECT row FROM detour WHERE poi_id = ? AND route_id = ?"
        return _row(self._file.one(query, (poi_id, route_id)))

    def _poi(self, poi_id: str) -> Poi | None:
        return _poi(self._file.one(f"{POI} id = ?", (poi_id,)))

    def _route(self, route_id: str) -> Row | None:
        """A route that is kept as a row, not worked out from another."""
        return _row(self._file.one("SELECT row FROM route WHERE route_id = ?", (route_id,)))

    def _routes(self, start_id: str, destination_id: str) -> Sequence[Row]:
        query = "SELECT row FROM route WHERE start_id = ? AND destination_id = ? ORDER BY number"
        return _rows(self._file.all(query, (start_id, destination_id)))


def _poi(values: Values | None) -> Poi | None:
    if values is None:
        return None
    number, row, *placed = values
    return Poi(number, orjson.loads(row), *placed)


def _row(values: Values | None) -> Row | None:
    if values is None:
        return None
    row: Row = orjson.loads(values[0])
    return row


def _rows(found: Sequence[Values]) -> list[Row]:
    return [orjson.loads(row) for (row,) in found]
