"""What every broker that carries codriver must do; run against the embedded one and mosquitto."""

import asyncio
import socket
from typing import TypedDict

import mqtt5
import pytest
from mqtt5 import DisconnectReasonCode as Reason

from tests.conftest import BrokerKind, Serve
from tests.vehicle_bus.broker.raw_client import client_of, publication, socket_to
from vehicle_bus.broker.acl import Access, Credentials

NOT_AUTHORIZED = 0x87


class Login(TypedDict):
    username: str
    password: bytes


def login(credentials: Credentials) -> Login:
    return {"username": credentials.user, "password": credentials.password.encode()}


async def test_a_message_arrives_with_the_lower_of_both_qos(serve: Serve) -> None:
    async with serve() as port, client_of(port, "a") as publisher, client_of(port, "b") as reader:
        assert await reader.subscribe("at/most", max_qos=mqtt5.QoS.AT_MOST_ONCE) == [0]
        assert await reader.subscribe("at/least") == [1]
        publisher.send(publication("at/least", b"0"))
        assert await publisher.publish("at/least", b"1") in (0, 16)
        assert await publisher.publish("at/most", b"1") in (0, 16)
        got = [await reader.message() for _ in range(3)]
    assert [(m.topic, m.payload, int(m.qos)) for m in got] == [
        ("at/least", b"0", 0),
        ("at/least", b"1", 1),
        ("at/most", b"1", 0),
    ]


async def test_messages_keep_their_order(serve: Serve) -> None:
    async with serve() as port, client_of(port, "a") as publisher, client_of(port, "b") as reader:
        await reader.subscribe("#")
        publisher.send(*(publication("t", b"%d" % n, packet_id=n) for n in range(1, 301)))
        assert [int((await reader.message()).payload) for _ in range(300)] == list(range(1, 301))


async def test_a_retained_message_waits_for_wildcard_subscribers(serve: Serve) -> None:
    async with serve() as port, client_of(port, "a") as publisher:
        await publisher.publish("car/1/status", b"old", retain=True)
        await publisher.publish("car/1/status", b"on", retain=True)
        await publisher.publish("car/2/status", b"on", retain=True)
        await publisher.publish("car/2/status", b"", retain=True)
        async with client_of(port, "b") as late:
            await late.subscribe("car/+/status", retain_as_published=False)
            kept = await late.message()
            await publisher.publish("car/3/status", b"live", retain=True)
            live = await late.message()
    assert (kept.topic, kept.payload, kept.retain) == ("car/1/status", b"on", True)
    assert (live.topic, live.retain) == ("car/3/status", False)


async def test_unsubscribing_ends_the_messages(serve: Serve) -> None:
    async with serve() as port, client_of(port, "a") as publisher, client_of(port, "b") as reader:
        await reader.subscribe("x", "y")
        reader.send(mqtt5.UnsubscribePacket(2, ["x", "never"]))
        codes = (await reader.expect(mqtt5.UnsubAckPacket)).reason_codes
        await publisher.publish("x")
        await publisher.publish("y")
        assert (await reader.message()).topic == "y"
    assert [int(code) for code in codes] == [0, 17]


async def test_a_shared_subscription_deals_each_message_to_one_member(serve: Serve) -> None:
    async with (
        serve() as port,
        client_of(port, "a") as publisher,
        client_of(port, "w1") as one,
        client_of(port, "w2") as two,
    ):
        await one.subscribe("$share/workers/job/#")
        await two.subscribe("$share/workers/job/#")
        publisher.send(*(publication(f"job/{n}", packet_id=n) for n in range(1, 21)))
        dealt = [[(await worker.message()).topic for _ in range(10)] for worker in (one, two)]
    assert sorted(dealt[0] + dealt[1]) == sorted(f"job/{n}" for n in range(1, 21))


