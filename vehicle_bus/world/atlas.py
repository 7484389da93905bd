"""Points of interest and routes in memory."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from vehicle_bus.world.atlas_files import Ends, atlas_files
from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.recipe import Recipe as Recipe

DIRECTION = len("rll_mun_ber")


class Atlas:
    """Places by location and by route, routes by id and by their two ends."""

    def __init__(
        self,
        pois: Iterable[Row] = (),
        routes: Iterable[Row] = (),
        recipes: Iterable[Recipe] = (),
        answers: Iterable[tuple[Ends, Sequence[str]]] = (),
        detours: dict[tuple[str, str], Row] | None = None,
        categories: Iterable[str] = (),
    ) -> None:
        """`answers` says which alternatives a pair of ends has, and in which order.

        Pairs that it leaves out have those known, in the order of `routes` and `recipes`.
        `categories` has the world even if no place of them is known.
        """
        self._pois = {row["id"]: row for row in pois}
        self._routes = {row["route_id"]: row for row in routes}
        self._recipes = {recipe.route_id: recipe for recipe in recipes}
        self._detours = detours or {}
        self._categories = {*categories, *(row["category"] for row in self._pois.values())}
        self._at: dict[str, list[Row]] = {}
        self._along: dict[str, list[Row]] = {}
        for row in self._pois.values():
            if "corresponding_location_id" in row:
                self._at.setdefault(row["corresponding_location_id"], []).append(row)
            for route_id in row.get("corresponding_route_ids", ()):
                self._along.setdefault(route_id, []).append(row)
        self._between: dict[Ends, Sequence[str]] = dict(answers)
        self._add_unanswered()

    @classmethod
    def load(cls, folder: Path) -> "Atlas":
        """What the folder has, which may be nothing; may raise `WorldError` or `KeyError`."""
        files = atlas_files(folder)
        rows = (files.pois, files.routes, files.recipes, files.answers)
        return cls(*rows, files.detours, files.categories)

    def poi(self, poi_id: str) -> Row | None:
        return self._pois.get(poi_id)

    def pois_at(self, location_id: str, category: str) -> Sequence[Row]:
        return [row for row in self._at.get(location_id, ()) if row["category"] == category]

    def pois_along(
        self, route_id: str, category: str, at_kilometer: float | None, within_km: float
    ) -> Sequence[Row]:
        found = [row for row in self._along.get(route_id, ()) if row["category"] == category]
        if at_kilometer is None:
            return found
        direction = route_id[:DIRECTION]
        return [row for row in found if abs(kilometre(row, direction) - at_kilometer) <= within_km]

    def has_category(self, category: str) -> bool:
        return category in self._categories

    def route(self, route_id: str) -> Row | None:
        known = self._routes.get(route_id)
        recipe = self._recipes.get(route_id)
        if known is not None or recipe is None:
            return known
        base = self._routes.get(recipe.base_route_id)
        return recipe.route(base) if base is not None else None

    def routes(self, start_id: str, destination_id: str) -> Sequence[Row]:
        found = map(self.route, self._between.get((start_id, destination_id), ()))
        return [row for row in found if row is not None]

    def stored_detour(self, poi_id: str, route_id: str) -> Row | None:
        return self._detours.get((poi_id, route_id))

    def _add_unanswered(self) -> None:
        answered = frozenset(self._between)
        found: dict[Ends, list[str]] = {}
        for row in self._routes.values():
            found.setdefault((row["start_id"], row["destination_id"]), []).append(row["route_id"])
        for recipe in self._recipes.values():
            ends = (recipe.start_id, recipe.destination_id)
            found.setdefault(ends, []).append(recipe.route_id)
        self._between |= {ends: ids for ends, ids in found.items() if ends not in answered}


def kilometre(poi: Row, direction: str) -> float:
    """Where a place lies on the routes of a direction; far away if it does not."""
    position: dict[str, Any] = poi.get("route_positions", {}).get(direction, {})
    return float(position.get("at_route_kilometer", math.inf))
