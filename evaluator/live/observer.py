"""Everything on the bus about one car: kept, looked up, awaited and passed on."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Generic, TypeVar

from evaluator.record.record import Entry, Record, State, without_duplicates
from vehicle_bus.background_tasks import background
from vehicle_bus.bus import Bus, Subscription
from vehicle_bus.contract import Topics

KEPT = 50_000  # messages; older ones are dropped
Found = TypeVar("Found")
Item = TypeVar("Item")


class Feed(Generic[Item]):
    """The newest messages for one reader; a slow reader loses the oldest, which are counted."""

    def __init__(self, size: int) -> None:
        self.dropped = 0
        self._waiting: deque[Item] = deque(maxlen=size)
        self._arrived = asyncio.Event()

    def put(self, item: Item) -> None:
        if len(self._waiting) == self._waiting.maxlen:
            self.dropped += 1
        self._waiting.append(item)
        self._arrived.set()

    def rest(self) -> Iterator[Item]:
        """The messages that have arrived, without waiting for more."""
        while self._waiting:
            yield self._waiting.popleft()

    def __aiter__(self) -> "Feed[Item]":
        return self

    async def __anext__(self) -> Item:
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        return self._waiting.popleft()


class Observer:
    """The messages of a car. Reading is safe from any thread, waiting is not."""

    def __init__(self, vin: str) -> None:
        self.vin = vin
        self._entries: list[Entry] = []
        self._forgotten = 0
        self._signals: dict[str, Any] = {}
        self._feeds: list[Feed[Entry]] = []
        self._arrival = asyncio.Condition()

    @property
    def mark(self) -> int:
        """The present position, for `since`."""
        return self._forgotten + len(self._entries)

    def since(self, mark: int = 0) -> Record:
        """The messages after a mark, as a record: calls, turns, states, frames."""
        seen = self._entries[max(0, mark - self._forgotten) :]
        return Record(self.vin, tuple(without_duplicates(seen)))

    @property
    def state(self) -> State:
        """The state of the car now, by short names."""
        return self.since().final_state or {}

    @property
    def signals(self) -> dict[str, Any]:
        """The last value of each signal that was on the bus, by VSS path."""
        return dict(self._signals)

    @contextmanager
    def feed(self, size: int = 1000) -> Iterator[Feed[Entry]]:
        """Messages from now on, as they come."""
        feed: Feed[Entry] = Feed(size)
        self._feeds.append(feed)
        try:
            yield feed
        finally:
            self._feeds.remove(feed)

    async def until(self, look: Callable[[Record], Found | None], mark: int = 0) -> Found:
        """Wait until `look` finds something after a mark; the caller sets a timeout."""
        async with self._arrival:
            while (found := look(self.since(mark))) is None:
                await self._arrival.wait()
        return found

    async def collect(self, messages: Subscription, topics: Topics) -> None:
        """Keep all messages until the bus is closed."""
        while batch := await messages.batch():
            for message in batch:
                _, rest = topics.split(message.topic) or ("", "")
                if message.payload:
                    self._take(Entry(rest, message.payload, message.mono_ns))
            async with self._arrival:
                self._arrival.notify_all()

    def _take(self, entry: Entry) -> None:
        self._entries.append(entry)
        if len(self._entries) > 2 * KEPT:
            self._forgotten += KEPT
            del self._entries[:KEPT]
        if entry.kind == "signal":
            path = entry.rest.removeprefix("signal/").replace("/", ".")
            self._signals[path] = entry.fields.get("value")
        for feed in self._feeds:
            feed.put(entry)


@asynccontextmanager
async def observer(bus: Bus, topics: Topics, vin: str) -> AsyncIterator[Observer]:
    """Watch a car for as long as the block runs; entered means subscribed."""
    seen = Observer(vin)
    async with (
        bus.subscribe(topics.everything(vin)) as messages,
        background(seen.collect(messages, topics), f"observer of {vin}"),
    ):
        yield seen
