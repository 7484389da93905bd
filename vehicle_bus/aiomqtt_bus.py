"""The client for brokers of your own, on aiomqtt."""

from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from vehicle_bus.aiomqtt_link import Remote, dial
from vehicle_bus.mqtt_bus import MqttBus, Terms, mqtt_bus

__all__ = ["Remote", "aiomqtt_bus"]


def aiomqtt_bus(remote: Remote, terms: Terms | None = None) -> AbstractAsyncContextManager[MqttBus]:
    """A client on aiomqtt, connected for as long as the block runs."""
    terms = replace(terms or Terms(), by_call_id=not remote.is_v5)
    return mqtt_bus(lambda listener: dial(remote, listener), remote.client_id, terms)
