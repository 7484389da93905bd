"""How far the bench itself is off: how late its event loop was, and how long it had to wait.

A starved bench looks just like a slow assistant, so every turn carries what was lost in it. In
virtual time nothing is lost: no clock of the wall is read there.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from assistant_gateway.timing.timeline import MS, SECOND, wall_ns

PERIOD_NS = 20 * MS
NOTED_NS = MS
MOST_NOTED = 4096
DELAYS = ("late_ms", "lag_ms", "send_ms", "bus_ms", "agent_ms")
ERRORS = (*DELAYS, "added_ms")
SCHEDSTAT = Path("/proc/self/schedstat")


class LagProbe:
    """Wakes up every 20 ms against absolute deadlines and notes how late it was."""

    def __init__(self) -> None:
        self._due_ns = wall_ns() + PERIOD_NS
        self._noted: deque[tuple[int, int]] = deque(maxlen=MOST_NOTED)

    async def watch(self) -> None:
        """Run until cancelled; a deadline that was missed altogether is not made up for."""
        while True:
            await asyncio.sleep(max(0, self._due_ns - wall_ns()) / SECOND)
            now_ns = wall_ns()
            self._note(now_ns, now_ns - self._due_ns)
            missed = max(0, now_ns - self._due_ns) // PERIOD_NS
            self._due_ns += (missed + 1) * PERIOD_NS

    def _note(self, now_ns: int, lag_ns: int) -> None:
        if lag_ns >= NOTED_NS:
            self._noted.append((now_ns, lag_ns))

    def worst_ns(self, since_ns: int) -> int:
        """The longest the loop was late from a wall stamp until now."""
        overdue_ns = wall_ns() - self._due_ns
        noted = takewhile(lambda one: one[0] >= since_ns, reversed(self._noted))
        return max(0, overdue_ns, *(lag_ns for _, lag_ns in noted))


@asynccontextmanager
async def lag_probe() -> AsyncIterator[LagProbe]:
    """A probe of this event loop for as long as the block runs."""
    probe = LagProbe()
    async with asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(probe.watch(), name="lag probe")
        try:
            yield probe
        finally:
            watching.cancel()


def waited_for_cpu_ns() -> int | None:
    """How long this process was ready to run and did not; None where the system does not tell."""
    try:
        return int(SCHEDSTAT.read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return None


@dataclass(slots=True)
class TurnProbe:
    """What the bench lost in one turn, all in wall time."""

    probe: LagProbe | None = None
    late_ns: int = 0
    send_ns: int = 0
    bus_ns: int = 0
    added_ns: int = 0
    _messages_ns: dict[str | None, int] = field(default_factory=dict)
    _began_ns: int = 0
    _waited_ns: int | None = None

    def begin(self) -> None:
        """The agent is asked now."""
        self.send_ns = self.bus_ns = self.added_ns = 0
        self._messages_ns.clear()
        self._began_ns = wall_ns()
        self._waited_ns = waited_for_cpu_ns()

    def late(self, late_ns: int) -> None:
        """Something happened so much after it was due."""
        self.late_ns = max(self.late_ns, late_ns)

    def sent(self, took_ns: int) -> None:
        """A frame took so long to be written."""
        self.send_ns = max(self.send_ns, took_ns)

    def carried(self, took_ns: int) -> None:
        """A command and its answer were on the way for so long, without the car's own time."""
        self.bus_ns = max(self.bus_ns, took_ns)

    def answered(self, added_ns: int) -> None:
        """So much of the time of a tool call was not meant to pass."""
        self.added_ns += max(0, added_ns)

    def said(self, rid: str | None, late_ns: int) -> None:
        """Part of a message came so much after a simulated agent had planned it."""
        self._messages_ns[rid] = max(self._messages_ns.get(rid, 0), late_ns)

    def finish(self) -> dict[str, float]:
        """Milliseconds by cause; `cpu_wait_ms` says why and is no error of its own.

        Each is the longest of its kind, only `added_ms` is what all steps of the turn came to.
        """
        lag_ns = self.probe.worst_ns(self._began_ns) if self.probe and self._began_ns else 0
        added_ns = self.added_ns + sum(self._messages_ns.values())
        lost = {
            "late": self.late_ns,
            "lag": lag_ns,
            "send": self.send_ns,
            "bus": self.bus_ns,
            "agent": max(self._messages_ns.values(), default=0),
            "added": added_ns,
        }
        told = {f"{name}_ms": round(ns / MS, 3) for name, ns in lost.items() if ns}
        waited_ns = waited_for_cpu_ns()
        if waited_ns is not None and self._waited_ns is not None:
            told["cpu_wait_ms"] = round((waited_ns - self._waited_ns) / MS, 3)
        self.late_ns = self.send_ns = self.bus_ns = self.added_ns = self._began_ns = 0
        self._messages_ns.clear()
        self._waited_ns = None
        return told
