"""A bus subscriber that collects the records of expected episodes."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from evaluator.record.record import Entry, Record, missing_numbers, without_duplicates
from vehicle_bus.bus import Bus, Message, Subscription
from vehicle_bus.contract import SessionEnd, Topics

GAP_TIMEOUT_S = 5.0


@dataclass(slots=True)
class _Recording:
    """One episode while it is going on."""

    entries: list[Entry] = field(default_factory=list)
    numbers: dict[str, set[int]] = field(default_factory=dict)
    end: SessionEnd | None = None
    complete: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, entry: Entry) -> None:
        self.entries.append(entry)
        if entry.seq:
            self.numbers.setdefault(entry.src, set()).add(entry.seq)
        if self.end is None and entry.kind == "end":
            self.end = entry.read(SessionEnd)
        if self.end is not None and not missing_numbers(self.end.counts, self.numbers):
            self.complete.set()


class Recorder:
    """Records by vin. What arrives for a vin nobody expects is let go."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._recordings: dict[str, _Recording] = {}

    def expect(self, vin: str) -> None:
        """Record this vin from now on; call it before its car is placed on the bus."""
        self._recordings[vin] = _Recording()

    def forget(self, vin: str) -> None:
        """Stop recording a vin and drop what there is of it."""
        self._recordings.pop(vin, None)

    def partial(self, vin: str) -> Record:
        """What was recorded so far; `KeyError` for a vin that is not expected."""
        return Record(vin, tuple(without_duplicates(self._recordings[vin].entries)))

    async def finished(self, vin: str, gap_timeout_s: float = GAP_TIMEOUT_S) -> Record:
        """The record of an episode whose session is over, and the end of recording it.

        Returns as soon as `end` and every message it announced are there. After `gap_timeout_s`
        it returns what there is: `Record.gap` then says what is missing.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(gap_timeout_s):
                await self._recordings[vin].complete.wait()
        record = self.partial(vin)
        self.forget(vin)
        return record

    def take(self, messages: Iterable[Message]) -> None:
        """Sort messages to their recordings; an empty payload only clears a retained topic."""
        for message in messages:
            vin, rest = self._topics.split(message.topic) or ("", "")
            recording = self._recordings.get(vin)
            if recording is not None and message.payload:
                recording.add(Entry(rest, message.payload, message.mono_ns))


@asynccontextmanager
async def recorder(bus: Bus, topics: Topics) -> AsyncIterator[Recorder]:
    """Listen to everything for as long as the block runs; entered means subscribed.

    The queue of the subscription is bounded: when it is full the bus stops reading its socket.
    """
    async with bus.subscribe(topics.everything()) as messages, asyncio.TaskGroup() as tasks:
        recording = Recorder(topics)
        collecting = tasks.create_task(_collect(messages, recording), name="recorder")
        try:
            yield recording
        finally:
            collecting.cancel()


async def _collect(messages: Subscription, recording: Recorder) -> None:
    while True:
        recording.take(await messages.batch())
