"""What a driver says in one car, and how the assistant is cut off meanwhile."""

import asyncio

from evaluator.live import LiveCar
from vehicle_bus.background_tasks import background


class DriverVoice:
    """Says one text at a time."""

    def __init__(self, car: LiveCar) -> None:
        self._car = car
        self._cut = asyncio.Event()
        self.listens = False  # to an answer

    async def say(self, text: str, ended_ns: int | None = None) -> None:
        """Say this and listen until the answer is over, or cut off."""
        self._cut.clear()  # nothing is left of an earlier answer that it could be meant for
        self.listens = True
        try:
            async with background(self._cut_off(), "interrupt"):
                await self._car.say(text, ended_ns)
        finally:
            self.listens = False

    def interrupt(self) -> None:
        """Cut the assistant off."""
        self._cut.set()

    async def _cut_off(self) -> None:
        await self._cut.wait()
        await self._car.interrupt()
