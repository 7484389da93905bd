"""What is said in the cars, for pages that play it, as soon as it is known when it is heard.

A frame is a line of JSON and the samples as PCM16: `lane`, `conversation`, `who`, and `at_ms` of
the session. One without samples has `stop_ms`: from then on the assistant is not heard.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import orjson
from starlette.websockets import WebSocket, WebSocketDisconnect

from assistant_gateway.sound.pcm import RATE, Samples, to_bytes
from assistant_gateway.sound.utterances import Speaker
from evaluator.live import Feed
from vehicle_bus.background_tasks import background

UNSENT = 500


@dataclass(slots=True)
class SoundOfCars:
    """Hands what is said to all pages that listen."""

    _pages: list[Feed[bytes]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def listener(self, lane: str) -> "LaneSound":
        """For one conversation."""
        return LaneSound(self, lane, next(self._numbers))

    def put(self, about: dict[str, Any], samples: "Samples | None" = None) -> None:
        frame = orjson.dumps(about) + b"\n" + (to_bytes(samples) if samples else b"")
        for page in self._pages:
            page.put(frame)

    @contextmanager
    def page(self) -> Iterator[Feed[bytes]]:
        """What is said from now on, for as long as the block runs."""
        feed: Feed[bytes] = Feed(UNSENT)
        self._pages.append(feed)
        try:
            yield feed
        finally:
            self._pages.remove(feed)


@dataclass(frozen=True, slots=True)
class LaneSound:
    """A conversation that is heard on pages."""

    sound: SoundOfCars
    lane: str
    conversation: int

    def hear(self, who: Speaker, samples: Samples, begin: int) -> None:
        self.sound.put({**self._about, "who": who, "at_ms": begin * 1000 / RATE}, samples)

    def stop(self, at: int) -> None:
        self.sound.put({**self._about, "stop_ms": at * 1000 / RATE})

    @property
    def _about(self) -> dict[str, Any]:
        return {"lane": self.lane, "conversation": self.conversation}


async def play_sound(sound: SoundOfCars, socket: WebSocket) -> None:
    """Send an accepted socket what is said until it is closed."""
    with sound.page() as page, suppress(WebSocketDisconnect):
        async with background(_send(page, socket), "sound page"):
            while True:
                await socket.receive_text()


async def _send(page: Feed[bytes], socket: WebSocket) -> None:
    while True:
        await socket.send_bytes(await anext(page))
