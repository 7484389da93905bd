"""Files of the public benchmark as one world, in a file or in memory.

Two kinds of folder are understood. A complete world has plain rows: `pois.jsonl`, three files of
routes and `routes_metadata.jsonl`, whose routes are worked out from a city-to-city route. A partial
world, put together from recordings, has wrapped rows in `pois.jsonl` and `routes.jsonl`, and says
in `route_pairs.jsonl` which routes two ends are answered with.

The files lie side by side or as published: in `mock_data`, its `navigation` and its
`productivity_and_communication`. Any of these folders above a file will do.
"""

from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import count
from pathlib import Path

from vehicle_bus.world.build.writer import WorldWriter, new_world_file, world_in_memory
from vehicle_bus.world.json_lines import Row, WorldError, rows
from vehicle_bus.world.places import CATEGORIES, Poi
from vehicle_bus.world.recipe import Recipe
from vehicle_bus.world.schema import KINDS
from vehicle_bus.world.world import World

OnProgress = Callable[[int], None]
"""Called with how many rows have been read."""
REPORT_EVERY = 20_000
PARTS = ("", "navigation", "productivity_and_communication")
COMPLETE_ROUTES = ("routes_location_location", "routes_location_poi", "routes_poi_location")


def import_world(folder: Path, path: Path, on_progress: OnProgress | None = None) -> None:
    """Read a folder row by row and write it to `path`, rows unchanged.

    Raises `WorldError` with file and line, or `OSError` if the world cannot be written.
    """
    with new_world_file(path, replace=True) as writer:
        _add_folder(writer, folder, on_progress)


def read_world(folder: Path) -> World:
    """The world of a folder in memory; a complete one wants an import, it may take gigabytes.

    Raises `WorldError` with file and line.
    """
    return World(world_in_memory(lambda writer: _add_folder(writer, folder)))


def is_complete(folder: Path) -> bool:
    """Whether it is a complete world, which may take gigabytes of memory."""
    return COMPLETE_ROUTES[0] in world_files(folder)


def world_files(folder: Path) -> dict[str, Path]:
    """The files of a world by name without ending, in the order of their names."""
    found: dict[str, Path] = {}
    for part in (top / part for top in (folder, folder / "mock_data") for part in PARTS):
        for path in part.glob("*.jsonl"):
            found.setdefault(path.stem, path)
    return dict(sorted(found.items()))


def source_files(folder: Path) -> list[list[str | int]]:
    """Name, size and time of change of the files of a folder: whether an import is up to date."""
    found = [(path.name, path.stat()) for path in world_files(folder).values()]
    return [[name, stat.st_size, stat.st_mtime_ns] for name, stat in found]


def source_checksum(folder: Path) -> str:
    """The hash of all files of a folder, byte by byte."""
    digest = blake2b(digest_size=16)
    for path in world_files(folder).values():
        digest.update(f"[{path.name}]".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _add_folder(writer: WorldWriter, folder: Path, on_progress: OnProgress | None = None) -> None:
    read = _Reader(folder, on_progress)
    complete = is_complete(folder)
    try:
        for kind in KINDS:
            writer.add_entries(kind, read.all(kind))
        _add_pois(writer, read)
        for name in COMPLETE_ROUTES if complete else ("routes",):
            writer.add_routes(row.get("route", row) for row in read.any(name))
        writer.add_recipes(map(Recipe.read, read.any("routes_metadata")))
        for row in read.any("route_pairs"):
            ends = (row["start_id"], row["destination_id"])
            writer.add_answer(*ends, row["route_ids_in_answer_order"])
    except KeyError as error:
        raise WorldError(f"{folder}: a row lacks {error}") from error
    writer.finish(
        {
            "origin": "imported",
            "seed": None,
            "numbered": False,
            "complete": complete,
            "source": str(folder.resolve()),
            "source_files": source_files(folder),
        }
    )


def _add_pois(writer: WorldWriter, read: "_Reader") -> None:
    for number, row in enumerate(read.any("pois")):
        poi = row.get("poi", row)
        writer.add_poi(Poi(number, poi))
        for route_id, detour in row.get("detours_by_route", {}).items():
            writer.add_detour(poi["id"], route_id, detour)
            writer.categories.update(dict.fromkeys(CATEGORIES, 0))


class _Reader:
    """Rows of the files of a folder, by name without ending; reports how many were read."""

    def __init__(self, folder: Path, on_progress: OnProgress | None) -> None:
        self._folder = folder
        self._files = world_files(folder)
        self._on_progress = on_progress
        self._numbers = count(1)

    def all(self, name: str) -> Iterator[Row]:
        """The rows of a file that every world has."""
        path = self._files.get(name, self._folder / f"{name}.jsonl")
        for number, row in zip(self._numbers, rows(path), strict=False):
            if self._on_progress is not None and number % REPORT_EVERY == 0:
                self._on_progress(number)
            yield row

    def any(self, name: str) -> Iterator[Row]:
        """The rows of a file that may be missing."""
        return self.all(name) if name in self._files else iter(())
