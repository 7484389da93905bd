"""Progress of building or importing a world, on stderr."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from vehicle_bus.world.build.build import OnProgress

LINES = 4


@contextmanager
def building() -> Iterator[OnProgress]:
    """A bar on a terminal, else a line per quarter; nothing unless something is built."""
    if sys.stderr.isatty():
        with _bar() as tell:
            yield tell
    else:
        yield _LinePerQuarter()


@contextmanager
def importing() -> Iterator[Callable[[int], None]]:
    """One line that counts on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda read: None
        return
    try:
        yield lambda read: _overwrite(f"importing the world: {read:,} rows")
    finally:
        _overwrite("")


class _LinePerQuarter:
    def __init__(self) -> None:
        self._told = -1

    def __call__(self, done: int, steps: int) -> None:
        quarter = LINES * done // steps
        if quarter > self._told:
            self._told = quarter
            percent = 100 * quarter // LINES
            sys.stderr.write(f"building the world, once for all runs: {percent} %\n")


@contextmanager
def _bar() -> Iterator[OnProgress]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeRemainingColumn as Left

    columns = (TextColumn("building the world"), BarColumn(24), TaskProgressColumn(), Left())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=None, visible=False)

        def tell(done: int, steps: int) -> None:
            progress.update(bar, completed=done, total=steps, visible=True)

        yield tell


def _overwrite(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()