async def test_the_last_will_is_sent_when_a_client_vanishes(serve: Serve) -> None:
    will = mqtt5.Will("status", payload=b"gone", qos=mqtt5.QoS.AT_LEAST_ONCE, retain=True)
    async with serve() as port, client_of(port, "watch") as watcher:
        await watcher.subscribe("status", retain_as_published=False)
        async with client_of(port, "car", will=will) as car:
            car.vanish()
            assert (await watcher.message()).payload == b"gone"
        async with client_of(port, "late") as late:
            await late.subscribe("status")
            assert (await late.message()).retain


async def test_a_normal_goodbye_keeps_the_last_will_unsent(serve: Serve) -> None:
    will = mqtt5.Will("status", payload=b"gone")
    async with serve() as port, client_of(port, "watch") as watcher:
        await watcher.subscribe("#")
        async with client_of(port, "car", will=will) as car:
            car.send(mqtt5.DisconnectPacket())
            assert await car.hung_up() is None
        await watcher.publish("fence")
        assert (await watcher.message()).topic == "fence"


async def test_a_goodbye_may_ask_for_the_last_will(serve: Serve) -> None:
    async with serve() as port, client_of(port, "watch") as watcher:
        await watcher.subscribe("#")
        async with client_of(port, "car", will=mqtt5.Will("status", payload=b"gone")) as car:
            car.send(mqtt5.DisconnectPacket(reason_code=Reason.DISCONNECT_WITH_WILL_MESSAGE))
            assert (await watcher.message()).payload == b"gone"


async def test_request_properties_pass_through(serve: Serve) -> None:
    async with serve() as port, client_of(port, "a") as asker, client_of(port, "b") as car:
        await car.subscribe("command")
        await asker.publish(
            "command",
            b"{}",
            response_topic="reply/a",
            correlation_data=b"\x00\xff17",
            content_type="application/json",
            user_properties=[("k", "1"), ("k", "2")],
        )
        got = await car.message()
    assert (got.response_topic, got.correlation_data) == ("reply/a", b"\x00\xff17")
    assert (got.content_type, got.user_properties) == (
        "application/json",
        [("k", "1"), ("k", "2")],
    )


async def test_subscription_identifiers_come_back(serve: Serve) -> None:
    async with serve() as port, client_of(port, "a") as client:
        client.send(
            mqtt5.SubscribePacket(1, [mqtt5.TopicFilter("a/#")], subscription_id=11),
            mqtt5.SubscribePacket(2, [mqtt5.TopicFilter("a/b")], subscription_id=300),
        )
        await client.expect(mqtt5.SubAckPacket)
        await client.expect(mqtt5.SubAckPacket)
        client.send(publication("a/b"))
        ids: list[int] = []
        while len(ids) < 2:  # one message with both, or one message for each
            ids += (await client.message()).subscription_ids
    assert sorted(ids) == [11, 300]


async def test_a_message_expires_and_says_how_long_it_is_still_good(serve: Serve) -> None:
    async with serve() as port, client_of(port, "a") as publisher:
        await publisher.publish("news", b"x", retain=True, message_expiry_interval=2)
        left: list[int | None] = []
        async with asyncio.timeout(8):
            while True:
                async with client_of(port, "b") as late:
                    await late.subscribe("news")
                    await late.publish("fence", b"")
                    late.send(mqtt5.PingReqPacket())
                    packet = await late.receive()
                    if not isinstance(packet, mqtt5.PublishPacket):
                        break
                    left.append(packet.message_expiry_interval)
                await asyncio.sleep(0.2)
    seconds = [each for each in left if each is not None]
    assert len(seconds) == len(left)
    assert seconds == sorted(seconds, reverse=True)
    assert set(seconds) <= {0, 1, 2}


async def test_a_silent_client_is_let_go_after_its_keep_alive(serve: Serve) -> None:
    will = mqtt5.Will("status", payload=b"gone")
    async with serve() as port, client_of(port, "watch") as watcher:
        await watcher.subscribe("status")
        async with client_of(port, "quiet", keep_alive=1, will=will) as quiet:
            goodbye = await quiet.hung_up()
            assert (await watcher.message()).payload == b"gone"
    assert goodbye is None or goodbye.reason_code == Reason.KEEP_ALIVE_TIMEOUT


