"""The embedded broker: MQTT 5 on loopback, in the caller's event loop.

It does QoS 0 and 1, retained messages, wildcards, shared subscriptions, Last Will, keep-alive,
message expiry, session takeover and an ACL. It does not do QoS 2, sessions that outlive their
connection, topic aliases, `$SYS` or TLS; asking for one is answered with its reason code.
"""

import asyncio
import errno
import logging
import secrets
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import mqtt5
from mqtt5 import ConnAckReasonCode, PubAckReasonCode, SubAckReasonCode, UnsubAckReasonCode
from mqtt5 import DisconnectReasonCode as Reason

from vehicle_bus.broker.acl import Access, permitted
from vehicle_bus.broker.broker_message import BrokerMessage
from vehicle_bus.broker.connection import ClientLimits, Connection
from vehicle_bus.broker.routing import Delivery, Routing, Subscribed, is_subscribable, shared
from vehicle_bus.bus import BusError
from vehicle_bus.mqtt.topic_filter import is_topic

log = logging.getLogger(__name__)

AT_MOST_ONCE = mqtt5.QoS.AT_MOST_ONCE
EXACTLY_ONCE = mqtt5.QoS.EXACTLY_ONCE


@asynccontextmanager
async def embedded_broker(
    access: Access | None = None, *, port: int = 0, limits: ClientLimits | None = None
) -> AsyncIterator[int]:
    """Run a broker on 127.0.0.1 for as long as the block runs; yields its port.

    Without `access` everybody may do everything. A BusError says when the port is taken.
    """
    broker = EmbeddedBroker(access, limits or ClientLimits())
    loop = asyncio.get_running_loop()
    try:
        server = await loop.create_server(lambda: Connection(broker), "127.0.0.1", port)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        raise BusError(
            f"the embedded broker cannot use port {port}: {error.strerror}; "
            "choose another one, or 0 for any free port"
        ) from error
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await broker.shut_down()
        await server.wait_closed()


