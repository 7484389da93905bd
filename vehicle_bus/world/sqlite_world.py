"""Points of interest and routes of a world file, under the names of `Atlas`."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from vehicle_bus.world.atlas import DIRECTION
from vehicle_bus.world.file import WorldFile
from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.numbered_recipes import NumberedRecipes
from vehicle_bus.world.recipe import Recipe
from vehicle_bus.world.schema import KINDS
from vehicle_bus.world.tables import WorldTables
from vehicle_bus.world.world import FileWorld, World


class Recipes(Protocol):
    """Where routes come from that are worked out from others."""

    def recipe(self, route_id: str) -> Recipe | None: ...

    def recipes(self, start_id: str, destination_id: str) -> list[Recipe]: ...


class SqliteAtlas:
    """Reads what it is asked for; safe to use from several threads."""

    def __init__(self, file: WorldFile, tables: WorldTables) -> None:
        self._tables = tables
        self._categories = frozenset(file.meta["categories"])
        self._has_answers = bool(file.one("SELECT 1 FROM answer"))
        self._recipes: Recipes = tables
        if file.meta["numbered"]:
            self._recipes = NumberedRecipes(tables, file.meta["seed"])

    def poi(self, poi_id: str) -> Row | None:
        poi = self._tables.poi(poi_id)
        return poi.row if poi else None

    def pois_at(self, location_id: str, category: str) -> Sequence[Row]:
        return self._tables.lying(location_id, category)

    def pois_along(
        self, route_id: str, category: str, at_kilometer: float | None, within_km: float
    ) -> Sequence[Row]:
        found = self._tables.lying(route_id[:DIRECTION], category, at_kilometer, within_km)
        return [row for row in found if route_id in row.get("corresponding_route_ids", ())]

    def has_category(self, category: str) -> bool:
        return category in self._categories

    def route(self, route_id: str) -> Row | None:
        stored = self._tables.route(route_id)
        if stored is not None:
            return stored
        recipe = self._recipes.recipe(route_id)
        if recipe is None:
            return None
        base = self._tables.route(recipe.base_route_id)
        return recipe.route(base) if base is not None else None

    def routes(self, start_id: str, destination_id: str) -> Sequence[Row]:
        laid_down = self._tables.answer(start_id, destination_id) if self._has_answers else ()
        if laid_down:
            return [row for row in map(self.route, laid_down) if row is not None]
        stored = self._tables.routes(start_id, destination_id)
        derived = self._recipes.recipes(start_id, destination_id)
        return [*stored, *self._worked_out(derived)]

    def stored_detour(self, poi_id: str, route_id: str) -> Row | None:
        return self._tables.detour(poi_id, route_id)

    def _worked_out(self, recipes: Sequence[Recipe]) -> Iterator[Row]:
        for recipe in recipes:
            base = self._tables.route(recipe.base_route_id)
            if base is not None:
                yield recipe.route(base)


def open_world_file(path: Path) -> World:
    """A world that was built or imported; may raise `WorldError`."""
    file = WorldFile(path)
    tables = WorldTables(file)
    few = {kind: tables.entries(kind) for kind in KINDS}
    return FileWorld(**few, atlas=SqliteAtlas(file, tables))
