"""Puts a world into a file that appears whole or not at all, or into memory."""

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import orjson

from vehicle_bus.world.file import WorldFile, content_checksum
from vehicle_bus.world.json_lines import Row
from vehicle_bus.world.places import DIRECTION, Poi, kilometre
from vehicle_bus.world.recipe import Recipe
from vehicle_bus.world.schema import FORMAT, INDEXES, KINDS, TABLES


class WorldWriter:
    """Adds rows in the order of the world, and counts them.

    With `replace` a later row with the same id takes the place of an earlier one; without, it is
    an error.
    """

    def __init__(self, connection: sqlite3.Connection, *, replace: bool) -> None:
        self._connection = connection
        self._replace = replace
        self._insert = "INSERT OR REPLACE INTO" if replace else "INSERT INTO"
        self._number: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.categories: Counter[str] = Counter()

    def add_entries(self, kind: str, rows: Iterable[Row]) -> None:
        """Rows of one of the kinds that are few: locations, weather, contacts, calendars."""
        for row in rows:
            values = (kind, self.counts[kind], orjson.dumps(row))
            self._connection.execute("INSERT INTO entry VALUES (?, ?, ?)", values)
            self.counts[kind] += 1

    def add_poi(self, poi: Poi) -> None:
        """A place; its number orders those of the same location or route."""
        number, row = poi.number, poi.row
        if self._replace:
            self._forget(row["id"])
        category = row["category"]
        self._connection.execute(
            "INSERT INTO poi VALUES (?, ?, ?, ?, ?, ?)",
            (number, row["id"], category, poi.fraction, poi.detour_km, orjson.dumps(row)),
        )
        self._connection.executemany(
            "INSERT INTO lies VALUES (?, ?, ?, ?)",
            [(place, category, number, at_km) for place, at_km in _places(row)],
        )
        self._count_poi(row, 1)

    def add_routes(self, rows: Iterable[Row]) -> None:
        for row in rows:
            ends = (row["start_id"], row["destination_id"])
            values = (self._next("route"), row["route_id"], *ends, orjson.dumps(row))
            self._connection.execute(f"{self._insert} route VALUES (?, ?, ?, ?, ?)", values)

    def add_recipes(self, recipes: Iterable[Recipe]) -> None:
        self._connection.executemany(
            f"{self._insert} recipe VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            ((self._next("recipe"), *recipe) for recipe in recipes),
        )

    def add_answer(self, start_id: str, destination_id: str, route_ids: Sequence[str]) -> None:
        """Which routes two ends are answered with, and in which order."""
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
        stored = self._count("route")
        counts = {
            **{kind: self.counts[kind] for kind in (*KINDS, "pois", "plugs")},
            "routes": stored + self._count("recipe") if routes is None else routes,
            "routes_stored": stored,
        }
        meta = {
            "format": FORMAT,
            **about,
            "counts": counts,
            "categories": dict(sorted(self.categories.items())),
            "checksum": content_checksum(self._connection),
        }
        self._connection.executemany(
            "INSERT INTO meta VALUES (?, ?)",
            [(key, orjson.dumps(value).decode()) for key, value in meta.items()],
        )

    def _next(self, table: str) -> int:
        self._number[table] += 1
        return self._number[table]

    def _count(self, table: str) -> int:
        count: int = self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        return count

    def _count_poi(self, row: Row, change: int) -> None:
        self.categories[row["category"]] += change
        self.counts["pois"] += change
        self.counts["plugs"] += change * len(row.get("charging_plugs", ()))

    def _forget(self, poi_id: str) -> None:
        query = "SELECT number, row FROM poi WHERE id = ?"
        known = self._connection.execute(query, (poi_id,)).fetchone()
        if known is None:
            return
        number, row = known[0], orjson.loads(known[1])
        self._connection.execute("DELETE FROM poi WHERE number = ?", (number,))
        self._connection.executemany(
            "DELETE FROM lies WHERE place = ? AND category = ? AND poi = ?",
            [(place, row["category"], number) for place, _ in _places(row)],
        )
        self._count_poi(row, -1)


@contextmanager
def new_world_file(path: Path, *, replace: bool = False) -> Iterator[WorldWriter]:
    """Write beside `path` and move there in the end; if the block fails, nothing is left."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            # A draft that is cut short is thrown away, so nothing has to be undone.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            connection.executescript(TABLES)
            connection.execute("BEGIN")
            yield WorldWriter(connection, replace=replace)
            connection.execute("COMMIT")
        _to_disk(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def world_in_memory(write: Callable[[WorldWriter], None]) -> WorldFile:
    """A world that no file holds, of what `write` adds and finishes; later rows replace earlier."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(TABLES)
        write(WorldWriter(connection, replace=True))
        return WorldFile(connection.serialize())


def _to_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _places(row: Row) -> Iterator[tuple[str, float | None]]:
    """Where a place is looked for: its location, or the directions of its routes with km."""
    if "corresponding_location_id" in row:
        yield row["corresponding_location_id"], None
    directions = {route_id[:DIRECTION] for route_id in row.get("corresponding_route_ids", ())}
    for direction in sorted(directions):
        yield direction, kilometre(row, direction)