class EmbeddedBroker:
    """Answers packets; knows the clients, while `Routing` knows who gets what."""

    def __init__(self, access: Access | None, limits: ClientLimits) -> None:
        self.limits = limits
        self._access = access
        self._routing = Routing()
        self._clients: dict[str, Connection] = {}
        self._open: set[Connection] = set()
        self._touched: set[Connection] = set()
        self._now_s = asyncio.get_running_loop().time
        self._emptied = asyncio.Event()

    async def shut_down(self) -> None:
        """Disconnect every client; Last Wills are not sent."""
        goodbye = mqtt5.DisconnectPacket(reason_code=Reason.SERVER_SHUTTING_DOWN).write()
        while self._open:
            self._emptied.clear()
            for connection in tuple(self._open):
                connection.will = None
                if connection.client is not None:
                    connection.write(goodbye)
                connection.close()
            try:
                async with asyncio.timeout(1):
                    await self._emptied.wait()
            except TimeoutError:
                for connection in tuple(self._open):
                    connection.abort()

    def opened(self, connection: Connection) -> None:
        self._open.add(connection)

    def packet(self, connection: Connection, packet: mqtt5.Packet) -> None:
        self._touched.add(connection)
        if connection.client is None:
            if isinstance(packet, mqtt5.ConnectPacket):
                self._connect(connection, packet)
            else:
                connection.refuse(Reason.PROTOCOL_ERROR, "the first packet is not a CONNECT")
            return
        match packet:
            case mqtt5.PublishPacket():
                self._publish(connection, packet)
            case mqtt5.PubAckPacket():
                connection.write(connection.outbox.acknowledged(packet.packet_id, self._now_s()))
            case mqtt5.SubscribePacket():
                self._subscribe(connection, packet)
            case mqtt5.UnsubscribePacket():
                self._unsubscribe(connection, packet)
            case mqtt5.PingReqPacket():
                connection.write(mqtt5.PingRespPacket().write())
            case mqtt5.DisconnectPacket():
                if packet.reason_code == Reason.NORMAL_DISCONNECTION:
                    connection.will = None
                connection.close()
            case _:
                kind = type(packet).__name__
                connection.refuse(Reason.PROTOCOL_ERROR, f"{kind} is not expected here")

    def flush(self) -> None:
        """Write what the packets so far brought about."""
        while self._touched:
            self._touched.pop().flush()

    def closed(self, connection: Connection) -> None:
        self._open.discard(connection)
        client = connection.client
        if client is not None and self._clients.get(client) is connection:
            self._leave(connection)
        if not self._open:
            self._emptied.set()
        self.flush()

    def _connect(self, connection: Connection, packet: mqtt5.ConnectPacket) -> None:
        refusal = self._objection(packet)
        if refusal is not None:
            code, why = refusal
            log.warning("a CONNECT of %r is refused: %s", packet.client_id, why)
            connection.write(mqtt5.ConnAckPacket(reason_code=code, reason_str=why).write())
            connection.close()
            return
        client = packet.client_id or f"auto-{secrets.token_hex(8)}"
        self._take_over(client)
        connection.client, connection.user = client, packet.username
        connection.will = packet.will
        connection.outbox.largest_packet = packet.max_packet_size
        connection.outbox.receive_max = packet.receive_max
        if self._access is not None:
            user = packet.username or ""
            connection.readable = self._access.readable(user, client)
            connection.writable = self._access.writable(user, client)
        connection.watch_silence(packet.keep_alive)
        self._clients[client] = connection
        connection.write(
            mqtt5.ConnAckPacket(
                session_expiry_interval=0 if packet.session_expiry_interval else None,
                assigned_client_id=None if packet.client_id else client,
                max_qos=mqtt5.QoS.AT_LEAST_ONCE,
                max_packet_size=self.limits.packet_bytes,
            ).write()
        )

    def _objection(self, packet: mqtt5.ConnectPacket) -> tuple[ConnAckReasonCode, str] | None:
        if packet.authentication_method is not None:
            return ConnAckReasonCode.BAD_AUTHENTICATION_METHOD, "only user and password are known"
        if self._access and not self._access.admits(packet.username, packet.password):
            return ConnAckReasonCode.BAD_USER_NAME_OR_PASSWORD, "bad user name or password"
        present = self._clients.get(packet.client_id)
        if present is not None and present.user != packet.username:
            return ConnAckReasonCode.CLIENT_ID_NOT_VALID, "another user has this client id"
        will = packet.will
        if will is None:
            return None
        if will.qos == EXACTLY_ONCE:
            return ConnAckReasonCode.QUALITY_NOT_SUPPORTED, "QoS 2 is not supported"
        if not is_topic(will.topic) or will.topic.startswith("$"):
            return ConnAckReasonCode.TOPIC_NAME_INVALID, "the Last Will has no valid topic"
        if self._access:
            writable = self._access.writable(packet.username or "", packet.client_id)
            if not permitted(writable, will.topic):
                return ConnAckReasonCode.NOT_AUTHORIZED, "not allowed to publish the Last Will"
        return None

    def _take_over(self, client: str) -> None:
        old = self._clients.get(client)
        if old is not None:
            old.refuse(Reason.SESSION_TAKEN_OVER, "another connection uses its client id")
            self._leave(old)

    def _leave(self, connection: Connection) -> None:
        """Take a client off the books; its Last Will and its share of group work go to others."""
        client = connection.client
        assert client is not None
        del self._clients[client]
        self._routing.forget(client)
        for lost in connection.outbox.undelivered():
            again = self._routing.redraw(lost)
            if again is not None:
                self._deliver([again])
        will, connection.will = connection.will, None
        if will is not None:
            message = BrokerMessage.of_will(will, self._now_s())
            self._deliver(self._routing.publish(message, client, self._now_s()))

    def _publish(self, connection: Connection, packet: mqtt5.PublishPacket) -> None:
        if packet.qos == EXACTLY_ONCE:
            connection.refuse(Reason.QOS_NOT_SUPPORTED, "QoS 2 is not supported")
        elif packet.topic_alias is not None:
            connection.refuse(Reason.TOPIC_ALIAS_INVALID, "topic aliases are not supported")
        elif packet.topic.startswith("$"):
            connection.deny("publish to", packet.topic)
            _acknowledge(connection, packet, PubAckReasonCode.TOPIC_NAME_INVALID)
        elif not is_topic(packet.topic):
            connection.refuse(Reason.TOPIC_NAME_INVALID, f"{packet.topic!r} is no topic to publish")
        elif connection.writable is not None and not permitted(connection.writable, packet.topic):
            connection.deny("publish to", packet.topic)
            _acknowledge(connection, packet, PubAckReasonCode.NOT_AUTHORIZED)
        else:
            client, now_s = connection.client or "", self._now_s()
            deliveries = self._routing.publish(BrokerMessage.of(packet, now_s), client, now_s)
            _acknowledge(connection, packet, PubAckReasonCode.SUCCESS)
            self._deliver(deliveries)

    def _subscribe(self, connection: Connection, packet: mqtt5.SubscribePacket) -> None:
        codes = []
        kept: list[Delivery] = []
        for wanted in packet.topic_filters:
            code = _subscription_code(connection, wanted)
            codes.append(code)
            if int(code) < 0x80:
                kept += self._enter(connection, wanted, packet.subscription_id)
            else:
                connection.deny("subscribe to", wanted.pattern)
        connection.write(mqtt5.SubAckPacket(packet.packet_id, codes).write())
        self._deliver(kept)

    def _enter(
        self, connection: Connection, wanted: mqtt5.TopicFilter, identifier: int | None
    ) -> list[Delivery]:
        subscribed = Subscribed(
            connection.client or "",
            0 if wanted.max_qos == AT_MOST_ONCE else 1,
            identifier,
            wanted.no_local,
            wanted.retain_as_published,
        )
        is_new = self._routing.subscribe(wanted.pattern, subscribed)
        handling = wanted.retain_handling
        if handling == mqtt5.RetainHandling.SEND_NEVER:
            return []
        if handling == mqtt5.RetainHandling.SEND_IF_SUBSCRIPTION_NOT_EXISTS and not is_new:
            return []
        return self._routing.retained(wanted.pattern, subscribed, self._now_s())

    def _unsubscribe(self, connection: Connection, packet: mqtt5.UnsubscribePacket) -> None:
        codes = [
            UnsubAckReasonCode.SUCCESS
            if self._routing.unsubscribe(connection.client or "", pattern)
            else UnsubAckReasonCode.NO_SUBSCRIPTION_EXISTED
            for pattern in packet.patterns
        ]
        connection.write(mqtt5.UnsubAckPacket(packet.packet_id, codes).write())

    def _deliver(self, deliveries: Iterable[Delivery]) -> None:
        now_s = self._now_s()
        for delivery in deliveries:
            receiver = self._clients.get(delivery.client)
            if receiver is None:
                continue
            receiver.write(receiver.outbox.send(delivery, now_s))
            self._touched.add(receiver)


def _acknowledge(
    connection: Connection, packet: mqtt5.PublishPacket, code: PubAckReasonCode
) -> None:
    if packet.packet_id is not None:
        connection.write(mqtt5.PubAckPacket(packet.packet_id, reason_code=code).write())


def _subscription_code(connection: Connection, wanted: mqtt5.TopicFilter) -> SubAckReasonCode:
    pattern = wanted.pattern
    if not is_subscribable(pattern) or (wanted.no_local and shared(pattern) is not None):
        return SubAckReasonCode.TOPIC_FILTER_INVALID
    inner = (shared(pattern) or ("", pattern))[1]
    if connection.readable is not None and not permitted(connection.readable, inner):
        return SubAckReasonCode.NOT_AUTHORIZED
    if wanted.max_qos == AT_MOST_ONCE:
        return SubAckReasonCode.GRANTED_QOS_AT_MOST_ONCE
    return SubAckReasonCode.GRANTED_QOS_AT_LEAST_ONCE
