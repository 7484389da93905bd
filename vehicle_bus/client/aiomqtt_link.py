"""A link on aiomqtt: TLS, and MQTT 3.1.1 where a broker speaks nothing newer.

aiomqtt brings paho into the event loop, and that is what it is used for. Its own publish and
message queue are left aside: they do not say why a publication was refused, do not notice a lost
broker before a timeout, and start a task per message. So the callbacks of the paho client are taken
over once it is connected. Nagle's algorithm, which paho leaves on, is switched off: it costs 40 ms
per acknowledgement.
"""

import asyncio
import logging
import socket
import ssl
import time
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import aiomqtt
import paho.mqtt.client as paho
from aiomqtt import ProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from vehicle_bus.bus import BusError, BusRefused, BusUnreachable, Message, Publication
from vehicle_bus.client.link import Listener
from vehicle_bus.client.mqtt_bus import ClientOptions, MqttBus, mqtt_bus

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 5.0
WINDOW = 10_000  # paho itself keeps twenty on the wire, which is what brokers take by default
HEADROOM = 64  # bytes of a packet beside its payload and names, at most
PERMANENT = (132, 133, 134, 135, 138)  # reason codes that will be the same next time
UNSUPPORTED_PROTOCOL = 132
SESSION_TAKEN_OVER = 142
OTHER_VERSION = "; for MQTT 3.1.1 end the broker URL in ?protocol=3.1.1"
UNKNOWN_CA = "name the file with the certificates of its CA: mqtts://…?ca=FILE"
CHECK = "check host, port, and mqtt:// or mqtts://"
NODELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@dataclass(frozen=True, slots=True)
class Remote:
    """A broker elsewhere, and what this client says to it."""

    host: str
    port: int
    client_id: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: bool = False
    ca_file: str | None = None
    protocol: Literal["5", "3.1.1"] = "5"
    will: Publication | None = None
    keep_alive_s: int = 30

    @property
    def is_v5(self) -> bool:
        return self.protocol == "5"


