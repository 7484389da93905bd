"""A WebSocket that stamps each message when its bytes arrive, not when it is read."""

from collections import deque
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.frames import DATA_OPCODES, Frame

from assistant_gateway.lost_transport import OutlivesTransport
from assistant_gateway.quick_writes import QuickWrites
from assistant_gateway.timing.timeline import wall_ns
from vehicle_bus.mqtt.exact_reads import ExactReads


class StampedSocket(ExactReads, OutlivesTransport, QuickWrites, ServerConnection):
    """Call `arrived_ns` once for each message that was read, in that order."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._data_came_ns = 0
        self._arrived_ns: deque[int] = deque()

    def data_received(self, data: bytes) -> None:
        self._data_came_ns = wall_ns()
        super().data_received(data)

    def process_event(self, event: Any) -> None:
        super().process_event(event)
        if isinstance(event, Frame) and event.opcode in DATA_OPCODES and event.fin:
            self._arrived_ns.append(self._data_came_ns)

    def arrived_ns(self) -> int:
        """Wall stamp of the message that was read last: when its last byte arrived."""
        return self._arrived_ns.popleft()
