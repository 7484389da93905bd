"""Keeps the garbage collector from stopping everything while times are taken."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_long_pauses() -> Iterator[None]:
    """What is loaded by now is not looked through again, which takes tens of ms each time.

    A message that arrives in such a pause would be stamped at its end.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
