"""How far the bench itself is off: how late its event loop was, and how long it had to wait.

A starved bench looks just like a slow assistant, so every turn carries what was lost in it. In
virtual time nothing is lost: no clock of the wall is read there.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from itertools import takewhile
from pathlib import Path
from typing import Literal

from assistant_gateway.timing.timeline import MS, SECOND, wall_ns

PERIOD_NS = 20 * MS
NOTED_NS = MS
MOST_NOTED = 4096
Delay = Literal["late", "lag", "send", "bus"]
ERRORS = ("late_ms", "lag_ms", "send_ms", "bus_ms", "agent_ms", "added_ms")
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


def error_ms(lost_ms: Mapping[str, float]) -> float:
    """By how much the bench may have moved a span of the turn."""
    return max((lost_ms.get(name, 0.0) for name in ERRORS), default=0.0)


def with_restarts(
    lost_ms: Mapping[str, float], restarts_ns: Iterable[tuple[int, int]]
) -> dict[str, float]:
    """The losses, with the starts of a voice that paused only because the bench was late.

    Of each pause `restarts_ns` has how late the text was for none, and how long the voice took to
    begin again, in ns.
    """
    lost = error_ms(lost_ms)
    begun_ns = sum(lead for late, lead in restarts_ns if 0 < late <= lost * MS)
    return {**lost_ms, "added_ms": round(lost + begun_ns / MS, 3)} if begun_ns else {**lost_ms}


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


class TurnProbe:
    """The time that the bench lost in one turn, all of it wall time in ns.

    One that does not measure reads no clock and finds nothing.
    """

    def __init__(self, probe: LagProbe | None = None, *, measures: bool = True) -> None:
        self._probe = probe
        self._measures = measures
        self._reset()

    def _reset(self, late_ns: int = 0) -> None:
        self._longest_ns: dict[str, int] = {"late": late_ns, "lag": 0, "send": 0, "bus": 0}
        self._added_ns = self._passed_on_ns = 0
        self._messages_ns: dict[str | None, int] = {}
        self._began_ns: int | None = None
        self._cpu_wait_ns: int | None = None

    def begin(self) -> None:
        """The agent is asked now; what was due before counts if it was late."""
        if self._measures:
            self._reset(self._longest_ns["late"])
            self._began_ns = wall_ns()
            self._cpu_wait_ns = waited_for_cpu_ns()

    def delayed(self, name: Delay, ns: int) -> None:
        """`late`: an event after it was due; `send`: a frame until it was written.

        `bus`: a command and its reply on the way, without the car's own time.
        """
        self._longest_ns[name] = max(self._longest_ns[name], ns)

    def answered(self, added_ns: int) -> None:
        """So much of the time of a tool call was not meant to pass."""
        self._added_ns += max(0, added_ns)

    def passed_on(self, arrived_ns: int, sent_ns: int) -> None:
        """What arrived was sent on only then; time that several had to wait counts once."""
        self._added_ns += max(0, sent_ns - max(arrived_ns, self._passed_on_ns))
        self._passed_on_ns = max(sent_ns, self._passed_on_ns)

    def said(self, rid: str | None, late_ns: int) -> None:
        """Part of a message came so much after a simulated agent had planned it."""
        self._messages_ns[rid] = max(self._messages_ns.get(rid, 0), late_ns)

    def finish(self) -> dict[str, float]:
        """Milliseconds by cause; `cpu_wait_ms` says why and is no error of its own.

        Each is the longest of its kind, only `added_ms` is the sum of all steps of the turn.
        """
        if not self._measures:
            return {}
        if self._probe and self._began_ns:
            self.delayed("lag", self._probe.worst_ns(self._began_ns))
        lost = {
            **self._longest_ns,
            "agent": max(self._messages_ns.values(), default=0),
            "added": self._added_ns + sum(self._messages_ns.values()),
        }
        lost_ms = {f"{name}_ms": round(ns / MS, 3) for name, ns in lost.items() if ns}
        cpu_wait_ns = waited_for_cpu_ns()
        if cpu_wait_ns is not None and self._cpu_wait_ns is not None:
            lost_ms["cpu_wait_ms"] = round((cpu_wait_ns - self._cpu_wait_ns) / MS, 3)
        self._reset()
        return lost_ms
