"""Requests that wait for their answer, by Correlation Data."""

import asyncio
import secrets
from itertools import count

from vehicle_bus.bus import Message


class Replies:
    """A sink for a reply topic: it is never full, answers nobody waits for are dropped."""

    full = False

    def __init__(self) -> None:
        self._origin = secrets.token_bytes(4)
        self._numbers = count(1)
        self._waiting: dict[bytes, asyncio.Future[Message]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def new_correlation(self) -> bytes:
        """Eight bytes nobody used before."""
        return self._origin + next(self._numbers).to_bytes(4, "big")

    def expect(self, correlation: bytes) -> "asyncio.Future[Message]":
        """The answer to come; give it back with `forget`."""
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._waiting[correlation] = answer
        return answer

    def forget(self, correlation: bytes) -> None:
        del self._waiting[correlation]

    def put(self, message: Message) -> None:
        answer = self._waiting.get(message.correlation or b"")
        if answer is not None and not answer.done():
            answer.set_result(message)

    def close(self, error: Exception | None = None) -> None:
        """Fail whoever still waits."""
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(error or ConnectionError("the bus is closed"))
