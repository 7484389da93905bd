"""One message on its way through the broker."""

from dataclasses import dataclass
from math import ceil

import mqtt5


@dataclass(frozen=True, slots=True)
class BrokerMessage:
    """A published packet, its QoS as a number, and when it is no longer worth delivering."""

    packet: mqtt5.PublishPacket
    qos: int
    expires_at_s: float | None = None

    @classmethod
    def of(cls, packet: mqtt5.PublishPacket, now_s: float) -> "BrokerMessage":
        expiry_s = packet.message_expiry_interval
        return cls(packet, int(packet.qos), None if expiry_s is None else now_s + expiry_s)

    @classmethod
    def of_will(cls, will: mqtt5.Will, now_s: float) -> "BrokerMessage":
        qos = int(will.qos)
        packet = mqtt5.PublishPacket(
            will.topic,
            will.payload or b"",
            qos=will.qos,
            retain=will.retain,
            packet_id=1 if qos else None,
            payload_format_indicator=will.payload_format_indicator,
            message_expiry_interval=will.message_expiry_interval,
            content_type=will.content_type,
            response_topic=will.response_topic,
            correlation_data=will.correlation_data,
            user_properties=will.user_properties,
        )
        return cls.of(packet, now_s)

    def expired(self, now_s: float) -> bool:
        return self.expires_at_s is not None and now_s >= self.expires_at_s

    def wire(
        self, *, qos: int, packet_id: int | None, retain: bool, ids: tuple[int, ...], now_s: float
    ) -> bytes:
        """The packet for one receiver; the expiry it carries is what is left of it, in seconds."""
        packet = self.packet
        left_s = None if self.expires_at_s is None else max(1, ceil(self.expires_at_s - now_s))
        return mqtt5.PublishPacket(
            packet.topic,
            packet.payload,
            qos=mqtt5.QoS.AT_LEAST_ONCE if qos else mqtt5.QoS.AT_MOST_ONCE,
            retain=retain,
            packet_id=packet_id,
            payload_format_indicator=packet.payload_format_indicator,
            message_expiry_interval=left_s,
            content_type=packet.content_type,
            response_topic=packet.response_topic,
            correlation_data=packet.correlation_data,
            subscription_ids=list(ids),
            user_properties=packet.user_properties,
        ).write()