async def test_pings_keep_a_connection(serve: Serve) -> None:
    async with serve() as port, client_of(port, "alive", keep_alive=1) as client:
        for _ in range(4):
            client.send(mqtt5.PingReqPacket())
            await client.expect(mqtt5.PingRespPacket)
            await asyncio.sleep(0.5)
        assert await client.publish("t") in (0, 16)


async def test_the_newer_connection_takes_the_session_over(
    serve: Serve, broker_kind: BrokerKind
) -> None:
    async with serve() as port, client_of(port, "same") as old:
        await old.subscribe("t")
        async with client_of(port, "same") as new:
            goodbye = await old.hung_up()
            await new.publish("t")
            await new.subscribe("u")
            await new.publish("u")
            assert (await new.message()).topic == "u"
    if broker_kind == "embedded":  # mosquitto 2.0 hangs up without a word
        assert goodbye is not None
        assert goodbye.reason_code == Reason.SESSION_TAKEN_OVER


async def test_a_client_that_stops_reading_does_not_hold_up_others(serve: Serve) -> None:
    payload = b"x" * 10_000
    async with (
        serve() as port,
        client_of(port, "stuck") as stuck,
        client_of(port, "reader") as reader,
        client_of(port, "publisher") as publisher,
    ):
        await stuck.subscribe("t", max_qos=mqtt5.QoS.AT_MOST_ONCE)
        await reader.subscribe("t", max_qos=mqtt5.QoS.AT_MOST_ONCE)
        stuck.writer.transport.pause_reading()  # type: ignore[attr-defined]  # a read transport
        for _ in range(50):
            publisher.send(*[publication("t", payload)] * 20)
            for _ in range(20):
                assert (await reader.message()).payload == payload


async def test_an_oversize_packet_closes_that_connection_only(serve: Serve) -> None:
    async with serve() as port, client_of(port, "a") as big, client_of(port, "b") as other:
        big.send_bytes(bytes([0x30, 0xFF, 0xFF, 0xFF, 0x02]) + b"\0\1t")  # announces 6 MB
        goodbye = await big.hung_up()
        assert await other.publish("t") in (0, 16)
    assert goodbye is not None
    assert goodbye.reason_code == Reason.PACKET_TOO_LARGE


# The codec panics on the topic that is not UTF-8, and Python reports what it panicked about.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "garbage",
    [
        b"\0" * 40,
        b"\xff" * 40,
        bytes([0x32, 5, 0, 2, 0xFF, 0xFE, 0]),  # a topic that is not UTF-8
        bytes([0x82, 2, 0, 1]),  # SUBSCRIBE without a filter
        bytes([0x30, 4, 0, 200]) + b"ab",  # an inner length beyond the packet
        bytes([0x20, 3, 0, 0, 0]),  # CONNACK is for brokers to send
    ],
)
async def test_garbage_closes_that_connection_only(serve: Serve, garbage: bytes) -> None:
    async with serve() as port, client_of(port, "a") as bad, client_of(port, "b") as other:
        bad.send_bytes(garbage)
        await bad.hung_up()
        async with socket_to(port) as fresh:
            fresh.send_bytes(garbage)
            await fresh.hung_up()
        assert await other.publish("t") in (0, 16)


async def test_a_wrong_password_is_refused(serve: Serve, broker_kind: BrokerKind) -> None:
    access = Access()
    wrong = Credentials("gateway", access.credentials("car").password)
    async with serve(access) as port, socket_to(port) as client:
        client.send(mqtt5.ConnectPacket("x", clean_start=True, **login(wrong)))
        answer = await client.expect(mqtt5.ConnAckPacket)
        await client.hung_up()
    expected = 0x86 if broker_kind == "embedded" else NOT_AUTHORIZED
    assert int(answer.reason_code) == expected


