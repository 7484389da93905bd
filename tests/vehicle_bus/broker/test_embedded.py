"""What only the embedded broker promises."""

import asyncio
import socket
from contextlib import AsyncExitStack
from typing import Any

import mqtt5
import pytest
from mqtt5 import DisconnectReasonCode as Reason
from mqtt5 import PubAckReasonCode

from tests.vehicle_bus.broker.raw_client import AT_LEAST_ONCE, client_of, publication, socket_to
from vehicle_bus.broker.acl import Access
from vehicle_bus.broker.connection import ClientLimits
from vehicle_bus.broker.embedded import embedded_broker
from vehicle_bus.bus import BusError
from vehicle_bus.mqtt.packets import LARGEST_PACKET, PacketStream


def connect_3_1_1(level: int = 4) -> bytes:
    return bytes([0x10, 15, 0, 4]) + b"MQTT" + bytes([level, 2, 0, 60, 0, 3]) + b"abc"


async def test_mqtt_3_1_1_is_refused_and_the_log_names_the_way_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with embedded_broker() as port, socket_to(port) as client:
        client.send_bytes(connect_3_1_1())
        answer = await client.receive_bytes()
    assert answer == bytes([0x20, 2, 0, 1])
    [line] = [r.getMessage() for r in caplog.records if "3.1.1" in r.getMessage()]
    assert "mosquitto" in line


async def test_a_version_to_come_is_refused_in_the_words_of_mqtt_5() -> None:
    async with embedded_broker() as port, socket_to(port) as client:
        client.send_bytes(connect_3_1_1(level=6))
        answer = await client.expect(mqtt5.ConnAckPacket)
    assert answer.reason_code == mqtt5.ConnAckReasonCode.UNSUPPORTED_PROTOCOL_VERSION


async def test_qos_2_is_not_offered_and_ends_the_connection() -> None:
    async with embedded_broker() as port, socket_to(port) as client:
        client.send(mqtt5.ConnectPacket("a", clean_start=True))
        assert (await client.expect(mqtt5.ConnAckPacket)).max_qos == AT_LEAST_ONCE
        assert await client.subscribe("t", max_qos=mqtt5.QoS.EXACTLY_ONCE) == [1]
        client.send(mqtt5.PublishPacket("t", b"", qos=mqtt5.QoS.EXACTLY_ONCE, packet_id=1))
        goodbye = await client.hung_up()
    assert goodbye is not None
    assert goodbye.reason_code == Reason.QOS_NOT_SUPPORTED


@pytest.mark.parametrize(
    ("packet", "reason"),
    [
        (publication("t", topic_alias=1), Reason.TOPIC_ALIAS_INVALID),
        (mqtt5.ConnectPacket("again"), Reason.PROTOCOL_ERROR),
        (mqtt5.AuthPacket(), Reason.PROTOCOL_ERROR),
    ],
)
async def test_what_is_not_supported_is_answered_with_its_reason(
    packet: Any, reason: mqtt5.DisconnectReasonCode
) -> None:
    async with embedded_broker() as port, client_of(port, "a") as client:
        client.send(packet)
        goodbye = await client.hung_up()
    assert goodbye is not None
    assert goodbye.reason_code == reason


async def test_a_publication_to_a_topic_of_the_broker_is_dropped_and_nothing_else() -> None:
    async with embedded_broker() as port, client_of(port, "a") as client:
        client.send(publication("$SYS/load"))
        assert await client.publish("$SYS/load") == PubAckReasonCode.TOPIC_NAME_INVALID
        assert await client.publish("t") in (0, 16)


async def test_a_client_learns_why_its_large_packet_is_refused_while_it_sends_it() -> None:
    """The bytes that are underway must not reset the connection before the reason is read."""
    large = publication("t", bytes(LARGEST_PACKET + (4 << 20))).write()
    loop = asyncio.get_running_loop()
    async with embedded_broker() as port, asyncio.timeout(20):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.setblocking(False)
            await loop.sock_sendall(client, mqtt5.ConnectPacket("a").write() + large)
            received = b""
            while data := await loop.sock_recv(client, 1 << 16):
                received += data
    *_, goodbye = PacketStream().feed(received)
    assert isinstance(goodbye, mqtt5.DisconnectPacket)
    assert goodbye.reason_code == Reason.PACKET_TOO_LARGE


async def test_a_wildcard_is_no_topic_to_publish() -> None:
    async with embedded_broker() as port, client_of(port, "a") as client:
        client.send_bytes(b"\x30\x06\0\x03a/+\0")
        goodbye = await client.hung_up()
    assert goodbye is not None
    assert goodbye.reason_code == Reason.TOPIC_NAME_INVALID


async def test_sys_topics_cannot_be_subscribed() -> None:
    async with embedded_broker() as port, client_of(port, "a") as client:
        assert await client.subscribe("$SYS/#", "$share//x", "fine") == [0x8F, 0x8F, 1]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"will": mqtt5.Will("t", qos=mqtt5.QoS.EXACTLY_ONCE)}, 0x9B),
        ({"authentication_method": "SCRAM-SHA-1"}, 0x8C),
        ({"will": mqtt5.Will("codriver/v1/v/session/s/verdict")}, 0x87),
    ],
)
async def test_a_connect_that_asks_too_much_is_refused(options: Any, code: int) -> None:
    access = Access()
    car = access.credentials("car")
    async with embedded_broker(access) as port, socket_to(port) as client:
        client.send(
            mqtt5.ConnectPacket(
                "a", username=car.user, password=car.password.encode(), clean_start=True, **options
            )
        )
        answer = await client.expect(mqtt5.ConnAckPacket)
    assert int(answer.reason_code) == code


