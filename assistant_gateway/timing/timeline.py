"""Session time: a heap of due events, and the clock that says how fast it passes.

Integer nanoseconds since the session started. `live` runs with the wall clock; `fast` runs with it
only while the agent owes something and jumps otherwise; `virtual` never runs, it only jumps.
"""

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from assistant_gateway.protocol import Pace

MS = 1_000_000
SECOND = 1_000_000_000
ROUNDING_NS = MS // 2  # event loops wait for whole milliseconds, rounded up
AWAKE_NS = 3 * MS // 2


def wall_ns() -> int:
    """The wall stamp everything is compared with: CLOCK_MONOTONIC in ns."""
    return time.monotonic_ns()


async def sleep_until(due_wall_ns: int, *, exactly: bool = False) -> None:
    """Sleep to an absolute wall stamp; timers may fire a little early, so look again.

    `exactly` stays awake for the last millisecond or two: not for what is due all the time.
    """
    awake_ns = AWAKE_NS if exactly else ROUNDING_NS
    while (left_ns := due_wall_ns - wall_ns()) > 0:  # noqa: ASYNC110 - a time, not an event
        await asyncio.sleep(max(0, left_ns - awake_ns) / SECOND)


@dataclass(order=True, slots=True)
class Due:
    """An event at its time; among equals the one planned first comes first."""

    due_ns: int
    order: int
    event: Any = field(compare=False)
    cancelled: bool = field(default=False, compare=False)


class Timeline:
    """What happens when. Knows no clock: `pop` moves `now_ns` to the event it returns."""

    def __init__(self) -> None:
        self.now_ns = 0
        self._heap: list[Due] = []
        self._order = itertools.count()

    def at(self, due_ns: int, event: Any) -> Due:
        due = Due(max(due_ns, self.now_ns), next(self._order), event)
        heapq.heappush(self._heap, due)
        return due

    def peek(self) -> Due | None:
        """The next event, left where it is."""
        while self._heap and self._heap[0].cancelled:
            heapq.heappop(self._heap)
        return self._heap[0] if self._heap else None

    @property
    def next_due_ns(self) -> int | None:
        due = self.peek()
        return due.due_ns if due else None

    def cancel(self, unwanted: Callable[[Any], bool]) -> None:
        """Strike out what must not happen any more."""
        for due in self._heap:
            due.cancelled = due.cancelled or unwanted(due.event)

    def pop(self) -> Due:
        """Take the next event; `IndexError` if none is planned."""
        while (due := heapq.heappop(self._heap)).cancelled:
            pass
        self.now_ns = max(self.now_ns, due.due_ns)
        return due


class SessionClock:
    """Maps the wall clock to session time by pace."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self._base_ns = 0
        self._anchor_ns = wall_ns()
        self._flowing = pace == "live"

    @property
    def flowing(self) -> bool:
        """Whether session time passes with the wall clock."""
        return self._flowing

    def now(self) -> int:
        return self.of(wall_ns())

    def of(self, mono_ns: int) -> int:
        """Session time at a wall stamp taken since the last jump."""
        if not self._flowing:
            return self._base_ns
        return self._base_ns + max(0, mono_ns - self._anchor_ns)

    def flow(self, flowing: bool) -> None:
        """`fast`: let time pass while somebody is waited for, hold it otherwise."""
        if self.pace == "fast" and flowing != self._flowing:
            now = wall_ns()
            self._base_ns, self._anchor_ns = self.of(now), now
            self._flowing = flowing

    def jump(self, to_ns: int) -> None:
        """`fast` and `virtual`: nothing happens until `to_ns`, so be there."""
        self._base_ns = max(self._base_ns, to_ns)
        self._anchor_ns = wall_ns()
