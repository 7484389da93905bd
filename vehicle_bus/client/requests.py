"""Requests that wait for their answer."""

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import orjson

from vehicle_bus.bus import Message, Publication

Key = bytes | tuple[str, str]


class PendingRequests:
    """A sink for reply topics: never full, and an answer nobody waits for any more is dropped.

    An answer is known by its Correlation Data. With `by_call_id`, for MQTT 3.1.1, it is known by
    its topic and the `call_id` in its payload, so requests must carry one.
    """

    full = False

    def __init__(self, by_call_id: bool) -> None:
        self._by_call_id = by_call_id
        self._origin = secrets.token_bytes(4)
        self._numbers = count(1)
        self._waiting: dict[Key, asyncio.Future[Message]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def new_correlation(self) -> bytes:
        """Eight bytes nobody used before."""
        return self._origin + next(self._numbers).to_bytes(4, "big")

    @contextmanager
    def expect(self, asked: Publication) -> Iterator["asyncio.Future[Message]"]:
        """Wait for the answer to a request within the block."""
        key = self._key(asked.response_topic or "", asked.correlation, asked.payload)
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._waiting[key] = answer
        try:
            yield answer
        finally:
            del self._waiting[key]

    def put(self, message: Message) -> None:
        answer = self._waiting.get(self._key(message.topic, message.correlation, message.payload))
        if answer is not None and not answer.done():
            answer.set_result(message)

    def close(self, error: Exception | None = None) -> None:
        """Fail the requests that still wait."""
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(error or ConnectionError("the bus is closed"))

    def _key(self, topic: str, correlation: bytes | None, payload: bytes) -> Key:
        return (topic, _call_id(payload)) if self._by_call_id else (correlation or b"")


def _call_id(payload: bytes) -> str:
    try:
        content = orjson.loads(payload)
    except orjson.JSONDecodeError:
        return ""
    return str(content.get("call_id", "")) if isinstance(content, dict) else ""
