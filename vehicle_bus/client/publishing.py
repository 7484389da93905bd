"""Publications on their way to the broker: in order, acknowledged, sent again after an outage."""

import asyncio
from collections import deque
from collections.abc import Iterable

from vehicle_bus.bus import BusError, BusRefused, Publication
from vehicle_bus.client.link import Link

NUMBERS = 65000  # packet ids 1 to this; the few above are for subscribing


class Burst:
    """Publications somebody waits for together."""

    __slots__ = ("_error", "_left", "done")

    def __init__(self, size: int) -> None:
        self._left = size
        self._error: BusError | None = None
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._settle()

    def one_done(self, error: BusError | None = None) -> None:
        """One publication less to wait for; of several errors the first is kept."""
        self._left -= 1
        self._error = self._error or error
        self._settle()

    def _settle(self) -> None:
        if self._left or self.done.done():
            return
        if self._error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(self._error)


class PublishQueue:
    """The queue of publications, and those that are written but not yet acknowledged."""

    def __init__(self) -> None:
        self._queue: deque[tuple[Publication, Burst]] = deque()
        self._unacknowledged: dict[int, tuple[Publication, Burst]] = {}
        self._last_number = 0

    @property
    def awaiting(self) -> bool:
        """Whether an acknowledgement is still to come."""
        return bool(self._unacknowledged or self._queue)

    def add(self, publications: Iterable[Publication]) -> "asyncio.Future[None]":
        """Queue a burst; the future is done when all of it is acknowledged."""
        publications = tuple(publications)
        burst = Burst(len(publications))
        self._queue.extend((publication, burst) for publication in publications)
        return burst.done

    def start_over(self) -> None:
        """A new connection: what is unacknowledged goes first, in its old order."""
        self._queue.extendleft(reversed(self._unacknowledged.values()))
        self._unacknowledged.clear()

    def write(self, link: Link) -> None:
        """Hand the link what it may take now."""
        window = min(link.window, NUMBERS - 1)
        while self._queue and len(self._unacknowledged) < window and not link.congested:
            publication, burst = self._queue.popleft()
            number = self._new_number()
            if publication.qos:
                self._unacknowledged[number] = publication, burst
            try:
                link.publish(publication, number)
            except BusError as error:
                self._unacknowledged.pop(number, None)
                burst.one_done(error)
            else:
                if not publication.qos:
                    burst.one_done()

    def acknowledged(self, number: int, refusal: str | None) -> None:
        """The broker took a publication, or refused it."""
        found = self._unacknowledged.pop(number, None)
        if found is None:
            return
        publication, burst = found
        if refusal is None:
            burst.one_done()
        else:
            what = f"a message to {publication.topic}"
            burst.one_done(BusRefused(f"the broker refused {what}: {refusal}"))

    def fail(self, error: BusError) -> None:
        """Nothing more will be sent; all that wait get the error."""
        for _, burst in (*self._unacknowledged.values(), *self._queue):
            burst.one_done(error)
            if burst.done.done() and not burst.done.cancelled():
                burst.done.exception()  # perhaps nobody waits for it any more
        self._unacknowledged.clear()
        self._queue.clear()

    def _new_number(self) -> int:
        number = self._last_number % NUMBERS + 1
        while number in self._unacknowledged:
            number = number % NUMBERS + 1
        self._last_number = number
        return number
