"""The topic filters of one client, and the queues behind each."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from vehicle_bus.bus import BusError, Message
from vehicle_bus.mqtt.topic_filter import matches


class Sink(Protocol):
    """Where the messages of a filter go."""

    @property
    def full(self) -> bool: ...

    def put(self, message: Message) -> None: ...

    def close(self, error: Exception | None = None) -> None: ...


@dataclass(slots=True)
class BrokerFilter:
    """One filter at the broker, shared by every subscription of this client that names it.

    `identifier` comes back with each message, so nothing is matched twice and overlapping
    subscriptions do not multiply messages.
    """

    pattern: str
    identifier: int
    qos: int = 0
    sinks: list[Sink] = field(default_factory=list)
    granted: "asyncio.Future[None]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def settle(self, error: BusError | None) -> None:
        """Pass on the broker's answer; an error ends the queues too."""
        if not self.granted.done():
            if error is None:
                self.granted.set_result(None)
            else:
                self.granted.set_exception(error)
                self.granted.exception()  # perhaps nobody waits for it any more
        if error is not None:
            for sink in self.sinks:
                sink.close(error)


class Subscriptions:
    """Filters by pattern and by identifier."""

    def __init__(self) -> None:
        self._by_pattern: dict[str, BrokerFilter] = {}
        self._by_identifier: dict[int, BrokerFilter] = {}
        self._last_identifier = 0

    def __iter__(self) -> Iterator[BrokerFilter]:
        return iter(tuple(self._by_pattern.values()))

    def join(self, pattern: str, qos: int, sink: Sink) -> BrokerFilter:
        """Put a sink behind a filter; its `granted` is open until the broker answers again."""
        wanted = self._by_pattern.get(pattern)
        if wanted is None:
            self._last_identifier += 1
            wanted = BrokerFilter(pattern, self._last_identifier)
            self._by_pattern[pattern] = wanted
            self._by_identifier[wanted.identifier] = wanted
        elif wanted.granted.done():
            wanted.granted = asyncio.get_running_loop().create_future()
        wanted.qos = max(wanted.qos, qos)
        wanted.sinks.append(sink)
        return wanted

    def part(self, pattern: str, sink: Sink) -> bool:
        """Take a sink away; True if nobody is left behind the filter."""
        wanted = self._by_pattern.get(pattern)
        if wanted is None or sink not in wanted.sinks:
            return False
        wanted.sinks.remove(sink)
        if wanted.sinks:
            return False
        del self._by_pattern[pattern]
        del self._by_identifier[wanted.identifier]
        return True

    def get(self, identifier: int) -> BrokerFilter | None:
        return self._by_identifier.get(identifier)

    def sinks(self, topic: str, identifiers: Sequence[int]) -> list[Sink]:
        """Where a message goes, each sink once; without identifiers the topic decides."""
        if len(identifiers) == 1:
            only = self._by_identifier.get(identifiers[0])
            return only.sinks if only else []
        if identifiers:
            hit = [self._by_identifier[i] for i in identifiers if i in self._by_identifier]
        else:
            hit = [wanted for wanted in self if _gets(wanted.pattern, topic)]
        return list({id(sink): sink for wanted in hit for sink in wanted.sinks}.values())

    @property
    def full(self) -> bool:
        """Whether the queue behind some filter is full."""
        return any(sink.full for wanted in self._by_pattern.values() for sink in wanted.sinks)


def _gets(pattern: str, topic: str) -> bool:
    if pattern.startswith("$share/"):
        pattern = pattern.split("/", 2)[2]
    return matches(pattern, topic)
