"""The thin MQTT 5 client: the bus of every part of codriver on the embedded or child broker."""

from contextlib import AbstractAsyncContextManager

from vehicle_bus.codec_link import Hello, dial
from vehicle_bus.mqtt_bus import MqttBus, Terms, mqtt_bus


def codec_bus(
    host: str, port: int, hello: Hello, terms: Terms | None = None
) -> AbstractAsyncContextManager[MqttBus]:
    """A client on the `mqtt5` codec, connected for as long as the block runs."""
    return mqtt_bus(
        lambda listener: dial(host, port, hello, listener), hello.client_id, terms or Terms()
    )
