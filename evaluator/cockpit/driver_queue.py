"""What the driver wants, one thing after the other."""

import asyncio
from collections import deque

from evaluator.cockpit.messages import EndTask, HangUp, PauseTime, SayWords, StartTime

AHEAD = 4  # orders that may wait for their turn

DriverAction = SayWords | HangUp | EndTask | StartTime | PauseTime


class DriverQueue:
    """A short queue."""

    def __init__(self) -> None:
        self._waiting: deque[DriverAction] = deque()
        self._something = asyncio.Event()

    def add(self, order: DriverAction) -> bool:
        """Put an order behind those that wait already; False if too many do."""
        if len(self._waiting) >= AHEAD:
            return False
        self._waiting.append(order)
        self._something.set()
        return True

    def add_first(self, order: DriverAction) -> None:
        """Put an order before all that waits."""
        self._waiting.appendleft(order)
        self._something.set()

    async def next(self) -> DriverAction:
        while not self._waiting:
            self._something.clear()
            await self._something.wait()
        return self._waiting.popleft()
