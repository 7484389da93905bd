"""Worlds in the user's cache folder: built on first use, or imported from a folder."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from vehicle_bus.world.build.build import DEFAULT_SEED, OnProgress, build_world
from vehicle_bus.world.build.sources import fingerprint
from vehicle_bus.world.schema import FORMAT

UNUSED_S = 30 * 24 * 3600


def cache_folder() -> Path:
    """`CODRIVER_CACHE`, else `codriver` in `XDG_CACHE_HOME`, else `~/.cache/codriver`."""
    own = os.environ.get("CODRIVER_CACHE")
    if own:
        return Path(own).expanduser()
    everybodys = os.environ.get("XDG_CACHE_HOME")
    return (Path(everybodys) if everybodys else Path.home() / ".cache") / "codriver"


def built_world_path(seed: int = DEFAULT_SEED) -> Path:
    """Where the world of a seed is, or will be; another version of codriver has another place."""
    return cache_folder() / f"world-{FORMAT}.{fingerprint()}-{seed}.sqlite"


def imported_world_path(folder: Path) -> Path:
    """Where the import of a folder is, or will be."""
    name = blake2b(str(folder.resolve()).encode(), digest_size=6).hexdigest()
    return cache_folder() / f"imported-{name}.sqlite"


def built_world(
    seed: int = DEFAULT_SEED, *, force: bool = False, on_progress: OnProgress | None = None
) -> tuple[Path, bool]:
    """The world of a seed, and whether it was built just now.

    Of several processes that need it one builds and the others wait. `force` builds it anyhow.
    Raises `WorldError`, or `OSError` if the cache folder cannot be written.
    """
    path = built_world_path(seed)
    if path.exists() and not force:
        return path, False
    path.parent.mkdir(parents=True, exist_ok=True)
    with only_one(path.with_suffix(".lock")):
        if path.exists() and not force:
            return path, False
        for left_behind in path.parent.glob(f"{path.name}.*.part"):
            left_behind.unlink(missing_ok=True)
        build_world(path, seed=seed, on_progress=on_progress)
        _forget_unused(path)
    return path, True


def _forget_unused(path: Path) -> None:
    """Worlds of other versions that nobody had looked at for long when `path` was built."""
    now = path.stat().st_mtime
    for other in set(path.parent.glob("world-*.sqlite")) - {path}:
        seen = other.stat()
        if now - max(seen.st_atime, seen.st_mtime) > UNUSED_S:
            other.unlink(missing_ok=True)
            other.with_suffix(".lock").unlink(missing_ok=True)


@contextmanager
def only_one(lock: Path) -> Iterator[None]:
    """Wait until no other process is in a block with this file; a killed one lets go of it.

    On Windows nobody waits: work done twice must be harmless.
    """
    with lock.open("w") as file:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
