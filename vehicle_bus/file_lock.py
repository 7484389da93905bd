"""One process at a time."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
