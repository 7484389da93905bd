"""Which world a set of tasks plays in."""

import sqlite3
from pathlib import Path

from evaluator.problems import InfraProblem, UsageProblem
from evaluator.progress import building, importing
from vehicle_bus.world.build.build import DEFAULT_SEED
from vehicle_bus.world.cache import built_world, cache_folder, imported_world_path
from vehicle_bus.world.file import WorldFile, is_world_file
from vehicle_bus.world.importing import (
    import_world,
    is_complete,
    read_world,
    source_checksum,
    source_files,
)
from vehicle_bus.world.world import World, WorldError

WORLD_FOLDERS = ("world", "mock_data")


def own_world() -> World:
    """The world that comes with codriver, built on first use."""
    return World(WorldFile(own_world_file()))


def own_world_file(seed: int = DEFAULT_SEED, *, force: bool = False) -> Path:
    """The file of our own world; a missing or damaged one is built."""
    path, is_new = build(seed, force=force)
    if not is_new and not _is_usable(path):
        path, _ = build(seed, force=True)
    return path


def build(seed: int = DEFAULT_SEED, *, force: bool = False) -> tuple[Path, bool]:
    """The file of our own world, and whether it was built just now, with progress on stderr."""
    try:
        with building() as on_progress:
            return built_world(seed, force=force, on_progress=on_progress)
    except WorldError as error:
        raise InfraProblem(str(error)) from error
    except (OSError, sqlite3.Error) as error:
        raise _unwritable(cache_folder(), error) from error


def world_for(tasks_from: Path | None) -> World:
    """The world lying beside imported tasks (`DIR/world` or `DIR/mock_data`), else our own."""
    folder = _beside(tasks_from)
    return own_world() if folder is None else open_world(folder)


def world_checksum(tasks_from: Path | None, path: Path | None) -> str:
    """The hash of what the world of a run holds, by where it was looked for."""
    place = path or _beside(tasks_from)
    if place is None:
        return _noted_checksum(own_world_file())
    file = world_file(place)
    return source_checksum(place) if file is None else _noted_checksum(file)


def _noted_checksum(path: Path) -> str:
    file = WorldFile(path)
    try:
        return str(file.meta["checksum"])
    finally:
        file.close()


def _beside(tasks_from: Path | None) -> Path | None:
    folders = (tasks_from / name for name in WORLD_FOLDERS) if tasks_from else ()
    return next((folder for folder in folders if folder.is_dir()), None)


def open_world(path: Path) -> World:
    """A world file, or a folder of the public format; its import if there is one of it."""
    try:
        file = world_file(path)
        return read_world(path) if file is None else World(WorldFile(file))
    except WorldError as error:
        raise UsageProblem(str(error)) from error


def world_file(path: Path) -> Path | None:
    """The file a world given by path lies in; None for a folder that is best read as it is.

    A complete world is imported into the cache first, for it takes gigabytes of memory otherwise.
    """
    if is_world_file(path):
        return path
    if not path.is_dir():
        raise UsageProblem(f"{path} is neither a world file nor a folder of a world")
    imported = imported_world_path(path)
    if _is_usable(imported) and _is_up_to_date(imported, path):
        return imported
    return import_folder(path, imported) if is_complete(path) else None


def import_folder(folder: Path, path: Path) -> Path:
    """Make a world file of a folder of the public format, with progress on stderr."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with importing() as on_progress:
            import_world(folder, path, on_progress)
    except WorldError as error:
        raise UsageProblem(str(error)) from error
    except (OSError, sqlite3.Error) as error:
        raise _unwritable(path.parent, error) from error
    return path


def _unwritable(folder: Path, error: Exception) -> InfraProblem:
    advice = "CODRIVER_CACHE names another folder for worlds"
    return InfraProblem(f"a world cannot be written to {folder}: {error}; {advice}")


def _is_usable(path: Path) -> bool:
    if not is_world_file(path):
        return False
    try:
        WorldFile(path).close()
    except WorldError:
        return False
    return True


def _is_up_to_date(imported: Path, folder: Path) -> bool:
    file = WorldFile(imported)
    try:
        return bool(file.meta.get("source_files") == source_files(folder))
    finally:
        file.close()
