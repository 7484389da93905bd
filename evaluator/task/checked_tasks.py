"""Tasks that were read and found without a problem, kept in the cache folder.

What is kept is found by all it was made from: the task files, the world and the code of codriver.
A file that is damaged, or that nobody can read or write, only costs the time to check anew.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

import assistant_gateway
import evaluator
import user_sim
import vehicle_bus
from evaluator.task.task import Task
from vehicle_bus.world.cache import cache_folder
from vehicle_bus.world.world import World

FEW = 20  # tasks that are checked as fast as they are found here
MOST_KEPT = 8  # sets of tasks
TASKS: TypeAdapter[list[Task]] = TypeAdapter(list[Task])


def place(files: Sequence[Path], folder: Path, world: World) -> Path | None:
    """Where the tasks of these files are, or will be; None for few, or if one cannot be read."""
    return None if len(files) < FEW else place_of(files, folder, world.checksum)


def place_of(files: Sequence[Path], folder: Path, checked_by: str) -> Path | None:
    """The same for any number, checked by a world or something else."""
    found = blake2b(f"{checked_by}\n".encode(), digest_size=12)
    found.update(_code())
    try:
        for file in files:
            content = file.read_bytes()
            found.update(f"{file.relative_to(folder)}\n{len(content)}\n".encode())
            found.update(content)
    except OSError:
        return None
    return cache_folder() / f"tasks-{found.hexdigest()}.json"


def kept(at: Path) -> list[Task] | None:
    """The tasks at a place, if there are any."""
    try:
        tasks = TASKS.validate_json(at.read_bytes())
        os.utime(at)
        return tasks
    except (OSError, ValidationError):
        return None


def keep(tasks: list[Task], at: Path) -> None:
    """Write them in one step, and forget those that nobody has asked for the longest."""
    part = at.with_suffix(f".{os.getpid()}.part")
    with suppress(OSError):
        at.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(TASKS.dump_json(tasks, exclude_unset=True))
        part.replace(at)
        used = {each: each.stat().st_mtime for each in at.parent.glob("tasks-*")}
        for old in sorted(used, key=used.__getitem__)[:-MOST_KEPT]:
            old.unlink(missing_ok=True)


def _code() -> bytes:
    """What changes with every file of codriver that is installed or edited."""
    found = blake2b(digest_size=12)
    for package in (assistant_gateway, evaluator, user_sim, vehicle_bus):
        for stamp in sorted(_stamps(package.__path__[0])):
            found.update(repr(stamp).encode())
    return found.digest()


def _stamps(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _stamps(entry.path)
            else:
                about = entry.stat()
                yield entry.path, about.st_mtime_ns, about.st_size
