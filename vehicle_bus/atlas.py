"""Points of interest and routes in memory, read from files of the public format.

Two kinds of folder are understood. A complete world has plain rows: `pois.jsonl`, three files of
routes and `routes_metadata.jsonl`, whose routes are worked out from a city-to-city route. A partial
world, put together from recordings, has wrapped rows in `pois.jsonl` and `routes.jsonl`.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vehicle_bus.json_lines import Row, rows
from vehicle_bus.places import CATEGORIES

COMPLETE_ROUTES = (
    "routes_location_location.jsonl",
    "routes_location_poi.jsonl",
    "routes_poi_location.jsonl",
)
RECIPES = "routes_metadata.jsonl"
INDEX = "routes_index.jsonl"
DIRECTION = len("rll_mun_ber")
DETOUR_KPH = 50
ALIASES = (["fastest", "first"], ["second"], ["third"])
Ends = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A route between a city and a place, made from a city-to-city route."""

    route_id: str
    start_id: str
    destination_id: str
    base_route_id: str
    alternative: int
    fraction: float | None
    detour_km: float

    @classmethod
    def read(cls, row: Row) -> "Recipe":
        return cls(
            row["route_id"],
            row["start_id"],
            row["destination_id"],
            row["base_route_id"],
            row["route_alternative"],
            row.get("fraction"),
            row.get("detour_distance_km", 0.0),
        )

    def route(self, base: Row) -> Row:
        """The route row, with `base_route_id` in addition; 60 as minutes does occur."""
        share = 1.0 if self.fraction is None else self.fraction
        base_minutes = 60 * base["duration_hours"] + base["duration_minutes"]
        minutes = base_minutes * share + self.detour_km / DETOUR_KPH * 60
        return {
            "route_id": self.route_id,
            "start_id": self.start_id,
            "destination_id": self.destination_id,
            "name_via": base["name_via"],
            "distance_km": round(base["distance_km"] * share + self.detour_km, 2),
            "duration_hours": math.floor(minutes / 60),
            "duration_minutes": math.ceil(minutes % 60),
            "road_types": base["road_types"],
            "includes_toll": base["includes_toll"],
            "alias": base.get("alias") or ALIASES[self.alternative],
            "base_route_id": self.base_route_id,
        }


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
        if (folder / COMPLETE_ROUTES[0]).exists():
            return _complete(folder)
        return _partial(folder)

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


def _complete(folder: Path) -> Atlas:
    return Atlas(
        pois=_optional(folder / "pois.jsonl"),
        routes=(row for name in COMPLETE_ROUTES for row in _optional(folder / name)),
        recipes=map(Recipe.read, _optional(folder / RECIPES)),
        answers=_indexed(folder / INDEX),
    )


def _indexed(path: Path) -> Iterator[tuple[Ends, Sequence[str]]]:
    found: dict[Ends, list[str]] = {}
    for row in _optional(path):
        found.setdefault((row["start_id"], row["destination_id"]), []).append(row["route_id"])
    return iter(found.items())


def _partial(folder: Path) -> Atlas:
    pois, detours = [], {}
    for row in _optional(folder / "pois.jsonl"):
        poi = row.get("poi", row)
        pois.append(poi)
        for route_id, detour in row.get("detours_by_route", {}).items():
            detours[poi["id"], route_id] = detour
    return Atlas(
        pois=pois,
        routes=(row.get("route", row) for row in _optional(folder / "routes.jsonl")),
        answers=(
            ((row["start_id"], row["destination_id"]), row["route_ids_in_answer_order"])
            for row in _optional(folder / "route_pairs.jsonl")
        ),
        detours=detours,
        categories=CATEGORIES if detours else (),
    )


def _optional(path: Path) -> Iterator[Row]:
    return rows(path) if path.exists() else iter(())