class AiomqttLink:
    """Implements Link on a connected aiomqtt client."""

    window = WINDOW
    congested = False

    def __init__(self, remote: Remote, listener: Listener) -> None:
        self._remote = remote
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._numbers: dict[int, int] = {}  # paho's message id -> number of the publication
        self._asked: dict[int, int] = {}  # paho's message id -> subscription identifier
        self._largest_packet: int | None = None
        self._closing = False
        self._logged_full = False
        self._client = _client(remote)
        self._paho = self._client._client
        self._note_limits()

    async def open(self) -> None:
        """Connect. BusUnreachable: trying again may help; BusRefused: it will not."""
        where = f"{self._remote.host}:{self._remote.port}"
        try:
            await self._client.__aenter__()
        except aiomqtt.exceptions.MqttConnectError as error:
            value = error.rc.value if isinstance(error.rc, ReasonCode) else error.rc
            kind = BusRefused if value in PERMANENT else BusUnreachable
            advice = OTHER_VERSION if value == UNSUPPORTED_PROTOCOL else ""
            raise kind(f"the broker at {where} refused the connection: {error}{advice}") from error
        except aiomqtt.MqttError as error:
            advice = UNKNOWN_CA if "CERTIFICATE_VERIFY_FAILED" in str(error) else CHECK
            raise BusUnreachable(
                f"no MQTT broker answers at {where} ({error}); {advice}"
            ) from error
        self._paho.on_message = self._on_message
        self._paho.on_publish = self._on_publish
        self._paho.on_subscribe = self._on_subscribe
        self._paho.on_unsubscribe = None
        self._client._disconnected.add_done_callback(self._on_disconnected)

    def publish(self, publication: Publication, number: int) -> None:
        self._check_size(publication)
        try:
            sent = self._paho.publish(
                publication.topic,
                publication.payload,
                publication.qos,
                publication.retain,
                self._publish_properties(publication),
            )
        except ValueError as error:
            raise BusError(f"cannot publish to {publication.topic!r}: {error}") from error
        if publication.qos and sent.rc == paho.MQTT_ERR_SUCCESS:
            self._numbers[sent.mid] = number

    def subscribe(self, pattern: str, qos: int, identifier: int) -> None:
        if not self._remote.is_v5:
            _, mid = self._paho.subscribe(pattern, qos)
        else:
            properties = Properties(PacketTypes.SUBSCRIBE)  # type: ignore[no-untyped-call]  # paho's gap
            properties.SubscriptionIdentifier = identifier
            options = SubscribeOptions(qos=qos, retainAsPublished=False)
            _, mid = self._paho.subscribe(pattern, options=options, properties=properties)
        if mid is not None:
            self._asked[mid] = identifier

    def unsubscribe(self, pattern: str) -> None:
        self._paho.unsubscribe(pattern)

    def pause(self) -> None:
        """Go on reading, into memory: a broker that has to wait drops messages after a while.

        mosquitto, for one, keeps a thousand for a client by default. Ours keeps them all, but
        about somebody else's we cannot know.
        """
        if not self._logged_full:
            self._logged_full = True
            log.warning("a queue of %s is full; messages pile up in memory", self._remote.client_id)

    def resume(self) -> None:
        self._logged_full = False

    async def close(self) -> None:
        self._closing = True
        with suppress(aiomqtt.MqttError):
            await self._client.__aexit__(None, None, None)

    def _note_limits(self) -> None:
        """Read the largest packet from CONNACK on its way to aiomqtt, which does not keep it."""
        greet = self._paho.on_connect

        def on_connect(*arguments: Any) -> None:
            self._largest_packet = getattr(arguments[-1], "MaximumPacketSize", None)
            assert greet is not None
            greet(*arguments)

        self._paho.on_connect = on_connect

    def _check_size(self, publication: Publication) -> None:
        names = len(publication.topic) + len(publication.response_topic or "")
        size = len(publication.payload) + names + HEADROOM
        if self._largest_packet is not None and size > self._largest_packet:
            raise BusError(
                f"a message of {len(publication.payload)} bytes to {publication.topic} is too "
                f"large: the broker takes {self._largest_packet}"
            )

    def _publish_properties(self, publication: Publication) -> Properties | None:
        if not self._remote.is_v5:
            return None
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho's gap
        if publication.response_topic is not None:
            properties.ResponseTopic = publication.response_topic
        if publication.correlation is not None:
            properties.CorrelationData = publication.correlation
        if publication.expiry_s is not None:
            properties.MessageExpiryInterval = publication.expiry_s
        if publication.user_properties:
            properties.UserProperty = list(publication.user_properties)
        return properties

    def _on_message(self, client: paho.Client, userdata: Any, message: paho.MQTTMessage) -> None:
        mono_ns = time.monotonic_ns()
        properties = message.properties
        arrived = Message(
            message.topic,
            bytes(message.payload),
            message.retain,
            mono_ns,
            getattr(properties, "ResponseTopic", None),
            getattr(properties, "CorrelationData", None),
        )
        identifiers = getattr(properties, "SubscriptionIdentifier", ())
        if not self._listener.received(arrived, identifiers):
            self.pause()

    def _on_publish(
        self, client: paho.Client, userdata: Any, mid: int, code: ReasonCode, properties: Properties
    ) -> None:
        number = self._numbers.pop(mid, None)
        if number is not None:
            refusal = str(code) if code.is_failure else None
            # Not from within paho's callback: the listener may publish, and paho holds its locks.
            self._loop.call_soon(self._listener.acknowledged, number, refusal)

    def _on_subscribe(
        self,
        client: paho.Client,
        userdata: Any,
        mid: int,
        codes: list[ReasonCode],
        properties: Properties,
    ) -> None:
        refusal = str(codes[0]) if codes[0].is_failure else None
        identifier = self._asked.pop(mid, 0)
        self._loop.call_soon(self._listener.granted, identifier, refusal)

    def _on_disconnected(self, gone: "asyncio.Future[None]") -> None:
        error = gone.exception()
        if self._closing:
            return
        code = getattr(error, "rc", None)
        final = None
        if isinstance(code, ReasonCode) and code.value == SESSION_TAKEN_OVER:
            final = BusError(f"another client connected as {self._remote.client_id}")
        self._listener.lost(final)


async def dial(remote: Remote, listener: Listener) -> AiomqttLink:
    """Open a link. BusUnreachable: trying again may help; BusRefused: it will not."""
    link = AiomqttLink(remote, listener)
    opening = asyncio.create_task(link.open(), name=f"connecting {remote.client_id}")
    try:
        await asyncio.shield(opening)
    except asyncio.CancelledError:
        # paho connects in a thread, which cannot be stopped and would wake a loop that is closed
        with suppress(BusError):
            await opening
            await link.close()
        raise
    return link


def _client(remote: Remote) -> aiomqtt.Client:
    will = remote.will
    return aiomqtt.Client(
        remote.host,
        remote.port,
        identifier=remote.client_id,
        username=remote.user,
        password=remote.password,
        protocol=ProtocolVersion.V5 if remote.is_v5 else ProtocolVersion.V311,
        will=None
        if will is None
        else aiomqtt.Will(will.topic, will.payload, will.qos, will.retain),
        clean_session=None if remote.is_v5 else True,
        timeout=CONNECT_TIMEOUT_S,
        keepalive=remote.keep_alive_s,
        tls_context=ssl.create_default_context(cafile=remote.ca_file) if remote.tls else None,
        socket_options=[NODELAY],
    )


__all__ = ["Remote", "aiomqtt_bus"]


def aiomqtt_bus(
    remote: Remote, options: ClientOptions | None = None
) -> AbstractAsyncContextManager[MqttBus]:
    """A client on aiomqtt, connected for as long as the block runs."""
    options = replace(options or ClientOptions(), by_call_id=not remote.is_v5)
    return mqtt_bus(lambda listener: dial(remote, listener), remote.client_id, options)
