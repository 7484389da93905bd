"""The narrow door to MQTT: what the rest of codriver may ask of a client library.

Two implementations answer it: `codec_bus` (thin, fast, for the embedded or child broker) and
`aiomqtt_bus` (TLS, authentication, 3.1.1, for brokers of your own). One suite runs on both.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple, Protocol


class BusError(Exception):
    """The bus cannot do what was asked; the text says what to do about it."""


class BusUnreachable(BusError):
    """No broker answers at the address, or it refused the connection."""


class BusTimeout(BusError):
    """A request was not answered in time."""


class BusRefused(BusError):
    """The broker does not allow this role to do that."""


class BusClosed(BusError):
    """The client was closed while somebody still waited for it."""


class Message(NamedTuple):
    """One message as it arrived; `mono_ns` is stamped by the reader before anything else."""

    topic: str
    payload: bytes
    retain: bool = False
    mono_ns: int = 0
    response_topic: str | None = None
    correlation: bytes | None = None


class Publication(NamedTuple):
    """One message to send. Zero-length payload with `retain` clears a retained topic.

    Response topic, correlation, expiry and user properties are left out in MQTT 3.1.1.
    """

    topic: str
    payload: bytes
    retain: bool = False
    qos: int = 1
    response_topic: str | None = None
    correlation: bytes | None = None
    expiry_s: int | None = None
    user_properties: tuple[tuple[str, str], ...] = ()


class Subscription(Protocol):
    """Messages of one or more topic filters, in arrival order, from a bounded queue.

    When the queue is full the codec client stops reading its socket, and the aiomqtt client goes
    on in memory with a line in the log; nothing is dropped.
    """

    def __aiter__(self) -> "Subscription": ...

    async def __anext__(self) -> Message: ...

    async def batch(self) -> list[Message]:
        """Wait for at least one message and return all that are queued."""
        ...


class Bus(Protocol):
    """A connected client. Entering its context manager means connected; leaving means gone."""

    @property
    def client_id(self) -> str: ...

    @property
    def connected(self) -> bool:
        """Whether the broker is there right now; a lost connection is sought again."""
        ...

    @property
    def reconnects(self) -> int:
        """How often a lost connection came back; what was retained may be gone by then."""
        ...

    async def reconnected(self, after: int) -> int:
        """Wait until `reconnects` is more than `after` and return it."""
        ...

    async def publish(self, publication: Publication) -> None:
        """Send one message; with QoS 1 return when the broker has acknowledged it."""
        ...

    async def publish_all(self, publications: Sequence[Publication]) -> None:
        """Write a burst in order and return once all of it is acknowledged."""
        ...

    def subscribe(
        self, *filters: str, qos: int = 1, queue: int = 10_000
    ) -> AbstractAsyncContextManager[Subscription]:
        """Entered means the broker has granted it; after a reconnect it is asked for again."""
        ...

    async def request(
        self, publication: Publication, *, timeout_s: float, reply_topic: str | None = None
    ) -> Message:
        """Publish with Response Topic and Correlation Data and await the one answer to it.

        Without `reply_topic` it is the car's reply topic for this client. A BusTimeout names the
        topic that did not answer; the message expires on the bus at the same moment.
        """
        ...
