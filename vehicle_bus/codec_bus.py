"""The thin MQTT 5 client: the bus of every part of codriver on the embedded or child broker."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Protocol

import mqtt5

from vehicle_bus.bus import (
    BusClosed,
    BusError,
    BusRefused,
    BusTimeout,
    BusUnreachable,
    Message,
    Publication,
    Subscription,
)
from vehicle_bus.codec_connection import CodecConnection, Hello, open_connection
from vehicle_bus.contract import Topics
from vehicle_bus.inbox import Inbox
from vehicle_bus.replies import Replies
from vehicle_bus.sending import Burst, Sending

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 5.0
FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 2.0


class Sink(Protocol):
    """Where the messages of a filter go."""

    @property
    def full(self) -> bool: ...
    def put(self, message: Message) -> None: ...
    def close(self, error: Exception | None = None) -> None: ...


@dataclass(slots=True)
class _Filter:
    """One topic filter at the broker, shared by every subscription that names it."""

    pattern: str
    qos: int
    identifier: int
    granted: "asyncio.Future[None]"
    sinks: list[Sink] = field(default_factory=list)


@asynccontextmanager
async def codec_bus(
    host: str,
    port: int,
    hello: Hello,
    *,
    topics: Topics | None = None,
    reply_vin: str = "+",
    give_up_s: float | None = None,
) -> AsyncIterator["CodecBus"]:
    """A connected client for as long as the block runs.

    A lost connection is sought again, for ever or for `give_up_s`; then the block ends with a
    BusUnreachable. `reply_vin` narrows the reply subscription for roles bound to one car.
    """
    bus = CodecBus(host, port, hello, topics or Topics(), reply_vin, give_up_s)
    await bus.connect()
    try:
        async with asyncio.TaskGroup() as tasks:
            keeper = tasks.create_task(bus.stay_connected(), name=f"bus {hello.client_id}")
            try:
                yield bus
            finally:
                keeper.cancel()
                await bus.close()
    except BaseExceptionGroup as group:
        if len(group.exceptions) > 1:
            raise
        raise group.exceptions[0] from None  # the group is ours, its only member the caller's


class CodecBus:
    """Implements Bus; see there for what the methods promise.

    While a queue is full the socket is not read, except while this client itself waits for an
    acknowledgement or an answer: a consumer that publishes would otherwise wait for itself.
    """

    def __init__(
        self,
        host: str,
        port: int,
        hello: Hello,
        topics: Topics,
        reply_vin: str,
        give_up_s: float | None,
    ) -> None:
        self._host, self._port, self._hello = host, port, hello
        self._topics = topics
        self._reply_vin = reply_vin
        self._give_up_s = give_up_s
        self._connection: CodecConnection | None = None
        self._down = asyncio.Event()
        self._back = asyncio.Condition()
        self._reconnects = 0
        self._closed = False
        self._refusal: BusError | None = None
        self._sending = Sending()
        self._replies = Replies()
        self._reply_filters: set[str] = set()
        self._filters: dict[str, _Filter] = {}
        self._by_identifier: dict[int, _Filter] = {}
        self._subscribing: dict[int, _Filter] = {}
        self._last_identifier = 0

    @property
    def client_id(self) -> str:
        return self._hello.client_id

    @property
    def connected(self) -> bool:
        return self._connection is not None

    @property
    def reconnects(self) -> int:
        return self._reconnects

    async def reconnected(self, after: int) -> int:
        async with self._back:
            await self._back.wait_for(lambda: self._reconnects > after)
        return self._reconnects

    async def publish(self, publication: Publication) -> None:
        await self.publish_all((publication,))

    async def publish_all(self, publications: Sequence[Publication]) -> None:
        await self._send(publications)
        if any(publication.qos == 0 for publication in publications):
            await asyncio.sleep(0)  # lets the socket say when it is full

    @asynccontextmanager
    async def subscribe(
        self, *filters: str, qos: int = 1, queue: int = 10_000
    ) -> AsyncIterator[Subscription]:
        inbox = Inbox(queue, self._may_read)
        try:
            for granted in [self._join(pattern, qos, inbox) for pattern in filters]:
                await asyncio.shield(granted)
            yield inbox
        finally:
            inbox.close()
            for pattern in filters:
                self._part(pattern, inbox)
            self._may_read()

    async def request(
        self, publication: Publication, *, timeout_s: float, reply_topic: str | None = None
    ) -> Message:
        correlation = publication.correlation or self._replies.new_correlation()
        try:
            async with asyncio.timeout(timeout_s):
                asked = replace(
                    publication,
                    response_topic=await self._listen(publication.topic, reply_topic),
                    correlation=correlation,
                    expiry_s=publication.expiry_s or ceil(timeout_s),
                )
                answer = self._replies.expect(correlation)
                try:
                    sent = self._send((asked,))
                    sent.add_done_callback(lambda done: _fail(answer, done))
                    return await answer
                finally:
                    self._replies.forget(correlation)
        except TimeoutError as error:
            raise BusTimeout(
                f"no answer to {publication.topic} within {timeout_s:g} s"
                + ("" if self.connected else "; the broker is gone")
            ) from error

    async def connect(self) -> None:
        """Connect once; a BusError says why not."""
        connection, answer = await open_connection(
            self._host,
            self._port,
            self._hello,
            lambda: CodecConnection(self, self._hello.keep_alive_s),
            CONNECT_TIMEOUT_S,
        )
        self._down.clear()
        self._connection = connection
        for wanted in self._filters.values():
            self._ask(wanted)
        self._sending.connected(answer.receive_max, answer.max_packet_size)
        self.writable()
        self._may_read()

    async def stay_connected(self) -> None:
        """Reconnect whenever the connection is lost, until cancelled."""
        while True:
            await self._down.wait()
            if self._refusal is not None:
                raise self._refusal
            log.warning("lost the broker at %s:%d, trying again", self._host, self._port)
            await self._reconnect()
            self._reconnects += 1
            log.warning("back at the broker at %s:%d", self._host, self._port)
            async with self._back:
                self._back.notify_all()

    async def close(self) -> None:
        """Leave the broker; whoever still waits gets a BusClosed."""
        self._closed = True
        connection, self._connection = self._connection, None
        error = self._refusal or BusClosed(f"the bus client {self.client_id} is closed")
        self._sending.fail(error)
        self._replies.close(error)
        for wanted in self._filters.values():
            wanted.granted.cancel()
            for sink in wanted.sinks:
                sink.close()
        if connection is not None:
            await connection.close()

    def packet(self, packet: mqtt5.Packet, mono_ns: int) -> None:
        """Take a packet from the connection."""
        match packet:
            case mqtt5.PublishPacket():
                self._received(packet, mono_ns)
            case mqtt5.PubAckPacket():
                self._sending.acknowledged(packet)
                self.writable()
            case mqtt5.SubAckPacket():
                self._granted(packet)
            case mqtt5.DisconnectPacket():
                self._dismissed(packet)
            case _:
                pass

    def lost(self, connection: CodecConnection) -> None:
        """The connection is gone."""
        if connection is self._connection:
            self._connection = None
            self._sending.disconnected()
            self._subscribing.clear()
            self._down.set()

    def writable(self) -> None:
        """Write what may be written."""
        connection = self._connection
        if connection is not None and not connection.congested:
            for wire in self._sending.ready():
                connection.write(wire)

    def _send(self, publications: Sequence[Publication]) -> "asyncio.Future[None]":
        if self._closed:
            raise BusClosed(f"the bus client {self.client_id} is closed")
        burst = Burst(len(publications))
        self._sending.add(publications, burst)
        self.writable()
        if self._connection is not None:
            self._connection.resume()
        return burst.done

    def _received(self, packet: mqtt5.PublishPacket, mono_ns: int) -> None:
        connection = self._connection
        if connection is None:
            return
        message = Message(
            packet.topic,
            packet.payload,
            packet.retain,
            mono_ns,
            packet.response_topic,
            packet.correlation_data,
        )
        sinks = self._sinks(packet.subscription_ids)
        for sink in sinks:
            sink.put(message)
        if packet.packet_id is not None:
            connection.write(mqtt5.PubAckPacket(packet.packet_id).write())
        if any(sink.full for sink in sinks) and not self._waits():
            connection.pause()

    def _sinks(self, identifiers: list[int]) -> list[Sink]:
        wanted = [self._by_identifier[i] for i in identifiers if i in self._by_identifier]
        if len(wanted) == 1:
            return wanted[0].sinks
        return list({id(sink): sink for each in wanted for sink in each.sinks}.values())

    def _waits(self) -> bool:
        return bool(self._sending.awaiting or self._subscribing or len(self._replies))

    def _may_read(self) -> None:
        """Read on unless some queue is still full."""
        if self._connection is None:
            return
        sinks = (sink for wanted in self._filters.values() for sink in wanted.sinks)
        if self._waits() or not any(sink.full for sink in sinks):
            self._connection.resume()

    async def _listen(self, topic: str, reply_topic: str | None) -> str:
        """Make sure that answers arrive; returns the topic to name in the request."""
        pattern = reply_topic
        if reply_topic is None:
            parts = self._topics.split(topic)
            if parts is None:
                raise BusError(f"give a reply_topic: {topic} is not below {self._topics.prefix}")
            reply_topic = self._topics.reply(parts[0], self.client_id)
            pattern = self._topics.reply(self._reply_vin, self.client_id)
        assert pattern is not None
        if pattern not in self._reply_filters:
            self._reply_filters.add(pattern)
            self._join(pattern, 1, self._replies)
        await asyncio.shield(self._filters[pattern].granted)
        return reply_topic

    def _join(self, pattern: str, qos: int, sink: Sink) -> "asyncio.Future[None]":
        """Add a sink to a filter and ask the broker for it, retained messages included."""
        if self._closed:
            raise BusClosed(f"the bus client {self.client_id} is closed")
        wanted = self._filters.get(pattern)
        if wanted is None:
            self._last_identifier += 1
            granted = asyncio.get_running_loop().create_future()
            wanted = _Filter(pattern, qos, self._last_identifier, granted)
            self._filters[pattern] = wanted
            self._by_identifier[wanted.identifier] = wanted
        elif wanted.granted.done():
            wanted.granted = asyncio.get_running_loop().create_future()
        wanted.qos = max(wanted.qos, qos)
        wanted.sinks.append(sink)
        self._ask(wanted)
        return wanted.granted

    def _ask(self, wanted: _Filter) -> None:
        connection = self._connection
        if connection is None:
            return
        packet_id = self._sending.new_id(self._subscribing)
        self._subscribing[packet_id] = wanted
        connection.write(
            mqtt5.SubscribePacket(
                packet_id,
                [
                    mqtt5.TopicFilter(
                        wanted.pattern,
                        max_qos=mqtt5.QoS(wanted.qos),
                        retain_as_published=False,
                    )
                ],
                subscription_id=wanted.identifier,
            ).write()
        )
        connection.resume()

    def _part(self, pattern: str, sink: Sink) -> None:
        wanted = self._filters.get(pattern)
        if wanted is None or sink not in wanted.sinks:
            return
        wanted.sinks.remove(sink)
        if wanted.sinks:
            return
        del self._filters[pattern]
        del self._by_identifier[wanted.identifier]
        if self._connection is not None:
            packet_id = self._sending.new_id(self._subscribing)
            self._connection.write(mqtt5.UnsubscribePacket(packet_id, [pattern]).write())

    def _granted(self, packet: mqtt5.SubAckPacket) -> None:
        wanted = self._subscribing.pop(packet.packet_id, None)
        if wanted is None:
            return
        code = packet.reason_codes[0]
        if int(code) < 0x80:
            if not wanted.granted.done():
                wanted.granted.set_result(None)
            return
        why = code.name.lower().replace("_", " ")
        error = BusRefused(f"the broker refused the subscription to {wanted.pattern}: {why}")
        if not wanted.granted.done():
            wanted.granted.set_exception(error)
        for sink in wanted.sinks:
            sink.close(error)

    def _dismissed(self, packet: mqtt5.DisconnectPacket) -> None:
        why = packet.reason_str or packet.reason_code.name.lower().replace("_", " ")
        log.warning("the broker disconnects %s: %s", self.client_id, why)
        if packet.reason_code == mqtt5.DisconnectReasonCode.SESSION_TAKEN_OVER:
            self._refusal = BusError(f"another client connected as {self.client_id}")

    async def _reconnect(self) -> None:
        pause_s = FIRST_PAUSE_S
        try:
            async with asyncio.timeout(self._give_up_s):
                while True:
                    try:
                        return await self.connect()
                    except BusUnreachable as error:
                        log.info("%s", error)
                    await asyncio.sleep(pause_s)
                    pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
        except TimeoutError as error:
            raise BusUnreachable(
                f"the broker at {self._host}:{self._port} went away and did not come back "
                f"within {self._give_up_s:g} s; check that it runs"
            ) from error


def _fail(answer: "asyncio.Future[Message]", sent: "asyncio.Future[None]") -> None:
    """A request that could not be sent will not be answered."""
    error = None if sent.cancelled() else sent.exception()
    if error is not None and not answer.done():
        answer.set_exception(error)
