"""What reaches a session from outside, in the order of its arrival."""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assistant_gateway.protocol import Frame
from vehicle_bus.contract import CarEvent, Reply


@dataclass(frozen=True, slots=True)
class Gone:
    """The peer closed the connection or lost it; of the broker: it was lost and is back.

    `breach` says what the peer did that made the gateway close the connection, `how` how it left
    by itself.
    """

    breach: str = ""
    how: str = ""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A frame that could not be read, and what was expected instead."""

    code: str
    expected: str


@dataclass(frozen=True, slots=True)
class CarNews:
    """An event in the car: something happened without a command, or a fault hit a call."""

    kind: str
    event: CarEvent


@dataclass(frozen=True, slots=True)
class Arrival:
    """Something that reached a session, with the wall stamp of its arrival."""

    source: Literal["broker", "car", "agent", "user"]
    item: Frame | Reply | CarNews | Gone | Unusable
    mono_ns: int
    seq: int = 0


class Inbox(asyncio.Queue[Arrival]):
    """A queue whose reader may look at the first arrival, and put back what it took too early."""

    def _init(self, maxsize: int) -> None:
        self._queue = deque[Arrival]()

    def first(self) -> Arrival | None:
        return self._queue[0] if self._queue else None

    def put_back(self, arrivals: Sequence[Arrival]) -> None:
        self._queue.extendleft(reversed(arrivals))

    def clear(self) -> None:
        """Drop everything, so that nobody has to wait for room."""
        while not self.empty():
            self.get_nowait()
