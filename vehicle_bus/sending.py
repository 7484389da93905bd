"""Publications on their way to the broker: in order, acknowledged, sent again after an outage."""

import asyncio
from collections import deque
from collections.abc import Iterable

import mqtt5

from vehicle_bus.bus import BusError, BusRefused, Publication


class Burst:
    """Publications somebody waits for together."""

    __slots__ = ("_error", "_left", "done")

    def __init__(self, size: int) -> None:
        self._left = size
        self._error: BusError | None = None
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._settle()

    def one_done(self, error: BusError | None = None) -> None:
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


class Sending:
    """The queue of publications and the window of those not yet acknowledged."""

    def __init__(self) -> None:
        self._queue: deque[tuple[Publication, Burst]] = deque()
        self._unacknowledged: dict[int, tuple[Publication, Burst]] = {}
        self._last_id = 0
        self._window = 0
        self._largest: int | None = None

    @property
    def awaiting(self) -> bool:
        """Whether an acknowledgement is still to come."""
        return bool(self._unacknowledged or self._queue)

    def add(self, publications: Iterable[Publication], burst: Burst) -> None:
        self._queue.extend((publication, burst) for publication in publications)

    def connected(self, window: int, largest_packet: int | None) -> None:
        """The broker is there: everything unacknowledged goes first, in its old order."""
        self._window = min(window, 65000)
        self._largest = largest_packet
        self._queue.extendleft(reversed(self._unacknowledged.values()))
        self._unacknowledged.clear()

    def disconnected(self) -> None:
        self._window = 0

    def ready(self) -> list[bytes]:
        """Packets that may be written now."""
        wires = []
        while self._queue and len(self._unacknowledged) < self._window:
            publication, burst = self._queue.popleft()
            wire = self._pack(publication, burst)
            if wire is not None:
                wires.append(wire)
        return wires

    def acknowledged(self, packet: mqtt5.PubAckPacket) -> None:
        publication, burst = self._unacknowledged.pop(packet.packet_id, (None, None))
        if publication is None or burst is None:
            return
        if int(packet.reason_code) < 0x80:
            burst.one_done()
            return
        why = packet.reason_str or packet.reason_code.name.lower().replace("_", " ")
        burst.one_done(BusRefused(f"the broker refused a message to {publication.topic}: {why}"))

    def new_id(self, taken: Iterable[int] = ()) -> int:
        """A packet id that is not in use."""
        packet_id = self._last_id % 65535 + 1
        while packet_id in self._unacknowledged or packet_id in taken:
            packet_id = packet_id % 65535 + 1
        self._last_id = packet_id
        return packet_id

    def fail(self, error: BusError) -> None:
        """Nothing more will be sent; whoever waits learns why."""
        for _, burst in (*self._unacknowledged.values(), *self._queue):
            burst.one_done(error)
        self._unacknowledged.clear()
        self._queue.clear()

    def _pack(self, publication: Publication, burst: Burst) -> bytes | None:
        packet_id = self.new_id() if publication.qos else None
        try:
            wire = _packet(publication, packet_id).write()
        except ValueError as error:
            burst.one_done(BusError(f"cannot publish to {publication.topic!r}: {error}"))
            return None
        if self._largest is not None and len(wire) > self._largest:
            burst.one_done(
                BusError(
                    f"a message of {len(wire)} bytes to {publication.topic} is too large: "
                    f"the broker takes {self._largest}"
                )
            )
            return None
        if packet_id is None:
            burst.one_done()
        else:
            self._unacknowledged[packet_id] = publication, burst
        return wire


def _packet(publication: Publication, packet_id: int | None) -> mqtt5.PublishPacket:
    return mqtt5.PublishPacket(
        publication.topic,
        publication.payload,
        qos=mqtt5.QoS(publication.qos),
        retain=publication.retain,
        packet_id=packet_id,
        message_expiry_interval=publication.expiry_s,
        response_topic=publication.response_topic,
        correlation_data=publication.correlation,
    )
