"""A session in real time: pace `live` all along, pace `fast` while the agent owes something."""

import asyncio

from assistant_gateway.session.arrivals import Arrival
from assistant_gateway.session.result import SessionBroken
from assistant_gateway.session.session import Session
from assistant_gateway.timing.timeline import SECOND


class RealTimeSession(Session):
    """What arrived comes first, then what is due; in between the wall clock runs."""

    async def _advance(self) -> None:
        owes, due_ns = self._conversation.owes, self._timeline.next_due_ns
        self._clock.flow(owes)
        if due_ns is not None and self._clock.flowing and self._is_next(due_ns):
            self._overdue(due_ns)
        elif not self.inbox.empty():
            self._take(await self.inbox.get())
        elif self._plan.pace == "fast" and not owes and due_ns is not None:
            self._clock.jump(due_ns)
            self._happen(self._timeline.pop())
        else:
            await self._wait(due_ns)

    async def _wait(self, due_ns: int | None) -> None:
        """Until something arrives or is due; frames for the bus do not wait for longer."""
        wait_s = self._plan.patience_s if due_ns is None else (due_ns - self._clock.now()) / SECOND
        batch_s = self._plan.batch_ns / SECOND
        flush_first = self._outbox.batching and (wait_s is None or wait_s > batch_s)
        try:
            async with asyncio.timeout(batch_s if flush_first else wait_s):
                self._take(await self.inbox.get())
            return
        except TimeoutError:
            pass
        if due_ns is not None and self._has_arrived_before(due_ns):
            return
        if flush_first:
            self._outbox.flush()
        elif due_ns is None:
            raise SessionBroken(f"nobody said or did anything for {wait_s:g} s")
        elif self._clock.now() >= due_ns:
            self._overdue(due_ns)

    def _is_next(self, due_ns: int) -> bool:
        """Whether this is due now, and everything that waits to be read came later."""
        return self._clock.now() >= due_ns and not self._has_arrived_before(due_ns)

    def _overdue(self, due_ns: int) -> None:
        self._harness.delayed("late", self._clock.now() - due_ns)
        self._happen(self._timeline.pop())

    def _has_arrived_before(self, due_ns: int) -> bool:
        """Whether something arrived earlier that is seen only now that waiting is over."""
        first = self.inbox.first()
        return first is not None and self._clock.of(first.mono_ns) < due_ns

    def _take(self, arrival: Arrival) -> None:
        if self._is_news(arrival):
            # Sources are read one after the other: what came first may be looked at last.
            self._latest_ns = max(self._latest_ns, self._clock.of(arrival.mono_ns))
            self._handle(arrival, self._latest_ns)
