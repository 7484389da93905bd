"""Points of interest and routes in files of the public format, read one row at a time.

Two kinds of folder are understood. A complete world has plain rows: `pois.jsonl`, three files of
routes and `routes_metadata.jsonl`, whose routes are worked out from a city-to-city route. A partial
world, put together from recordings, has wrapped rows in `pois.jsonl` and `routes.jsonl`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vehicle_bus.world.json_lines import Row, rows
from vehicle_bus.world.places import CATEGORIES
from vehicle_bus.world.recipe import Recipe

COMPLETE_ROUTES = (
    "routes_location_location.jsonl",
    "routes_location_poi.jsonl",
    "routes_poi_location.jsonl",
)
RECIPES = "routes_metadata.jsonl"
INDEX = "routes_index.jsonl"
Ends = tuple[str, str]


@dataclass(frozen=True, slots=True)
class AtlasFiles:
    """Rows as they are read; each can be gone through once, and may raise `WorldError`.

    `answers` says which alternatives a pair of ends has, and in which order. That of a complete
    world only repeats the order of its rows, and takes much memory.
    """

    is_complete: bool
    pois: Iterable[Row]
    routes: Iterable[Row]
    recipes: Iterable[Recipe]
    answers: Iterable[tuple[Ends, Sequence[str]]]
    detours: dict[tuple[str, str], Row] = field(default_factory=dict)
    categories: frozenset[str] = frozenset()


def atlas_files(folder: Path) -> AtlasFiles:
    """What the folder has, which may be nothing; a row may lack a field (`KeyError`)."""
    if is_complete(folder):
        return AtlasFiles(
            is_complete=True,
            pois=_optional(folder / "pois.jsonl"),
            routes=(row for name in COMPLETE_ROUTES for row in _optional(folder / name)),
            recipes=map(Recipe.read, _optional(folder / RECIPES)),
            answers=_indexed(folder / INDEX),
        )
    return _partial(folder)


def is_complete(folder: Path) -> bool:
    """Whether it is a complete world, which may take gigabytes of memory."""
    return (folder / COMPLETE_ROUTES[0]).exists()


def _indexed(path: Path) -> Iterator[tuple[Ends, Sequence[str]]]:
    found: dict[Ends, list[str]] = {}
    for row in _optional(path):
        found.setdefault((row["start_id"], row["destination_id"]), []).append(row["route_id"])
    yield from found.items()


def _partial(folder: Path) -> AtlasFiles:
    pois, detours = [], {}
    for row in _optional(folder / "pois.jsonl"):
        poi = row.get("poi", row)
        pois.append(poi)
        for route_id, detour in row.get("detours_by_route", {}).items():
            detours[poi["id"], route_id] = detour
    return AtlasFiles(
        is_complete=False,
        pois=pois,
        routes=(row.get("route", row) for row in _optional(folder / "routes.jsonl")),
        recipes=(),
        answers=(
            ((row["start_id"], row["destination_id"]), row["route_ids_in_answer_order"])
            for row in _optional(folder / "route_pairs.jsonl")
        ),
        detours=detours,
        categories=CATEGORIES if detours else frozenset(),
    )


def _optional(path: Path) -> Iterator[Row]:
    return rows(path) if path.exists() else iter(())
