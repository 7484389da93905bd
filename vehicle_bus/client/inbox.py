"""A subscription's queue: bounded, and its owner stops reading the socket when it is full."""

import asyncio
from collections import deque
from collections.abc import Callable

from vehicle_bus.bus import Message


class Inbox:
    """Messages of one subscription in arrival order, for one or more consumers.

    `put` always takes the message, so nothing is lost; `full` asks the owner to stop reading, and
    `on_room` to go on once half of the queue is empty. After `close` the iteration ends when the
    queue is empty, with the error if one was given.
    """

    def __init__(self, size: int, on_room: Callable[[], None]) -> None:
        self._size = size
        self._on_room = on_room
        self._messages: deque[Message] = deque()
        self._ready = asyncio.Event()
        self.full = False
        self._closed = False
        self._error: Exception | None = None

    def put(self, message: Message) -> None:
        if self._closed:
            return
        self._messages.append(message)
        self.full = self.full or len(self._messages) >= self._size
        self._ready.set()

    def close(self, error: Exception | None = None) -> None:
        self._closed = True
        self.full = False
        self._error = self._error or error
        self._ready.set()

    def __aiter__(self) -> "Inbox":
        return self

    async def __anext__(self) -> Message:
        if not await self._filled():
            raise StopAsyncIteration
        message = self._messages.popleft()
        self._took()
        return message

    async def batch(self) -> list[Message]:
        """Wait for at least one message and return all that are queued; [] once it is closed."""
        if not await self._filled():
            return []
        messages = list(self._messages)
        self._messages.clear()
        self._took()
        return messages

    async def _filled(self) -> bool:
        while not self._messages:
            if self._closed:
                if self._error is not None:
                    raise self._error
                return False
            self._ready.clear()
            await self._ready.wait()
        return True

    def _took(self) -> None:
        if self.full and len(self._messages) <= self._size // 2:
            self.full = False
            self._on_room()
