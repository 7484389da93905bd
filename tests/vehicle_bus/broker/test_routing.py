from typing import Any

import mqtt5

from vehicle_bus.broker.broker_message import BrokerMessage
from vehicle_bus.broker.client_queue import ClientQueue
from vehicle_bus.broker.routing import Delivery, Routing, Subscribed
from vehicle_bus.mqtt.packets import PacketStream


def message(
    topic: str, payload: bytes = b"x", *, now_s: float = 0, **options: Any
) -> BrokerMessage:
    return BrokerMessage.of(mqtt5.PublishPacket(topic, payload, **options), now_s)


def receivers(deliveries: list[Delivery]) -> list[str]:
    return [delivery.client for delivery in deliveries]


def test_overlapping_filters_of_one_client_make_one_delivery_with_all_identifiers() -> None:
    routing = Routing()
    routing.subscribe("t/#", Subscribed("a", 0, identifier=1))
    routing.subscribe("t/+", Subscribed("a", 1, identifier=2))
    at_least_once = BrokerMessage(mqtt5.PublishPacket("t/x", b""), qos=1)
    [delivery] = routing.publish(at_least_once, "b", 0)
    assert (delivery.qos, sorted(delivery.ids)) == (1, [1, 2])


def test_no_local_keeps_a_message_from_its_sender() -> None:
    routing = Routing()
    routing.subscribe("t", Subscribed("a", 0, no_local=True))
    routing.subscribe("t", Subscribed("b", 0, no_local=True))
    assert receivers(routing.publish(message("t"), "a", 0)) == ["b"]


def test_each_group_gets_a_message_once_in_turn() -> None:
    routing = Routing()
    for client in ("a", "b"):
        routing.subscribe("$share/one/t", Subscribed(client, 0))
    routing.subscribe("$share/two/t", Subscribed("c", 0))
    drawn = [receivers(routing.publish(message("t"), "x", 0)) for _ in range(4)]
    assert [each.count("c") for each in drawn] == [1, 1, 1, 1]
    assert sorted(name for each in drawn for name in each if name != "c") == ["a", "a", "b", "b"]


def test_an_empty_group_is_forgotten() -> None:
    routing = Routing()
    routing.subscribe("$share/g/t", Subscribed("a", 0))
    routing.forget("a")
    assert routing.publish(message("t"), "x", 0) == []
    assert not routing.unsubscribe("a", "$share/g/t")


def test_a_retained_message_expires() -> None:
    routing = Routing()
    kept = message("t", retain=True, message_expiry_interval=10)
    routing.publish(kept, "x", 0)
    reader = Subscribed("a", 1)
    assert len(routing.retained("#", reader, 9.9)) == 1
    assert routing.retained("#", reader, 10) == []


def test_the_rest_of_the_expiry_is_sent_with_the_message() -> None:
    kept = message("t", retain=True, message_expiry_interval=10)
    wire = ClientQueue().send(Delivery("a", kept, 0, retain=True), 7.5)
    [packet] = PacketStream().feed(wire)
    assert isinstance(packet, mqtt5.PublishPacket)
    assert (packet.message_expiry_interval, packet.retain) == (3, True)


def test_a_message_that_expires_while_it_waits_is_not_sent() -> None:
    outbox = ClientQueue(receive_max=1)
    lasting, passing = message("t", b"1"), message("t", b"2", message_expiry_interval=1)
    assert outbox.send(Delivery("a", lasting, 1), 0) != b""
    assert outbox.send(Delivery("a", passing, 1), 0) == b""
    assert outbox.held_bytes == 4
    assert outbox.acknowledged(1, 5) == b""
    assert (outbox.held_bytes, outbox.undelivered()) == (0, [])
