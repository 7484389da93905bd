"""Files of the public benchmark, complete or partial, as one world file."""

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from vehicle_bus.world.atlas_files import AtlasFiles, atlas_files
from vehicle_bus.world.build.writer import WorldWriter, new_world_file
from vehicle_bus.world.json_lines import WorldError, rows
from vehicle_bus.world.schema import KINDS

T = TypeVar("T")
OnProgress = Callable[[int], None]
"""Called with how many rows have been read."""
REPORT_EVERY = 20_000


def import_world(folder: Path, path: Path, on_progress: OnProgress | None = None) -> None:
    """Read a folder row by row and write it to `path`, rows unchanged.

    Raises `WorldError` with file and line, or `OSError` if the world cannot be written.
    """
    read = _Count(on_progress)
    with new_world_file(path, replace=True) as writer:
        try:
            for kind in KINDS:
                writer.add_entries(kind, read.all(rows(folder / f"{kind}.jsonl")))
            files = atlas_files(folder)
            _add_atlas(writer, files, read)
        except KeyError as error:
            raise WorldError(f"{folder}: a row lacks {error}") from error
        writer.categories.update(dict.fromkeys(files.categories, 0))
        writer.finish(
            {
                "origin": "imported",
                "seed": None,
                "numbered": False,
                "complete": files.is_complete,
                "source": str(folder.resolve()),
                "source_files": source_files(folder),
            }
        )


def source_files(folder: Path) -> list[list[str | int]]:
    """Name, size and time of change of the files of a folder: whether an import is up to date."""
    found = sorted(folder.glob("*.jsonl"))
    return [[path.name, path.stat().st_size, path.stat().st_mtime_ns] for path in found]


def source_checksum(folder: Path) -> str:
    """The hash of all files of a folder, byte by byte."""
    digest = blake2b(digest_size=16)
    for path in sorted(folder.glob("*.jsonl")):
        digest.update(f"[{path.name}]".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _add_atlas(writer: WorldWriter, files: AtlasFiles, read: "_Count") -> None:
    for number, poi in enumerate(read.all(files.pois)):
        writer.add_poi(number, poi)
    writer.add_routes(read.all(files.routes))
    writer.add_recipes(read.all(files.recipes))
    if not files.is_complete:
        for (start_id, destination_id), route_ids in files.answers:
            writer.add_answer(start_id, destination_id, route_ids)
    for (poi_id, route_id), detour in files.detours.items():
        writer.add_detour(poi_id, route_id, detour)


class _Count:
    def __init__(self, on_progress: OnProgress | None) -> None:
        self._on_progress = on_progress
        self._read = 0

    def all(self, read: Iterable[T]) -> Iterator[T]:
        for row in read:
            self._read += 1
            if self._on_progress is not None and self._read % REPORT_EVERY == 0:
                self._on_progress(self._read)
            yield row
