"""A link on the `mqtt5` codec: handshake, packets in, bytes out, keep-alive."""

import asyncio
import logging
import socket
import time
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import cast

import mqtt5
from mqtt5 import ConnAckReasonCode

from vehicle_bus.bus import BusError, BusRefused, BusUnreachable, Message, Publication
from vehicle_bus.client.link import Listener
from vehicle_bus.client.mqtt_bus import ClientOptions, MqttBus, mqtt_bus
from vehicle_bus.mqtt.exact_reads import ExactReads
from vehicle_bus.mqtt.packets import PacketStream, StreamError

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 5.0
LARGEST_INCOMING = 256 << 20  # bytes; MQTT's own limit
SUBSCRIBE_IDS = 500  # packet ids kept for SUBSCRIBE and UNSUBSCRIBE, above those of publications
QOS = (mqtt5.QoS.AT_MOST_ONCE, mqtt5.QoS.AT_LEAST_ONCE)
PERMANENT = (
    ConnAckReasonCode.UNSUPPORTED_PROTOCOL_VERSION,
    ConnAckReasonCode.CLIENT_ID_NOT_VALID,
    ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD,
    ConnAckReasonCode.NOT_AUTHORIZED,
    ConnAckReasonCode.BANNED,
)


@dataclass(frozen=True, slots=True)
class Hello:
    """What a client sends in CONNECT."""

    client_id: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    will: Publication | None = None
    keep_alive_s: int = 30

    def packet(self) -> mqtt5.ConnectPacket:
        return mqtt5.ConnectPacket(
            self.client_id,
            username=self.user,
            password=None if self.password is None else self.password.encode(),
            clean_start=True,
            will=None if self.will is None else _will(self.will),
            keep_alive=self.keep_alive_s,
        )


