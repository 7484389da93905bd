"""What one client still has to get: unacknowledged messages and the queue behind them."""

import logging
from collections import deque

from vehicle_bus.broker.routing import Delivery

log = logging.getLogger(__name__)


class ClientQueue:
    """QoS 1 messages wait here while `receive_max` of them are unacknowledged."""

    def __init__(self, receive_max: int = 65535) -> None:
        self.receive_max = receive_max
        self.largest_packet: int | None = None  # bytes
        self._unacknowledged: dict[int, Delivery] = {}
        self._waiting: deque[Delivery] = deque()
        self._last_id = 0
        self.held_bytes = 0  # of messages waiting or unacknowledged

    def send(self, delivery: Delivery, now_s: float) -> bytes:
        """Bytes to write now; nothing if the message is expired or has to wait for its turn.

        A message larger than the client takes counts as delivered, as MQTT wants it, and is logged.
        """
        if delivery.message.expired(now_s) or self._too_large(delivery, now_s):
            return b""
        if delivery.qos == 0:
            return _wire(delivery, None, now_s)
        self.held_bytes += _size(delivery)
        return self._hand_out(delivery, now_s)

    def _hand_out(self, delivery: Delivery, now_s: float) -> bytes:
        if len(self._unacknowledged) >= self.receive_max:
            self._waiting.append(delivery)
            return b""
        packet_id = self._next_id()
        self._unacknowledged[packet_id] = delivery
        return _wire(delivery, packet_id, now_s)

    def acknowledged(self, packet_id: int, now_s: float) -> bytes:
        """Note an acknowledgement; bytes of the messages that may follow now."""
        delivered = self._unacknowledged.pop(packet_id, None)
        if delivered is None:
            return b""
        self.held_bytes -= _size(delivered)
        ready = []
        while self._waiting and len(self._unacknowledged) < self.receive_max:
            delivery = self._waiting.popleft()
            if delivery.message.expired(now_s):
                self.held_bytes -= _size(delivery)
            else:
                ready.append(self._hand_out(delivery, now_s))
        return b"".join(ready)

    def undelivered(self) -> list[Delivery]:
        """Deliveries that the client never acknowledged, oldest first."""
        return [*self._unacknowledged.values(), *self._waiting]

    def _too_large(self, delivery: Delivery, now_s: float) -> bool:
        if self.largest_packet is None:
            return False
        size = len(_wire(delivery, delivery.qos or None, now_s))
        if size > self.largest_packet:
            topic = delivery.message.packet.topic
            log.warning("%d bytes on %s are more than %s takes", size, topic, delivery.client)
        return size > self.largest_packet

    def _next_id(self) -> int:
        packet_id = self._last_id % 65535 + 1
        while packet_id in self._unacknowledged:
            packet_id = packet_id % 65535 + 1
        self._last_id = packet_id
        return packet_id


def _size(delivery: Delivery) -> int:
    packet = delivery.message.packet
    return len(packet.topic) + len(packet.payload)


def _wire(delivery: Delivery, packet_id: int | None, now_s: float) -> bytes:
    return delivery.message.wire(
        qos=delivery.qos,
        packet_id=packet_id,
        retain=delivery.retain,
        ids=delivery.ids,
        now_s=now_s,
    )
