"""A small world as it is built, and the same one written out in the public format."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson

from vehicle_bus.world.build.build import build_world
from vehicle_bus.world.file import WorldFile
from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.numbered_recipes import NumberedRecipes
from vehicle_bus.world.recipe import Recipe
from vehicle_bus.world.schema import KINDS
from vehicle_bus.world.tables import WorldTables

CITIES = 9  # those written by hand, about 3,000 places
SEED = 3


def build_small(path: Path, *, seed: int = SEED) -> Path:
    build_world(path, seed=seed, cities=CITIES)
    return path


def all_pois(file: WorldFile) -> list[Row]:
    return [orjson.loads(row) for (row,) in file.all("SELECT row FROM poi ORDER BY number")]


def stored_routes(file: WorldFile) -> list[Row]:
    return [orjson.loads(row) for (row,) in file.all("SELECT row FROM route ORDER BY number")]


def all_recipes(file: WorldFile) -> Iterator[Recipe]:
    """Every route that the world works out when asked, city by city and place by place."""
    tables = WorldTables(file)
    book = NumberedRecipes(tables, file.meta["seed"])
    for poi in all_pois(file):
        for city in tables.entries("locations"):
            yield from book.recipes(city["id"], poi["id"])
            yield from book.recipes(poi["id"], city["id"])


def write_out(file: WorldFile, folder: Path) -> Path:
    """The files of a complete public world."""
    tables = WorldTables(file)
    routes = stored_routes(file)
    for kind in KINDS:
        _write(folder / f"{kind}.jsonl", tables.entries(kind))
    _write(folder / "pois.jsonl", all_pois(file))
    for name, kind in (
        ("location_location", "rll"),
        ("location_poi", "rlp"),
        ("poi_location", "rpl"),
    ):
        rows = (row for row in routes if row["route_id"].startswith(kind))
        _write(folder / f"routes_{name}.jsonl", rows)
    _write(folder / "routes_metadata.jsonl", map(_metadata, all_recipes(file)))
    return folder


def _metadata(recipe: Recipe) -> Row:
    row: Row = {
        "route_id": recipe.route_id,
        "start_id": recipe.start_id,
        "destination_id": recipe.destination_id,
        "base_route_id": recipe.base_route_id,
        "route_alternative": recipe.alternative,
    }
    if recipe.fraction is not None:
        row |= {"fraction": recipe.fraction, "detour_distance_km": recipe.detour_km}
    return row


def _write(path: Path, rows: Iterable[Row]) -> None:
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
