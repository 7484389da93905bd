"""One connection to a broker, as the reconnecting client sees it."""

from collections.abc import Sequence
from typing import Protocol

from vehicle_bus.bus import BusError, Message, Publication


class Link(Protocol):
    """A connection that shook hands. What comes of a call is reported to the Listener."""

    @property
    def window(self) -> int:
        """How many unacknowledged publications the broker takes."""
        ...

    @property
    def congested(self) -> bool:
        """Whether the socket takes no more bytes for now; `writable` says when it does again."""
        ...

    def publish(self, publication: Publication, number: int) -> None:
        """Write one message; with QoS 1 `acknowledged(number)` follows. BusError: it cannot go."""
        ...

    def subscribe(self, pattern: str, qos: int, identifier: int) -> None:
        """Ask for a filter; `granted(identifier)` follows."""
        ...

    def unsubscribe(self, pattern: str) -> None: ...

    def pause(self) -> None:
        """Stop reading, so that the broker has to wait."""
        ...

    def resume(self) -> None: ...

    async def close(self) -> None:
        """Say goodbye, so that the Last Will stays unsent, and hang up."""
        ...


class Listener(Protocol):
    """Gets what happens on a link; `refusal` is the broker's reason, None means yes."""

    def received(self, message: Message, identifiers: Sequence[int]) -> bool:
        """A message for these subscriptions (none named: find out); False asks to pause."""
        ...

    def acknowledged(self, number: int, refusal: str | None) -> None: ...

    def granted(self, identifier: int, refusal: str | None) -> None: ...

    def writable(self) -> None: ...

    def lost(self, error: BusError | None) -> None:
        """The link is gone; with an error it is no use to open another."""
        ...
