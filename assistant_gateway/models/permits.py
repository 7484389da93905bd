"""Permits for requests to one endpoint: how many at a time, and how many in any minute."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

log = logging.getLogger(__name__)

MINUTE_S = 60.0
WORTH_TELLING_S = 0.5


class Permits:
    """Whoever asks first is served first; without limits nobody waits."""

    def __init__(
        self, place: str = "", per_minute: int | None = None, in_flight: int | None = None
    ) -> None:
        self._place = place
        self._free = asyncio.Semaphore(in_flight) if in_flight else nullcontext()
        self._begun: deque[float] | None = deque(maxlen=per_minute) if per_minute else None
        self._turn = asyncio.Lock()
        self._told = False

    @asynccontextmanager
    async def permit(self) -> AsyncIterator[float]:
        """One request may be under way while the block runs; yields for how many s it waited."""
        loop = asyncio.get_running_loop()
        asked_s = loop.time()
        async with self._free:
            if self._begun is not None:
                await self._in_this_minute(self._begun, loop)
            waited_s = loop.time() - asked_s
            if waited_s > WORTH_TELLING_S and not self._told:
                self._told = True
                log.warning(
                    "requests to %s wait for --max-in-flight or --max-requests-per-minute, and "
                    "latencies contain that; a lower --max-concurrency avoids it",
                    self._place,
                )
            yield waited_s

    async def _in_this_minute(self, begun: deque[float], loop: asyncio.AbstractEventLoop) -> None:
        async with self._turn:
            if len(begun) == begun.maxlen:
                await asyncio.sleep(max(0.0, begun[0] + MINUTE_S - loop.time()))
            begun.append(loop.time())


NO_LIMITS = Permits()