async def test_nobody_gets_in_without_a_login(serve: Serve) -> None:
    async with serve(Access()) as port, socket_to(port) as client:
        client.send(mqtt5.ConnectPacket("x", clean_start=True))
        answer = await client.expect(mqtt5.ConnAckPacket)
    assert int(answer.reason_code) in (0x86, NOT_AUTHORIZED)


@pytest.mark.malformed("topics as payloads")
async def test_a_hostile_agent_reads_its_own_car_only_and_no_judgement(
    serve: Serve, broker_kind: BrokerKind
) -> None:
    """mosquitto grants a subscription and withholds the messages; the embedded broker says no."""
    access = Access()
    secret = [
        "codriver/v1/v1/session/s/control",
        "codriver/v1/v1/session/s/frame",
        "codriver/v1/v1/session/s/end",
        "codriver/v1/v2/command/set_fan",
        "codriver/v1/v1/clock",
    ]
    open_to_agent = ["codriver/v1/v1/status", "codriver/v1/v1/signal/Vehicle/Speed"]
    async with (
        serve(access, agents=("v1",)) as port,
        client_of(port, "agent-1", **login(access.credentials("agent", "v1"))) as agent,
        client_of(port, "gateway-1", **login(access.credentials("gateway"))) as gateway,
        client_of(port, "car-1", **login(access.credentials("car"))) as car,
    ):
        wanted = ["#", "codriver/v1/#", "codriver/v1/v1/#", *secret, "codriver/v1/+/status"]
        wanted += ["codriver/v1/v1/snapshot", "codriver/v1/v1/reply/+", "$share/g/codriver/#"]
        codes = await agent.subscribe(*wanted)
        assert await agent.subscribe(*open_to_agent, "codriver/v1/v1/reply/agent-1") == [1, 1, 1]
        for topic in secret:
            assert await gateway.publish(topic, b"secret") in (0, 16)
        hidden = ["codriver/v1/v1/snapshot", "codriver/v1/v2/status", "codriver/v1/v1/reply/gw-1"]
        for topic in hidden + open_to_agent:
            assert await car.publish(topic, b"car") in (0, 16)
        car.send(publication("codriver/v1/v1/reply/agent-1", b"fence"))
        got: set[str] = set()
        while (message := await agent.message()).payload != b"fence":
            got.add(message.topic)
    assert got == set(open_to_agent)
    if broker_kind == "embedded":
        assert set(codes) == {NOT_AUTHORIZED}


@pytest.mark.malformed("forged payloads")
@pytest.mark.parametrize(
    "topic",
    [
        "codriver/v1/v2/command/set_fan",
        "codriver/v1/v1/snapshot",
        "codriver/v1/v1/session/s/verdict",
        "codriver/v1/v1/signal/Vehicle/Speed",
        "elsewhere",
    ],
)
async def test_a_hostile_agent_may_not_publish_there(serve: Serve, topic: str) -> None:
    access = Access()
    async with (
        serve(access, agents=("v1",)) as port,
        client_of(port, "agent-1", **login(access.credentials("agent", "v1"))) as agent,
        client_of(port, "evaluator-1", **login(access.credentials("evaluator"))) as evaluator,
    ):
        await evaluator.subscribe("codriver/v1/#")
        assert await agent.publish("codriver/v1/v1/command/set_fan", b"1") in (0, 16)
        assert await agent.publish(topic, b"bad") == NOT_AUTHORIZED
        assert await evaluator.publish("codriver/v1/v1/session/s/verdict", b"fence") in (0, 16)
        got = [(await evaluator.message()).payload for _ in range(2)]
    assert got == [b"1", b"fence"]


async def test_the_broker_listens_on_loopback_only(serve: Serve) -> None:
    async with serve() as port:
        with socket.socket() as probe, pytest.raises(OSError, match=r"refused|assign|unreachable"):
            probe.connect(("127.0.0.2", port))
