"""What one client still has to get: unacknowledged letters and the queue behind them."""

from collections import deque

from vehicle_bus.broker.routing import Delivery


class Outbox:
    """QoS 1 letters wait here while `receive_max` of them are unacknowledged. Pure."""

    def __init__(self, receive_max: int = 65535) -> None:
        self.receive_max = receive_max
        self._unacknowledged: dict[int, Delivery] = {}
        self._waiting: deque[Delivery] = deque()
        self._last_id = 0
        self.waiting_bytes = 0

    def send(self, delivery: Delivery, now_s: float) -> bytes:
        """Bytes to write now; nothing if the letter is expired or has to wait for its turn."""
        if delivery.letter.expired(now_s):
            return b""
        if delivery.qos == 0:
            return _wire(delivery, None, now_s)
        if len(self._unacknowledged) >= self.receive_max:
            self._waiting.append(delivery)
            self.waiting_bytes += len(delivery.letter.packet.payload)
            return b""
        packet_id = self._next_id()
        self._unacknowledged[packet_id] = delivery
        return _wire(delivery, packet_id, now_s)

    def acknowledged(self, packet_id: int, now_s: float) -> bytes:
        """Note an acknowledgement; bytes of the letters that may follow now."""
        if self._unacknowledged.pop(packet_id, None) is None:
            return b""
        ready = b""
        while self._waiting and len(self._unacknowledged) < self.receive_max:
            delivery = self._waiting.popleft()
            self.waiting_bytes -= len(delivery.letter.packet.payload)
            ready += self.send(delivery, now_s)
        return ready

    def undelivered(self) -> list[Delivery]:
        """Letters the client never acknowledged, oldest first."""
        return [*self._unacknowledged.values(), *self._waiting]

    def _next_id(self) -> int:
        packet_id = self._last_id % 65535 + 1
        while packet_id in self._unacknowledged:
            packet_id = packet_id % 65535 + 1
        self._last_id = packet_id
        return packet_id


def _wire(delivery: Delivery, packet_id: int | None, now_s: float) -> bytes:
    return delivery.letter.wire(
        qos=delivery.qos,
        packet_id=packet_id,
        retain=delivery.retain,
        ids=delivery.ids,
        now_s=now_s,
    )
