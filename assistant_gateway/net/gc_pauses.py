"""Keeps long pauses of the garbage collector away from measured times."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 10_000  # objects that make a collection, which takes a millisecond; most are dead by then
MANY = 50_000  # where nobody measures; half of the time of collections is saved


@contextmanager
def without_long_pauses(young: int = YOUNG) -> Iterator[None]:
    """Exempt all objects that exist now from garbage collection while the block runs.

    A full collection takes tens of ms, and a message that arrives in it is stamped at its end.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(young, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
