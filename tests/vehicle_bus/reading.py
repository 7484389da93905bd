"""How much memory it takes to get a message."""

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Room:
    """Bytes that were taken at the same time, beyond what was held before."""

    most: int = 0


@contextmanager
def room_taken() -> Iterator[Room]:
    room = Room()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        yield room
        room.most = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
