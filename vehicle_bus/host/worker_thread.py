"""Heavy tools run beside the event loop, so that only the cars that asked for them wait."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from vehicle_bus.host.command import CarCommand, Outcome
from vehicle_bus.vehicle import is_heavy

MOST_WAITING = 10_000


class WorkerThread:
    """Carries out heavy commands in a thread of its own, one after the other.

    A car that waits for one has all its later commands wait behind it, in order; other cars go on.
    """

    def __init__(self, answer: Callable[[CarCommand, Outcome], Awaitable[None]]) -> None:
        self._answer = answer
        self._commands: asyncio.Queue[CarCommand] = asyncio.Queue(MOST_WAITING)
        self._waiting: Counter[str] = Counter()

    def takes(self, command: CarCommand) -> bool:
        """Whether a command belongs here; then it has to be `put` before the next batch."""
        vin = command.car.vin
        if vin not in self._waiting and not is_heavy(command.tool):
            return False
        self._waiting[vin] += 1
        return True

    def busy(self, vin: str) -> bool:
        """Whether the thread uses a car or will use it."""
        return vin in self._waiting

    async def put(self, command: CarCommand) -> None:
        await self._commands.put(command)

    async def work(self) -> None:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, thread_name_prefix="heavy tools") as thread:
            while True:
                command = await self._commands.get()
                if is_heavy(command.tool):
                    outcome = await loop.run_in_executor(thread, command.carry_out)
                else:
                    outcome = command.carry_out()
                self._leave(command.car.vin)
                await self._answer(command, outcome)

    def _leave(self, vin: str) -> None:
        self._waiting[vin] -= 1
        if not self._waiting[vin]:
            del self._waiting[vin]
