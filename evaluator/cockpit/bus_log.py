"""The messages of all cars as they fly, for pages that show the bus."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from heapq import merge
from typing import Any

from evaluator.live import Feed
from evaluator.record.record import Entry
from evaluator.record.signal_values import ONLY_SIGNALS
from evaluator.views.car_values import ROWS
from vehicle_bus.contract import Topics

REMEMBERED = 500  # messages that a page sees when it is opened later
UNREAD = 5_000  # messages a page may be behind before it loses the oldest
RETAINED = frozenset({"status", "capabilities", "snapshot", "signal"})
# The topics that report several times a second what changes by itself while a car drives.
MOVING = frozenset(
    f"signal/{path.replace('.', '/')}"
    for path, signal in ONLY_SIGNALS.items()
    if signal.name in ROWS and ROWS[signal.name].moves
)


@dataclass(frozen=True, slots=True)
class BusEntry:
    """One message of a car, with the time since the log began."""

    t_ms: float
    topic: str
    lane: str
    entry: Entry

    @property
    def payload(self) -> str:
        return self.entry.payload.decode(errors="replace")

    @property
    def moves(self) -> bool:
        return self.entry.rest in MOVING

    def fields(self) -> dict[str, Any]:
        return {
            "t_ms": self.t_ms,
            "topic": self.topic,
            "payload": self.payload,
            "retained": self.entry.kind in RETAINED,
            "lane": self.lane,
            "moves": self.moves,
        }

    def has(self, words: list[str]) -> bool:
        """Whether topic or payload contain each of these words, in upper or lower case."""
        text = f"{self.topic} {self.payload}".lower() if words else ""
        return all(word in text for word in words)


@dataclass(eq=False, slots=True)
class BusPage:
    """One page that shows the bus."""

    unread: Feed[BusEntry] = field(default_factory=lambda: Feed(UNREAD))
    _words: list[str] = field(default_factory=list)
    _reported_lost: int = 0

    def filter(self, text: str) -> None:
        """Show only messages that contain each word of a text from now on."""
        self._words = text.lower().split()

    async def batch(self) -> dict[str, Any]:
        """All that has arrived, at least one message, and how many were lost since the last."""
        entries: list[BusEntry] = []
        while not entries:
            new = [await anext(self.unread), *self.unread.rest()]
            entries = [each for each in new if each.has(self._words)]
        lost, self._reported_lost = self._reported_lost, self.unread.dropped
        shown = [each.fields() for each in entries]
        return {"kind": "bus", "entries": shown, "dropped": self.unread.dropped - lost}


class BusLog:
    """Keeps the last messages and passes them on."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._pages: list[BusPage] = []
        self._last: deque[BusEntry] = deque(maxlen=REMEMBERED)
        self._last_moves: deque[BusEntry] = deque(maxlen=REMEMBERED)
        self._began_ns = 0

    def put(self, lane: str, vin: str, entry: Entry) -> None:
        self._began_ns = self._began_ns or entry.mono_ns
        t_ms = round((entry.mono_ns - self._began_ns) / 1e6, 1)
        logged = BusEntry(t_ms, f"{self._topics.prefix}/{vin}/{entry.rest}", lane, entry)
        (self._last_moves if logged.moves else self._last).append(logged)
        for page in self._pages:
            page.unread.put(logged)

    @contextmanager
    def page(self) -> Iterator[BusPage]:
        """A page for as long as the block runs; it begins with the last messages."""
        page = BusPage()
        for logged in merge(self._last, self._last_moves, key=lambda each: each.t_ms):
            page.unread.put(logged)
        self._pages.append(page)
        try:
            yield page
        finally:
            self._pages.remove(page)