async def test_sessions_do_not_outlive_their_connection() -> None:
    async with embedded_broker() as port:
        for _ in range(2):
            async with socket_to(port) as client:
                client.send(mqtt5.ConnectPacket("a", session_expiry_interval=100))
                answer = await client.expect(mqtt5.ConnAckPacket)
                assert (answer.session_present, answer.session_expiry_interval) == (False, 0)


async def test_a_client_id_cannot_be_taken_over_by_another_user() -> None:
    access = Access()
    gateway, agent = access.credentials("gateway"), access.credentials("agent", "v1")
    async with (
        embedded_broker(access) as port,
        client_of(port, "x", username=gateway.user, password=gateway.password.encode()) as first,
        socket_to(port) as thief,
    ):
        thief.send(mqtt5.ConnectPacket("x", username=agent.user, password=agent.password.encode()))
        answer = await thief.expect(mqtt5.ConnAckPacket)
        assert await first.publish("codriver/v1/v1/clock") == 0
    assert int(answer.reason_code) == 0x85


@pytest.mark.parametrize("vin", ["+", "#", "a/b", "", "a\nuser car"])
async def test_an_agent_cannot_name_a_car_that_means_many(vin: str) -> None:
    access = Access()
    assert not access.admits(f"agent.{vin}", access.credentials("agent", vin).password.encode())


async def test_a_client_that_stops_reading_is_disconnected_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    limits = ClientLimits(buffer_bytes=1_000_000)
    async with (
        embedded_broker(limits=limits) as port,
        client_of(port, "stuck", will=mqtt5.Will("gone", payload=b"stuck")) as stuck,
        client_of(port, "watch") as watcher,
        client_of(port, "publisher") as publisher,
    ):
        await stuck.subscribe("t", max_qos=mqtt5.QoS.AT_MOST_ONCE)
        await watcher.subscribe("gone")
        stuck.writer.transport.pause_reading()  # type: ignore[attr-defined]  # a read transport
        while not caplog.records:
            await publisher.publish("t", b"x" * 100_000)
        assert (await watcher.message()).payload == b"stuck"
    assert "'stuck' does not read" in caplog.text


async def test_a_client_that_acknowledges_nothing_gets_its_receive_maximum_only() -> None:
    async with (
        embedded_broker() as port,
        client_of(port, "slow", receive_max=3) as slow,
        client_of(port, "publisher") as publisher,
    ):
        await slow.subscribe("t")
        for n in range(5):
            await publisher.publish("t", b"%d" % n)
        first = [await slow.expect(mqtt5.PublishPacket) for _ in range(3)]
        slow.send(mqtt5.PingReqPacket())
        assert isinstance(await slow.receive(), mqtt5.PingRespPacket)
        slow.send(*(mqtt5.PubAckPacket(packet.packet_id or 0) for packet in first))
        rest = [await slow.message() for _ in range(2)]
    assert [packet.payload for packet in first + rest] == [b"0", b"1", b"2", b"3", b"4"]


async def test_group_work_of_a_lost_member_goes_to_another() -> None:
    async with (
        embedded_broker() as port,
        client_of(port, "publisher") as publisher,
        client_of(port, "steady") as steady,
    ):
        async with client_of(port, "lost") as lost:
            await lost.subscribe("$share/g/job")
            await publisher.publish("job", b"1")
            await lost.expect(mqtt5.PublishPacket)  # and never acknowledged
            await steady.subscribe("$share/g/job")
        assert (await steady.message()).payload == b"1"


async def test_a_message_larger_than_the_client_takes_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with (
        embedded_broker() as port,
        client_of(port, "small", max_packet_size=100) as small,
    ):
        await small.subscribe("t")
        await small.publish("t", b"x" * 200)
        await small.publish("t", b"fits")
        assert (await small.message()).payload == b"fits"
    assert "more than small takes" in caplog.text


async def test_tls_on_the_plain_port_is_named_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async with embedded_broker() as port, socket_to(port) as client:
        client.send_bytes(bytes.fromhex("16030100050100000100"))
        await client.hung_up()
    assert "TLS" in caplog.text


async def test_a_connection_that_says_nothing_is_closed() -> None:
    async with (
        embedded_broker(limits=ClientLimits(connect_s=0.05)) as port,
        socket_to(port) as client,
    ):
        assert await client.receive() is None


async def test_a_port_in_use_is_one_line_that_says_what_to_do() -> None:
    async with embedded_broker() as port:
        with pytest.raises(BusError, match=rf"port {port}: .* choose another") as caught:
            async with embedded_broker(port=port):
                pass
    assert "\n" not in str(caught.value)


async def test_leaving_tells_the_clients_and_closes_the_port() -> None:
    async with AsyncExitStack() as clients:
        async with embedded_broker() as port:
            client = await clients.enter_async_context(client_of(port, "a"))
            silent = await clients.enter_async_context(socket_to(port))
        goodbye = await client.hung_up()
        assert await silent.receive() is None
    assert goodbye is not None
    assert goodbye.reason_code == Reason.SERVER_SHUTTING_DOWN
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
