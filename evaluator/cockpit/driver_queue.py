"""The actions of the driver that wait, such as words to say."""

import asyncio
from collections import deque
from dataclasses import dataclass

from evaluator.cockpit.messages import EndTask, HangUp, PauseTime, SayWords, StartTime

MOST = 4  # actions that may wait


@dataclass(frozen=True, slots=True)
class SpokenWords:
    """What somebody said into a microphone, until then by the wall clock."""

    text: str
    ended_ns: int


DriverAction = SayWords | SpokenWords | HangUp | EndTask | StartTime | PauseTime


class DriverQueue:
    """A short queue of actions, which are carried out one after the other."""

    def __init__(self) -> None:
        self._waiting: deque[DriverAction] = deque()
        self._something = asyncio.Event()

    def add(self, action: DriverAction) -> bool:
        """Put an action behind those that wait already; False if too many do."""
        if len(self._waiting) >= MOST:
            return False
        self._waiting.append(action)
        self._something.set()
        return True

    def add_first(self, action: DriverAction) -> None:
        """Put an action before all that wait."""
        self._waiting.appendleft(action)
        self._something.set()

    def replace(self, action: DriverAction) -> None:
        """Put an action in the place of all that wait."""
        self._waiting.clear()
        self.add_first(action)

    async def next(self) -> DriverAction:
        while not self._waiting:
            self._something.clear()
            await self._something.wait()
        return self._waiting.popleft()
