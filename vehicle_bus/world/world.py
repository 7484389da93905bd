"""Places, weather and people: what the world around the car answers."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Protocol

from vehicle_bus.world.build.geography import straight_km
from vehicle_bus.world.build.writer import world_in_memory
from vehicle_bus.world.file import WorldFile
from vehicle_bus.world.json_lines import Row as Row
from vehicle_bus.world.json_lines import WorldError as WorldError
from vehicle_bus.world.json_lines import rows as rows
from vehicle_bus.world.numbered_recipes import NumberedRecipes
from vehicle_bus.world.places import DIRECTION
from vehicle_bus.world.recipe import Recipe
from vehicle_bus.world.schema import KINDS
from vehicle_bus.world.tables import WorldTables

CLOSEST_NAME = 2


class Recipes(Protocol):
    """Where routes come from that are worked out from others."""

    def recipe(self, route_id: str) -> Recipe | None: ...

    def recipes(self, start_id: str, destination_id: str) -> list[Recipe]: ...


class World:
    """Read-only, safe to use from several threads; without a file it is empty.

    Rows are the JSON objects of the public file format and must not be changed. Of rows with the
    same id the last one counts.
    """

    def __init__(self, file: WorldFile | None = None) -> None:
        """Raises `WorldError` if a row lacks its id."""
        file = file or world_in_memory(lambda writer: writer.finish({"numbered": False}))
        self._tables = tables = WorldTables(file)
        self.checksum: str = file.meta["checksum"]
        self._categories = frozenset(file.meta["categories"])
        self._has_answers = bool(file.one("SELECT 1 FROM answer"))
        self._recipes: Recipes = tables
        if file.meta["numbered"]:
            self._recipes = NumberedRecipes(tables, file.meta["seed"])
        locations, weather, contacts, calendars = map(tables.entries, KINDS)
        try:
            self._locations = {row["id"]: row for row in locations}
            self._weather: dict[str, list[Row]] = {}
            for row in weather:
                self._weather.setdefault(row["location_id"], []).insert(0, row)
            self._contacts = {row["id"]: row for row in contacts}
            self._calendars = {row["id"]: row for row in calendars}
            self._emails = {row["email"]: row for row in self._contacts.values()}
            self._numbers = {row["phone_number"]: row for row in self._contacts.values()}
        except KeyError as error:
            raise WorldError(f"{file.meta.get('source', file)}: a row lacks {error}") from error

    def locations(self) -> Sequence[Row]:
        return tuple(self._locations.values())

    def location(self, location_id: str) -> Row | None:
        return self._locations.get(location_id)

    def location_named(self, name: str) -> Row | None:
        """The place of that name, forgiving up to two wrong letters."""
        wanted = name.lower()
        distances = [
            (edit_distance(wanted, row["name"].lower(), CLOSEST_NAME), row)
            for row in self._locations.values()
        ]
        distance, nearest = min(distances, key=lambda pair: pair[0], default=(99, None))
        return nearest if distance <= CLOSEST_NAME else None

    def weather(self, location_id: str, month: int) -> Row | None:
        """The forecast of a location: `{location_id, location_name, weather: [slots]}`.

        A row holds in its `months`, or all year; where none holds in this one, any does.
        """
        known = self._weather.get(location_id, ()) if location_id in self._locations else ()
        fitting = (row for row in known if month in row.get("months", (month,)))
        return next(chain(fitting, known), None)

    def contacts(self) -> Sequence[Row]:
        return tuple(self._contacts.values())

    def contact(self, contact_id: str) -> Row | None:
        return self._contacts.get(contact_id)

    def contact_with_email(self, email: str) -> Row | None:
        return self._emails.get(email)

    def contact_with_number(self, phone_number: str) -> Row | None:
        return self._numbers.get(phone_number)

    def calendars(self) -> Sequence[Row]:
        return tuple(self._calendars.values())

    def calendar(self, calendar_id: str) -> Row | None:
        return self._calendars.get(calendar_id)

    def poi(self, poi_id: str) -> Row | None:
        """A point of interest."""
        poi = self._tables.poi(poi_id)
        return poi.row if poi else None

    def pois_at(self, location_id: str, category: str) -> Sequence[Row]:
        """Places of a category that belong to a location, in the order of the world."""
        return self._tables.lying(location_id, category)

    def pois_along(
        self, route_id: str, category: str, at_kilometer: float | None, within_km: float
    ) -> Sequence[Row]:
        """Places on a city-to-city route, all or those around a kilometre, in world order."""
        found = self._tables.lying(route_id[:DIRECTION], category, at_kilometer, within_km)
        return [row for row in found if route_id in row.get("corresponding_route_ids", ())]

    def has_category(self, category: str) -> bool:
        """Whether any place of the world has it."""
        return category in self._categories

    def route(self, route_id: str) -> Row | None:
        """A route row: id, ends, name_via, distance_km, duration, road_types, toll, alias."""
        stored = self._tables.route(route_id)
        if stored is not None:
            return stored
        recipe = self._recipes.recipe(route_id)
        return self._worked_out(recipe) if recipe else None

    def routes(self, start_id: str, destination_id: str) -> Sequence[Row]:
        """The alternatives between two points, fastest first; empty if there are none."""
        ends = (start_id, destination_id)
        answer = self._tables.answer(*ends) if self._has_answers else ()
        found = [*map(self.route, answer)] or [
            *self._tables.routes(*ends),
            *map(self._worked_out, self._recipes.recipes(*ends)),
        ]
        return [row for row in found if row is not None]

    def destinations(self, start_id: str, position: Row) -> list[Row]:
        """The locations that a route leads to from a place at this position, nearest first."""
        reachable = (row for row in self.locations() if self.routes(start_id, row["id"]))
        return sorted(reachable, key=lambda row: straight_km(position, row["position"]))

    def stored_detour(self, poi_id: str, route_id: str) -> Row | None:
        """Detour km and time noted for a place on a route where its segments are unknown.

        `{detour_from_route_km: {...}, detour_from_route_time: {...}}`; None in complete worlds.
        """
        return self._tables.detour(poi_id, route_id)

    def _worked_out(self, recipe: Recipe) -> Row | None:
        base = self._tables.route(recipe.base_route_id)
        return recipe.route(base) if base is not None else None


def place(world: World, place_id: str) -> Row | None:
    """A location or a point of interest by its id."""
    return world.location(place_id) if place_id.startswith("loc_") else world.poi(place_id)


@lru_cache(maxsize=65_536)
def edit_distance(one: str, other: str, enough: int) -> int:
    """How many letters to insert, delete or replace to turn one word into the other.

    Words of very different length, known to be further apart than `enough`, are not compared.
    """
    if abs(len(one) - len(other)) > enough:
        return enough + 1
    above = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        row = [i]
        for j, counterpart in enumerate(other, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != counterpart)))
        above = row
    return above[-1]
