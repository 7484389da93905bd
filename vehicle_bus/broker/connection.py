"""One client's socket at the embedded broker: bytes in, packets out, and when to let go."""

import asyncio
import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, cast

import mqtt5
from mqtt5 import DisconnectReasonCode as Reason

from vehicle_bus.broker.client_queue import ClientQueue
from vehicle_bus.mqtt.exact_reads import ExactReads
from vehicle_bus.mqtt.packets import (
    LARGEST_PACKET,
    Malformed,
    OtherProtocolVersion,
    PacketStream,
    PacketTooLarge,
)

log = logging.getLogger(__name__)

REFUSED_AS_3_1_1 = bytes(
    [0x20, 2, 0, 1]
)  # CONNACK "unacceptable protocol version" of 3.1 and 3.1.1
TLS_HELLO = b"\x16"
GOODBYE_S = 1.0  # for a client that is still sending to read why it is refused


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """What one client may cost the broker."""

    packet_bytes: int = LARGEST_PACKET
    buffer_bytes: int = 32 << 20
    connect_s: float = 10.0


class Handler(Protocol):
    """Where a connection takes its packets."""

    limits: ClientLimits

    def opened(self, connection: "Connection") -> None: ...
    def packet(self, connection: "Connection", packet: mqtt5.Packet) -> None: ...
    def flush(self) -> None: ...
    def closed(self, connection: "Connection") -> None: ...


class Connection(ExactReads):
    """Collects what is to be written until `flush`; after `close` nothing more is read."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._stream = PacketStream(handler.limits.packet_bytes)
        self._out: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None
        self._silence_s = 0.0
        self._received_at_s = 0.0
        self._denied = False
        self.closing = False
        self.client: str | None = None  # client id once the CONNECT is accepted
        self.user: str | None = None
        self.readable: tuple[str, ...] | None = None  # topic filters; None = everything
        self.writable: tuple[str, ...] | None = None
        self.will: mqtt5.Will | None = None
        self.outbox = ClientQueue()

    @property
    def name(self) -> str:
        return f"client {self.client!r}" if self.client else "a connection before its CONNECT"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is none by class
        self._loop = asyncio.get_running_loop()
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._timer = self._loop.call_later(self._handler.limits.connect_s, self._never_connected)
        self._handler.opened(self)

    def data_received(self, data: bytes) -> None:
        if self.closing:
            return  # what is still underway from a client that was refused
        self._received_at_s = self._loop.time()
        try:
            for packet in self._stream.feed(data):
                self._handler.packet(self, packet)
                if self.closing:
                    break
        except OtherProtocolVersion as error:
            self._refuse_version(error.level)
        except PacketTooLarge as error:
            self.refuse(Reason.PACKET_TOO_LARGE, str(error), still_sending=True)
        except Malformed as error:
            what = "TLS, which only --broker mqtts:// has" if data[:1] == TLS_HELLO else str(error)
            self.refuse(Reason.MALFORMED_PACKET, f"no MQTT packet ({what})", still_sending=True)
        self._handler.flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closing = True
        if self._timer is not None:
            self._timer.cancel()
        self._handler.closed(self)

    def watch_silence(self, keep_alive_s: int) -> None:
        """Let the client go when it says nothing for one and a half keep-alive intervals."""
        self._silence_s = 1.5 * keep_alive_s
        if keep_alive_s:
            self._restart_timer(self._silence_s, self._check_silence)
        elif self._timer is not None:
            self._timer.cancel()

    def write(self, wire: bytes) -> None:
        """Put bytes into the next flush."""
        if wire and not self.closing:
            self._out.append(wire)

    def flush(self) -> None:
        """Write what was collected; a client that lets too much pile up is disconnected."""
        if self._out:
            self._transport.write(b"".join(self._out))
            self._out.clear()
        piled_up = self._transport.get_write_buffer_size() + self.outbox.held_bytes
        if piled_up > self._handler.limits.buffer_bytes and not self._transport.is_closing():
            log.warning(
                "%s does not read: %d bytes wait for it, %d are allowed; disconnected",
                self.name,
                piled_up,
                self._handler.limits.buffer_bytes,
            )
            self.abort()

    def deny(self, what: str, topic: str) -> None:
        """Put a denied topic into the log; after the first one only for debugging."""
        level = logging.DEBUG if self._denied else logging.WARNING
        self._denied = True
        log.log(level, "%s may not %s %s", self.name, what, topic)

    def refuse(
        self, reason: mqtt5.DisconnectReasonCode, why: str, *, still_sending: bool = False
    ) -> None:
        """Close for a fault of the client; it gets the reason if it ever connected.

        A socket closed with bytes unread would take the reason away from one `still_sending`.
        """
        log.warning("%s is disconnected: %s", self.name, why)
        if self.client is not None:
            self.write(mqtt5.DisconnectPacket(reason_code=reason, reason_str=why).write())
        if not still_sending:
            self.close()
            return
        self.flush()
        self.closing = True
        self._transport.write_eof()
        self._restart_timer(GOODBYE_S, self.close)

    def close(self) -> None:
        """Write what is left and hang up."""
        if not self.closing:
            self.flush()
            self.closing = True
        self._transport.close()

    def abort(self) -> None:
        """Hang up without waiting for the client to take what is left."""
        self.closing = True
        self._transport.abort()

    def _refuse_version(self, level: int) -> None:
        log.warning(
            "a client asked for MQTT protocol level %d (4 is 3.1.1); the embedded broker speaks "
            "MQTT 5 only: install mosquitto, or give another broker with --broker",
            level,
        )
        unsupported = mqtt5.ConnAckReasonCode.UNSUPPORTED_PROTOCOL_VERSION
        refusal = mqtt5.ConnAckPacket(reason_code=unsupported).write()
        self.write(REFUSED_AS_3_1_1 if level in (3, 4) else refusal)
        self.close()

    def _restart_timer(self, after_s: float, then: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(after_s, then)

    def _never_connected(self) -> None:
        self.refuse(Reason.KEEP_ALIVE_TIMEOUT, "no CONNECT came")

    def _check_silence(self) -> None:
        left_s = self._received_at_s + self._silence_s - self._loop.time()
        if left_s > 0:
            self._timer = self._loop.call_later(left_s, self._check_silence)
            return
        self.refuse(Reason.KEEP_ALIVE_TIMEOUT, f"silent for {self._silence_s:g} s")
