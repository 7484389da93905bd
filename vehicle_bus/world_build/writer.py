"""Puts a world into a file that appears whole or not at all."""

import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import orjson

from vehicle_bus.atlas import DIRECTION, kilometre
from vehicle_bus.json_lines import Row
from vehicle_bus.recipe import Recipe
from vehicle_bus.world_build.pois import Poi
from vehicle_bus.world_file import content_checksum
from vehicle_bus.world_schema import FORMAT, INDEXES, KINDS, TABLES


class WorldWriter:
    """Adds rows in the order of the world, and counts them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.counts: Counter[str] = Counter()
        self.categories: Counter[str] = Counter()

    def add_entries(self, kind: str, rows: Iterable[Row]) -> None:
        """Rows of one of the kinds that are few: locations, weather, contacts, calendars."""
        for row in rows:
            values = (kind, self.counts[kind], orjson.dumps(row))
            self._connection.execute("INSERT INTO entry VALUES (?, ?, ?)", values)
            self.counts[kind] += 1

    def add_poi(self, poi: Poi) -> None:
        row = poi.row
        category = row["category"]
        self._connection.execute(
            "INSERT INTO poi VALUES (?, ?, ?, ?, ?, ?)",
            (poi.number, row["id"], category, poi.fraction, poi.detour_km, orjson.dumps(row)),
        )
        self._connection.executemany(
            "INSERT INTO lies VALUES (?, ?, ?, ?)",
            [(place, category, poi.number, at_km) for place, at_km in _places(row)],
        )
        self.categories[category] += 1
        self.counts["pois"] += 1
        self.counts["plugs"] += len(row.get("charging_plugs", ()))

    def add_routes(self, rows: Iterable[Row]) -> None:
        for row in rows:
            ends = (row["start_id"], row["destination_id"])
            values = (self.counts["routes_stored"], row["route_id"], *ends, orjson.dumps(row))
            self._connection.execute("INSERT INTO route VALUES (?, ?, ?, ?, ?)", values)
            self.counts["routes_stored"] += 1

    def add_recipe(self, recipe: Recipe) -> None:
        values = (
            self.counts["recipes"],
            recipe.route_id,
            recipe.start_id,
            recipe.destination_id,
            recipe.base_route_id,
            recipe.alternative,
            recipe.fraction,
            recipe.detour_km,
        )
        self._connection.execute("INSERT INTO recipe VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        self.counts["recipes"] += 1

    def add_answer(self, start_id: str, destination_id: str, route_ids: Sequence[str]) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)",
            [(start_id, destination_id, rank, one) for rank, one in enumerate(route_ids)],
        )

    def add_detour(self, poi_id: str, route_id: str, detour: Row) -> None:
        values = (poi_id, route_id, orjson.dumps(detour))
        self._connection.execute("INSERT OR REPLACE INTO detour VALUES (?, ?, ?)", values)

    def finish(self, about: Mapping[str, Any], routes: int | None = None) -> None:
        """Index everything and note what the world is; `routes` counts the derived ones too."""
        for index in INDEXES:
            self._connection.execute(index)
        stored = self.counts["routes_stored"] + self.counts["recipes"]
        counts = {kind: self.counts[kind] for kind in (*KINDS, "pois", "plugs", "routes_stored")}
        meta = {
            "format": FORMAT,
            **about,
            "counts": {**counts, "routes": stored if routes is None else routes},
            "categories": dict(sorted(self.categories.items())),
            "checksum": content_checksum(self._connection),
        }
        self._connection.executemany(
            "INSERT INTO meta VALUES (?, ?)",
            [(key, orjson.dumps(value).decode()) for key, value in meta.items()],
        )


@contextmanager
def new_world_file(path: Path) -> Iterator[WorldWriter]:
    """Write beside `path` and move there in the end; if the block fails, nothing is left."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            # A draft that is cut short is thrown away, so nothing has to be undone.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            connection.executescript(TABLES)
            connection.execute("BEGIN")
            yield WorldWriter(connection)
            connection.execute("COMMIT")
        _to_disk(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _places(row: Row) -> Iterator[tuple[str, float | None]]:
    if "corresponding_location_id" in row:
        yield row["corresponding_location_id"], None
    directions = {route_id[:DIRECTION] for route_id in row.get("corresponding_route_ids", ())}
    for direction in sorted(directions):
        yield direction, kilometre(row, direction)