class CodecLink(ExactReads):
    """Implements Link. Writes are collected and leave together at the end of the loop's turn."""

    def __init__(self, listener: Listener, hello: Hello) -> None:
        self._listener = listener
        self._hello = hello
        self._loop = asyncio.get_running_loop()
        self._stream = PacketStream(LARGEST_INCOMING)
        self._out: list[bytes] = []
        self._flush_due = False
        self._received_at_s = self._loop.time()
        self._ping_timer: asyncio.TimerHandle | None = None
        self._paused = False
        self._largest_packet: int | None = None
        self._asked: dict[int, int] = {}  # SUBSCRIBE packet id -> subscription identifier
        self._last_id = 0
        self._disconnect_error: BusError | None = None
        self._greeting: asyncio.Future[mqtt5.ConnAckPacket] = self._loop.create_future()
        self._gone = asyncio.Event()
        self.congested = False
        self.window = 0

    async def shake_hands(self) -> None:
        """Send CONNECT and wait for the answer; a BusError says why it was refused."""
        self.write(self._hello.packet().write())
        answer = await self._greeting
        if answer.reason_code != ConnAckReasonCode.SUCCESS:
            kind = BusRefused if answer.reason_code in PERMANENT else BusUnreachable
            raise kind(f"the broker refused the connection: {_why(answer)}")
        self.window = answer.receive_max
        self._largest_packet = answer.max_packet_size

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is none by class
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._hello.keep_alive_s:
            self._ping_timer = self._loop.call_later(self._hello.keep_alive_s / 2, self._ping)

    def data_received(self, data: bytes) -> None:
        mono_ns = time.monotonic_ns()
        self._received_at_s = self._loop.time()
        try:
            for packet in self._stream.feed(data):
                self._take(packet, mono_ns)
        except StreamError as error:
            log.warning("the broker sends no MQTT 5 (%s); the connection is given up", error)
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._ping_timer is not None:
            self._ping_timer.cancel()
        self._gone.set()
        if self.window:
            self.window = 0
            self._listener.lost(self._disconnect_error)
        elif not self._greeting.done():
            self._greeting.set_exception(
                BusUnreachable("the broker hung up on the MQTT 5 handshake; does it speak MQTT 5?")
            )

    def pause_writing(self) -> None:
        self.congested = True

    def resume_writing(self) -> None:
        self.congested = False
        self._listener.writable()

    def publish(self, publication: Publication, number: int) -> None:
        try:
            wire = mqtt5.PublishPacket(
                publication.topic,
                publication.payload,
                qos=QOS[publication.qos],
                retain=publication.retain,
                packet_id=number if publication.qos else None,
                message_expiry_interval=publication.expiry_s,
                response_topic=publication.response_topic,
                correlation_data=publication.correlation,
                user_properties=list(publication.user_properties),
            ).write()
        except (ValueError, IndexError) as error:
            raise BusError(f"cannot publish to {publication.topic!r}: {error}") from error
        if self._largest_packet is not None and len(wire) > self._largest_packet:
            raise BusError(
                f"a message of {len(wire)} bytes to {publication.topic} is too large: "
                f"the broker takes {self._largest_packet}"
            )
        self.write(wire)

    def subscribe(self, pattern: str, qos: int, identifier: int) -> None:
        packet_id = self._new_id()
        self._asked[packet_id] = identifier
        wanted = mqtt5.TopicFilter(pattern, max_qos=QOS[qos], retain_as_published=False)
        packet = mqtt5.SubscribePacket(packet_id, [wanted], subscription_id=identifier)
        self.write(packet.write())

    def unsubscribe(self, pattern: str) -> None:
        self.write(mqtt5.UnsubscribePacket(self._new_id(), [pattern]).write())

    def pause(self) -> None:
        if not self._paused and not self._transport.is_closing():
            self._paused = True
            self._transport.pause_reading()

    def resume(self) -> None:
        if self._paused and not self._transport.is_closing():
            self._paused = False
            self._received_at_s = self._loop.time()
            self._transport.resume_reading()

    async def close(self) -> None:
        self.window = 0
        if not self._transport.is_closing():
            self.write(mqtt5.DisconnectPacket().write())
            self._flush()
            self._transport.close()
        try:
            async with asyncio.timeout(1):
                await self._gone.wait()
        except TimeoutError:
            self.abort()

    def abort(self) -> None:
        """Hang up without DISCONNECT, so that the broker sends the Last Will."""
        self._transport.abort()

    def write(self, wire: bytes) -> None:
        self._out.append(wire)
        if not self._flush_due:
            self._flush_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_due = False
        if self._out and not self._transport.is_closing():
            self._transport.write(b"".join(self._out))
        self._out.clear()

    def _take(self, packet: mqtt5.Packet, mono_ns: int) -> None:
        match packet:
            case mqtt5.PublishPacket():
                self._published(packet, mono_ns)
            case mqtt5.PubAckPacket():
                self._acknowledged(packet)
            case mqtt5.SubAckPacket():
                self._subscribed(packet)
            case mqtt5.ConnAckPacket() if not self._greeting.done():
                self._greeting.set_result(packet)
            case mqtt5.DisconnectPacket():
                log.warning("the broker disconnects %s: %s", self._hello.client_id, _why(packet))
                if packet.reason_code == mqtt5.DisconnectReasonCode.SESSION_TAKEN_OVER:
                    who = self._hello.client_id
                    self._disconnect_error = BusError(f"another client connected as {who}")
            case _:
                pass  # PINGRESP and UNSUBACK carry no news

    def _published(self, packet: mqtt5.PublishPacket, mono_ns: int) -> None:
        message = Message(
            packet.topic,
            packet.payload,
            packet.retain,
            mono_ns,
            packet.response_topic,
            packet.correlation_data,
        )
        if packet.packet_id is not None:
            self.write(mqtt5.PubAckPacket(packet.packet_id).write())
        if not self._listener.received(message, packet.subscription_ids):
            self.pause()

    def _acknowledged(self, packet: mqtt5.PubAckPacket) -> None:
        refused = int(packet.reason_code) >= 0x80
        self._listener.acknowledged(packet.packet_id, _why(packet) if refused else None)

    def _subscribed(self, packet: mqtt5.SubAckPacket) -> None:
        code = packet.reason_codes[0]
        why = packet.reason_str or _words(code.name)
        identifier = self._asked.pop(packet.packet_id, 0)
        self._listener.granted(identifier, why if int(code) >= 0x80 else None)

    def _ping(self) -> None:
        silent_s = self._loop.time() - self._received_at_s
        if silent_s > 1.5 * self._hello.keep_alive_s and not self._paused:
            log.warning("the broker is silent for %.1f s; the connection is given up", silent_s)
            self.abort()
            return
        self.write(mqtt5.PingReqPacket().write())
        self._ping_timer = self._loop.call_later(self._hello.keep_alive_s / 2, self._ping)

    def _new_id(self) -> int:
        """SUBSCRIBE and UNSUBSCRIBE take ids from the top, where publications do not come."""
        self._last_id = (self._last_id + 1) % SUBSCRIBE_IDS
        return 65535 - self._last_id


async def dial(host: str, port: int, hello: Hello, listener: Listener) -> CodecLink:
    """Open a link. BusUnreachable: trying again may help; BusRefused: it will not."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            _, link = await loop.create_connection(lambda: CodecLink(listener, hello), host, port)
            try:
                await link.shake_hands()
            except BaseException:  # given up too: a link that is not ours yet is nobody's to close
                link.abort()
                raise
    except (OSError, TimeoutError) as error:
        raise BusUnreachable(
            f"no MQTT broker answers at {host}:{port}; check that it runs and the port is right"
        ) from error
    return link


def _why(packet: mqtt5.ConnAckPacket | mqtt5.PubAckPacket | mqtt5.DisconnectPacket) -> str:
    return packet.reason_str or _words(packet.reason_code.name)


def _words(name: str) -> str:
    return name.lower().replace("_", " ")


def _will(will: Publication) -> mqtt5.Will:
    return mqtt5.Will(
        will.topic,
        payload=will.payload,
        qos=QOS[will.qos],
        retain=will.retain,
        message_expiry_interval=will.expiry_s,
    )


def codec_bus(
    host: str, port: int, hello: Hello, options: ClientOptions | None = None
) -> AbstractAsyncContextManager[MqttBus]:
    """A client on the `mqtt5` codec, connected for as long as the block runs."""
    return mqtt_bus(
        lambda listener: dial(host, port, hello, listener),
        hello.client_id,
        options or ClientOptions(),
    )
