"""What a driver says in one car: one text after the other, an interruption before all of them."""

import asyncio
from collections import deque
from collections.abc import Callable

from assistant_gateway.server import NoAgent
from evaluator.live import ConversationBroken, LiveCar
from vehicle_bus.background_tasks import background

AHEAD = 4  # texts that may wait for their turn


class DriverVoice:
    """Says texts when it is the driver's turn; `report` gets what goes wrong."""

    def __init__(self, car: LiveCar, report: Callable[[str], None]) -> None:
        self._car = car
        self._report = report
        self._waiting: deque[str | None] = deque()  # None begins a new conversation
        self._something = asyncio.Event()
        self._cut = asyncio.Event()

    def say(self, text: str | None) -> bool:
        """Say this after what waits already, None begins anew; False if too much waits."""
        if len(self._waiting) >= AHEAD:
            return False
        self._waiting.append(text)
        self._something.set()
        return True

    def interrupt(self, text: str | None) -> None:
        """Cut the assistant off; say this, if anything, before all that waits."""
        if text is not None:
            self._waiting.appendleft(text)
            self._something.set()
        self._cut.set()

    async def talk(self) -> None:
        """Say one text after the other, for ever."""
        while True:
            while not self._waiting:
                self._something.clear()
                await self._something.wait()
            try:
                await self._say(self._waiting.popleft())
            except (ConversationBroken, NoAgent) as error:
                self._report(str(error))

    async def _say(self, text: str | None) -> None:
        if text is None:
            await self._car.new_conversation()
            return
        self._cut.clear()  # nothing is left of an earlier answer that it could be meant for
        async with background(self._cut_off(), "interrupt"):
            await self._car.say(text)

    async def _cut_off(self) -> None:
        await self._cut.wait()
        await self._car.interrupt()
