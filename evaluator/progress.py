"""Progress of a run, or of a world that is built or imported, on stderr.

A bar on a terminal, plain lines elsewhere: few, so that logs stay short.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from assistant_gateway.timing.timeline import SECOND, wall_ns
from evaluator.printable import printable, rich_console

FEW = 50  # units of which each has a line of its own
LINES = 20
QUARTERS = 4


class Progress:
    """Progress of units; this one prints nothing."""

    def advance(
        self, line: str, *, trouble: bool = False, costs_usd: Sequence[float | None] = ()
    ) -> None:
        """One more unit is finished; its line is always printed if there was `trouble`.

        `costs_usd` are what it cost by payer, None where that is unknown.
        """


@contextmanager
def progress(total: int, *, already: int = 0, quiet: bool = False) -> Iterator[Progress]:
    """`already` units were finished by an earlier run."""
    if quiet:
        yield Progress()
    elif sys.stderr.isatty():
        with _bar("", "{task.completed:.0f}/{task.total}") as update:
            update(description="starting", completed=already, total=total, visible=True)
            yield _Bar(update)
    else:
        yield _Lines(total, already)


@contextmanager
def building() -> Iterator[Callable[[int, int], None]]:
    """Takes steps done of steps in all; prints nothing unless a world is built."""
    if not sys.stderr.isatty():
        yield _line_per_quarter
        return
    with _bar("building the world", "{task.percentage:>3.0f}%") as update:
        yield lambda done, steps: update(completed=done, total=steps, visible=True)


@contextmanager
def importing() -> Iterator[Callable[[int], None]]:
    """Takes rows read: one line that counts on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda read: None
        return
    try:
        yield lambda read: _overwrite(f"importing the world: {read:,} rows")
    finally:
        _overwrite("")


class _Lines(Progress):
    def __init__(self, total: int, already: int) -> None:
        self._total, self._done, self._fresh = total, already, 0
        self._bill = _Bill()
        self._to_play = total - already
        self._started_ns = wall_ns()

    def advance(
        self, line: str, *, trouble: bool = False, costs_usd: Sequence[float | None] = ()
    ) -> None:
        self._done += 1
        self._fresh += 1
        self._bill.add(costs_usd)
        if not (trouble or self._is_due):
            return
        elapsed_s = (wall_ns() - self._started_ns) / SECOND
        left_s = elapsed_s / self._fresh * (self._total - self._done)
        line = f"[{self._done}/{self._total}] {line} (about {left_s:.0f} s left{self._bill})"
        with suppress(OSError, ValueError):  # who reads no more loses no unit
            sys.stderr.write(f"{printable(line)}\n")

    @property
    def _is_due(self) -> bool:
        """Whether this unit completes one more of the twenty parts."""
        return self._to_play <= FEW or _completes_part(self._fresh, self._to_play, LINES)


class _Bar(Progress):
    def __init__(self, update: Callable[..., None]) -> None:
        self._update = update
        self._bill = _Bill()

    def advance(
        self, line: str, *, trouble: bool = False, costs_usd: Sequence[float | None] = ()
    ) -> None:
        from rich.markup import escape

        self._bill.add(costs_usd)
        bill = str(self._bill).removeprefix(", ")
        shown = escape(printable(f"{bill}  {line}".strip()))
        self._update(advance=1, description=shown)


class _Bill:
    """What the units so far have cost; nothing to read until there is something."""

    def __init__(self) -> None:
        self._usd, self._complete = 0.0, True

    def add(self, costs_usd: Sequence[float | None]) -> None:
        known = [cost for cost in costs_usd if cost is not None]
        self._usd += sum(known)
        self._complete &= len(known) == len(costs_usd)

    def __str__(self) -> str:
        at_least = "" if self._complete else "at least "
        return f", {at_least}{self._usd:.2f} USD so far" if self._usd else ""


def _line_per_quarter(done: int, steps: int) -> None:
    if done == 1 or _completes_part(done, steps, QUARTERS):
        percent = 100 * (QUARTERS * done // steps) // QUARTERS
        sys.stderr.write(f"building the world, once for all runs: {percent} %\n")


def _completes_part(done: int, steps: int, parts: int) -> bool:
    """Whether the last step completed one more of the parts."""
    return parts * done // steps > parts * (done - 1) // steps


@contextmanager
def _bar(title: str, done: str) -> Iterator[Callable[..., Any]]:
    """What updates a bar; it is hidden until it is made visible."""
    from rich.progress import BarColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (title, BarColumn(24), done, TimeRemainingColumn(), "{task.description}")
    with RichProgress(*columns, console=rich_console(stderr=True), transient=True) as shown:
        yield partial(shown.update, shown.add_task("", total=None, visible=False))


def _overwrite(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()
