"""One connection of the codec client: handshake, packets in, bytes out, keep-alive."""

import asyncio
import logging
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import mqtt5
from mqtt5 import ConnAckReasonCode

from vehicle_bus.bus import BusRefused, BusUnreachable, Publication
from vehicle_bus.mqtt_stream import PacketStream, StreamError

log = logging.getLogger(__name__)

PERMANENT = (
    ConnAckReasonCode.UNSUPPORTED_PROTOCOL_VERSION,
    ConnAckReasonCode.CLIENT_ID_NOT_VALID,
    ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD,
    ConnAckReasonCode.NOT_AUTHORIZED,
    ConnAckReasonCode.BANNED,
)


@dataclass(frozen=True, slots=True)
class Hello:
    """What a client says when it connects."""

    client_id: str
    user: str | None = None
    password: bytes | None = None
    will: Publication | None = None
    keep_alive_s: int = 30

    def packet(self) -> mqtt5.ConnectPacket:
        return mqtt5.ConnectPacket(
            self.client_id,
            username=self.user,
            password=self.password,
            clean_start=True,
            will=None if self.will is None else _will(self.will),
            keep_alive=self.keep_alive_s,
        )


class Reader(Protocol):
    """Who gets what arrives after the handshake."""

    def packet(self, packet: mqtt5.Packet, mono_ns: int) -> None: ...
    def writable(self) -> None: ...
    def lost(self, connection: "CodecConnection") -> None: ...


class CodecConnection(asyncio.Protocol):
    """Writes are collected and leave together at the end of the loop's turn."""

    def __init__(self, reader: Reader, keep_alive_s: int) -> None:
        self._reader = reader
        self._keep_alive_s = keep_alive_s
        self._stream = PacketStream(256 << 20)
        self._out: list[bytes] = []
        self._flush_due = False
        self._loop = asyncio.get_running_loop()
        self._heard_at_s = self._loop.time()
        self._ping_timer: asyncio.TimerHandle | None = None
        self._paused = False
        self.congested = False  # the broker takes no more bytes for now
        self.hello: asyncio.Future[mqtt5.ConnAckPacket] = self._loop.create_future()
        self.gone: asyncio.Future[None] = self._loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._keep_alive_s:
            self._ping_timer = self._loop.call_later(self._keep_alive_s / 2, self._ping)

    def data_received(self, data: bytes) -> None:
        mono_ns = time.monotonic_ns()
        self._heard_at_s = self._loop.time()
        try:
            for packet in self._stream.feed(data):
                if self.hello.done():
                    self._reader.packet(packet, mono_ns)
                elif isinstance(packet, mqtt5.ConnAckPacket):
                    self.hello.set_result(packet)
                else:
                    self.abort()
        except StreamError as error:
            log.warning("the broker sends no MQTT 5 (%s); the connection is given up", error)
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._ping_timer is not None:
            self._ping_timer.cancel()
        if not self.hello.done():
            self.hello.cancel()
        if not self.gone.done():
            self.gone.set_result(None)
        self._reader.lost(self)

    def pause_writing(self) -> None:
        self.congested = True

    def resume_writing(self) -> None:
        self.congested = False
        self._reader.writable()

    def write(self, wire: bytes) -> None:
        self._out.append(wire)
        if not self._flush_due:
            self._flush_due = True
            self._loop.call_soon(self._flush)

    def pause(self) -> None:
        """Stop reading the socket, so that the broker has to wait."""
        if not self._paused and not self._transport.is_closing():
            self._paused = True
            self._transport.pause_reading()

    def resume(self) -> None:
        if self._paused and not self._transport.is_closing():
            self._paused = False
            self._heard_at_s = self._loop.time()
            self._transport.resume_reading()

    async def close(self) -> None:
        """Say goodbye, which keeps the Last Will unsent, and wait until the socket is closed."""
        if not self._transport.is_closing():
            self.write(mqtt5.DisconnectPacket().write())
            self._flush()
            self._transport.close()
        try:
            async with asyncio.timeout(1):
                await self.gone
        except TimeoutError:
            self.abort()

    def abort(self) -> None:
        self._transport.abort()

    def _flush(self) -> None:
        self._flush_due = False
        if self._out and not self._transport.is_closing():
            self._transport.write(b"".join(self._out))
        self._out.clear()

    def _ping(self) -> None:
        silent_s = self._loop.time() - self._heard_at_s
        if silent_s > 1.5 * self._keep_alive_s and not self._paused:
            log.warning(
                "the broker has been silent for %.1f s; the connection is given up", silent_s
            )
            self.abort()
            return
        self.write(mqtt5.PingReqPacket().write())
        self._ping_timer = self._loop.call_later(self._keep_alive_s / 2, self._ping)


async def open_connection(
    host: str, port: int, hello: Hello, make: Callable[[], CodecConnection], timeout_s: float
) -> tuple[CodecConnection, mqtt5.ConnAckPacket]:
    """Connect and shake hands.

    BusUnreachable: nobody answers, trying again may help. BusRefused: it will not.
    """
    where = f"{host}:{port}"
    connection: CodecConnection | None = None
    try:
        async with asyncio.timeout(timeout_s):
            _, connection = await asyncio.get_running_loop().create_connection(make, host, port)
            connection.write(hello.packet().write())
            await asyncio.wait([connection.hello])
    except (OSError, TimeoutError) as error:
        if connection is not None:
            connection.abort()
        raise BusUnreachable(
            f"no MQTT broker answers at {where}; check that it runs and that the port is right"
        ) from error
    if connection.hello.cancelled():
        raise BusUnreachable(f"{where} hung up during the MQTT handshake; is it an MQTT 5 broker?")
    answer = connection.hello.result()
    if answer.reason_code == ConnAckReasonCode.SUCCESS:
        return connection, answer
    connection.abort()
    kind = BusRefused if answer.reason_code in PERMANENT else BusUnreachable
    raise kind(f"the broker at {where} refused the connection: {_words(answer)}")


def _words(answer: mqtt5.ConnAckPacket) -> str:
    return answer.reason_str or answer.reason_code.name.lower().replace("_", " ")


def _will(will: Publication) -> mqtt5.Will:
    return mqtt5.Will(
        will.topic,
        payload=will.payload,
        qos=mqtt5.QoS(will.qos),
        retain=will.retain,
        message_expiry_interval=will.expiry_s,
    )
