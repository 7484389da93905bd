"""Progress of a run on stderr: a bar with ETA on a terminal, plain lines elsewhere.

Many units have some twenty lines together, so that logs stay short; trouble always has a line.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from assistant_gateway.timing.timeline import SECOND, wall_ns

FEW = 50  # units of which each has a line of its own
LINES = 20


class Progress(Protocol):
    def advance(self, line: str, *, trouble: bool = False) -> None:
        """One more unit is finished; `trouble` has to be read, the others only count."""
        ...


@contextmanager
def progress(total: int, *, already: int = 0, quiet: bool = False) -> Iterator[Progress]:
    """`already` units were finished by an earlier run."""
    if quiet:
        yield _Quiet()
    elif sys.stderr.isatty():
        with _bar(total, already) as bar:
            yield bar
    else:
        yield _Lines(total, already)


class _Quiet:
    def advance(self, line: str, *, trouble: bool = False) -> None:
        return


class _Lines:
    def __init__(self, total: int, already: int) -> None:
        self._total, self._done, self._fresh = total, already, 0
        self._to_play = total - already
        self._started_ns = wall_ns()

    def advance(self, line: str, *, trouble: bool = False) -> None:
        self._done += 1
        self._fresh += 1
        if not (trouble or self._is_due):
            return
        elapsed_s = (wall_ns() - self._started_ns) / SECOND
        left_s = elapsed_s / self._fresh * (self._total - self._done)
        sys.stderr.write(f"[{self._done}/{self._total}] {line} (about {left_s:.0f} s left)\n")

    @property
    def _is_due(self) -> bool:
        """Whether this unit completes one more of the twenty parts."""
        parts = self._fresh * LINES // self._to_play
        return self._to_play <= FEW or parts > (self._fresh - 1) * LINES // self._to_play


@contextmanager
def _bar(total: int, already: int) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as rich:
        bar = rich.add_task("starting", total=total, completed=already)

        class Bar:
            def advance(self, line: str, *, trouble: bool = False) -> None:
                rich.update(bar, advance=1, description=line)

        yield Bar()
