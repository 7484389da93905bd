"""What both bus clients promise, on both brokers."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

import pytest

from tests.conftest import Serve, free_port
from tests.vehicle_bus.broker.raw_client import client_of
from vehicle_bus.broker.acl import Access
from vehicle_bus.broker.embedded import embedded_broker
from vehicle_bus.bus import (
    Bus,
    BusClosed,
    BusError,
    BusRefused,
    BusTimeout,
    BusUnreachable,
    Message,
    Publication,
    Subscription,
)
from vehicle_bus.client.aiomqtt_link import Remote, aiomqtt_bus
from vehicle_bus.client.codec_link import Hello, codec_bus
from vehicle_bus.client.mqtt_bus import ClientOptions, MqttBus
from vehicle_bus.mqtt.packets import LARGEST_PACKET

Join = Callable[..., AbstractAsyncContextManager[MqttBus]]

pytestmark = pytest.mark.malformed("carries any bytes: no car is there to read them")
COMMAND = "codriver/v1/v1/command/set_fan"


@pytest.fixture(params=["codec", "aiomqtt"])
def join(request: pytest.FixtureRequest) -> Join:
    """Connect a client: `async with join(port, client_id, ...) as bus`."""

    def connect(
        port: int,
        client_id: str,
        *,
        user: str | None = None,
        password: str | None = None,
        will: Publication | None = None,
        options: ClientOptions | None = None,
    ) -> AbstractAsyncContextManager[MqttBus]:
        if request.param == "codec":
            return codec_bus("127.0.0.1", port, Hello(client_id, user, password, will), options)
        remote = Remote("127.0.0.1", port, client_id, user, password, will=will)
        return aiomqtt_bus(remote, options)

    return connect


async def take(subscription: Subscription, number: int) -> list[Message]:
    async with asyncio.timeout(20):
        return [await anext(subscription) for _ in range(number)]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  # the Bus has no event for going away
            await asyncio.sleep(0.005)


@asynccontextmanager
async def answering(bus: Bus) -> AsyncIterator[None]:
    """Answer every command with its own payload for as long as the block runs."""

    async def answer(commands: Subscription) -> None:
        async for asked in commands:
            assert asked.response_topic is not None
            reply = Publication(asked.response_topic, asked.payload, correlation=asked.correlation)
            await bus.publish(reply)

    async with bus.subscribe("codriver/v1/+/command/+") as commands, asyncio.TaskGroup() as tasks:
        task = tasks.create_task(answer(commands))
        yield
        task.cancel()


@pytest.mark.parametrize("qos", [0, 1])
async def test_a_publication_reaches_a_wildcard_subscriber(
    serve: Serve, join: Join, qos: int
) -> None:
    async with (
        serve() as port,
        join(port, "a") as a,
        join(port, "b") as b,
        b.subscribe("car/+/event/#") as events,
    ):
        await a.publish(Publication("car/1/event/arrival/home", b"{}", qos=qos))
        [message] = await take(events, 1)
    assert (message.topic, message.payload) == ("car/1/event/arrival/home", b"{}")
    assert message.mono_ns > 0
    assert not message.retain


async def test_a_burst_arrives_complete_and_in_order(serve: Serve, join: Join) -> None:
    burst = [Publication("t", b"%d" % n) for n in range(2000)]
    async with (
        serve() as port,
        join(port, "a") as a,
        join(port, "b") as b,
        b.subscribe("t") as numbers,
    ):
        await a.publish_all(burst)
        got = await take(numbers, len(burst))
    assert [message.payload for message in got] == [each.payload for each in burst]


async def test_an_empty_burst_is_done_at_once(serve: Serve, join: Join) -> None:
    async with serve() as port, join(port, "a") as a:
        await a.publish_all([])


async def test_a_batch_takes_all_that_is_queued(serve: Serve, join: Join) -> None:
    async with (
        serve() as port,
        join(port, "a") as a,
        a.subscribe("t") as numbers,
    ):
        await a.publish_all([Publication("t", b"%d" % n) for n in range(100)])
        got: list[Message] = []
        async with asyncio.timeout(10):
            while len(got) < 100:
                got += await numbers.batch()
    assert [int(message.payload) for message in got] == list(range(100))


async def test_retained_messages_come_first(serve: Serve, join: Join) -> None:
    async with serve() as port, join(port, "a") as a, join(port, "b") as b:
        await a.publish(Publication("car/1/status", b"online", retain=True))
        async with b.subscribe("car/+/status") as states:
            [kept] = await take(states, 1)
            await a.publish(Publication("car/1/status", b"", retain=True))
            [cleared] = await take(states, 1)
        async with b.subscribe("car/+/status", "fence") as states:
            await a.publish(Publication("fence", b""))
            [only] = await take(states, 1)
    assert (kept.payload, kept.retain) == (b"online", True)
    assert cleared.payload == b""
    assert only.topic == "fence"


async def test_overlapping_subscriptions_get_each_message_once(serve: Serve, join: Join) -> None:
    async with (
        serve() as port,
        join(port, "a") as a,
        a.subscribe("t/#") as wide,
        a.subscribe("t/1") as narrow,
    ):
        await a.publish_all([Publication("t/1", b"1"), Publication("t/2", b"2")])
        assert [m.topic for m in await take(wide, 2)] == ["t/1", "t/2"]
        await a.publish(Publication("t/1", b"3"))
        assert [m.payload for m in await take(narrow, 2)] == [b"1", b"3"]


async def test_two_subscriptions_to_one_filter_are_independent(serve: Serve, join: Join) -> None:
    async with (
        serve() as port,
        join(port, "a") as a,
        a.subscribe("t") as lasting,
    ):
        async with a.subscribe("t") as passing:
            await a.publish(Publication("t", b"1"))
            assert [m.payload for m in await take(passing, 1)] == [b"1"]
        await a.publish(Publication("t", b"2"))
        assert [m.payload for m in await take(lasting, 2)] == [b"1", b"2"]


async def test_shared_subscriptions_split_the_work(serve: Serve, join: Join) -> None:
    async with (
        serve() as port,
        join(port, "a") as a,
        join(port, "b") as b,
        a.subscribe("$share/g/job") as one,
        b.subscribe("$share/g/job") as two,
    ):
        await a.publish_all([Publication("job", b"%d" % n) for n in range(10)])
        dealt = await take(one, 5) + await take(two, 5)
    assert sorted(int(message.payload) for message in dealt) == list(range(10))


async def test_a_tiny_queue_slows_the_bus_down_and_loses_nothing(serve: Serve, join: Join) -> None:
    number = 3000
    payload = b"x" * 1000
    async with (
        serve() as port,
        join(port, "a") as a,
        join(port, "b") as b,
        b.subscribe("t", queue=2) as slow,
        asyncio.TaskGroup() as tasks,
    ):
        burst = [Publication("t", b"%d " % n + payload) for n in range(number)]
        tasks.create_task(a.publish_all(burst))
        got = []
        async with asyncio.timeout(30):
            for _ in range(number):
                got.append(await anext(slow))
                await asyncio.sleep(0)
    assert [int(message.payload.split()[0]) for message in got] == list(range(number))


async def test_a_full_queue_does_not_make_a_client_wait_for_itself(
    serve: Serve, join: Join
) -> None:
    async with (
        serve() as port,
        join(port, "a") as a,
        asyncio.timeout(20),
        a.subscribe("in", queue=1) as incoming,
        a.subscribe("out") as outgoing,
    ):
        await a.publish_all([Publication("in", b"%d" % n) for n in range(200)])
        for message in await take(incoming, 200):
            await a.publish(Publication("out", message.payload))
        assert [int(m.payload) for m in await take(outgoing, 200)] == list(range(200))


async def test_a_request_is_answered(serve: Serve, join: Join) -> None:
    async with (
        serve() as port,
        join(port, "car") as car,
        join(port, "gw") as gateway,
        answering(car),
    ):
        reply = await gateway.request(Publication(COMMAND, b"{}"), timeout_s=5)
    assert (reply.topic, reply.payload) == ("codriver/v1/v1/reply/gw", b"{}")


async def test_many_requests_find_their_own_answers(serve: Serve, join: Join) -> None:
    async with serve() as port, join(port, "car") as car, join(port, "gw") as gateway:

        async def ask(n: int) -> None:
            command = Publication(f"codriver/v1/v{n % 7}/command/x", b"%d" % n)
            assert (await gateway.request(command, timeout_s=10)).payload == b"%d" % n

        async with answering(car), asyncio.TaskGroup() as tasks:
            for n in range(200):
                tasks.create_task(ask(n))


async def test_a_request_may_name_its_reply_topic(serve: Serve, join: Join) -> None:
    async with (
        serve() as port,
        join(port, "a") as a,
        answering(a),
    ):
        command = Publication(COMMAND, b"{}")
        reply = await a.request(command, timeout_s=5, reply_topic="my/replies")
        assert reply.topic == "my/replies"
        with pytest.raises(BusError, match="reply_topic"):
            await a.request(Publication("elsewhere", b""), timeout_s=5)


async def test_a_request_nobody_answers_times_out(serve: Serve, join: Join) -> None:
    async with serve() as port, join(port, "gw") as gateway:
        with pytest.raises(BusTimeout, match=f"no answer to {COMMAND} within 0.1 s"):
            await gateway.request(Publication(COMMAND, b"{}"), timeout_s=0.1)


async def test_the_last_will_tells_that_a_client_is_gone(serve: Serve, join: Join) -> None:
    will = Publication("status", b"offline", retain=True)
    async with serve() as port, join(port, "watch") as watch, watch.subscribe("status") as states:
        with suppress(BusError):  # the embedded broker tells it that it was taken over
            async with join(port, "car", will=will) as car:
                await car.publish(Publication("status", b"online", retain=True))
                async with client_of(port, "car"):
                    await until(lambda: not car.connected)
        assert [m.payload for m in await take(states, 2)] == [b"online", b"offline"]


async def test_a_client_whose_id_is_used_again_ends_and_says_so(join: Join) -> None:
    async with embedded_broker() as port:
        with pytest.raises(BusError, match="another client connected as car"):
            async with join(port, "car") as car, client_of(port, "car"):
                await car.reconnected(0)


async def test_leaving_normally_sends_no_last_will(serve: Serve, join: Join) -> None:
    will = Publication("status", b"offline")
    async with serve() as port, join(port, "watch") as watch, watch.subscribe("#") as all_of_it:
        async with join(port, "car", will=will):
            pass
        await watch.publish(Publication("fence", b""))
        assert [m.topic for m in await take(all_of_it, 1)] == ["fence"]


async def test_a_stopped_broker_is_found_again_with_all_subscriptions(
    serve: Serve, join: Join
) -> None:
    port = free_port()
    waiting = [Publication("t/2", b"%d" % n) for n in range(50)]
    async with (
        Outage(serve, port) as outage,
        join(port, "a") as bus,
        bus.subscribe("t/+") as messages,
        asyncio.TaskGroup() as tasks,
    ):
        assert (bus.connected, bus.reconnects) == (True, 0)
        await outage.begin()
        await until(lambda: not bus.connected)
        published = tasks.create_task(bus.publish_all(waiting))
        await outage.end()
        assert await asyncio.wait_for(bus.reconnected(0), 10) == 1
        await published
        assert [int(m.payload) for m in await take(messages, 50)] == list(range(50))
        assert (bus.connected, bus.reconnects) == (True, 1)


async def test_a_request_survives_an_outage_that_is_shorter_than_its_timeout(
    serve: Serve, join: Join
) -> None:
    port = free_port()
    async with Outage(serve, port) as outage, join(port, "a") as bus, answering(bus):
        await outage.begin()
        async with asyncio.TaskGroup() as tasks:
            asking = tasks.create_task(bus.request(Publication(COMMAND, b"{}"), timeout_s=20))
            await outage.end()
            assert (await asking).payload == b"{}"
    assert bus.reconnects == 1


async def test_what_was_acknowledged_was_delivered(serve: Serve, join: Join) -> None:
    """Through two outages; a subscriber that was there gets every number the broker took."""
    port = free_port()
    numbers = range(600)
    async with (
        Outage(serve, port) as outage,
        join(port, "a") as bus,
        bus.subscribe("t") as messages,
        asyncio.TaskGroup() as tasks,
    ):
        for part in (numbers[:200], numbers[200:400], numbers[400:]):
            burst = [Publication("t", b"%d" % n) for n in part]
            publishing = tasks.create_task(bus.publish_all(burst))
            if part[0]:
                await outage.begin()
                await outage.end()
            await publishing
            await bus.publish(Publication("t", b"fence"))
            got = set()
            async with asyncio.timeout(20):
                while (message := await anext(messages)).payload != b"fence":
                    got.add(int(message.payload))
            assert got >= set(part)


async def test_a_client_that_gives_up_says_so(serve: Serve, join: Join) -> None:
    port = free_port()
    async with Outage(serve, port) as outage:
        joining = join(port, "a", options=ClientOptions(give_up_s=0.2))
        with pytest.raises(BusUnreachable, match=r"within 0.2 s; check"):  # noqa: PT012
            async with joining as bus, asyncio.timeout(20):
                await outage.begin()
                await bus.reconnected(0)


async def test_an_unreachable_broker_is_one_sentence_that_says_what_to_check(join: Join) -> None:
    with pytest.raises(BusUnreachable, match=r"127\.0\.0\.1:1\b.* check") as caught:
        async with join(1, "a"):
            pass
    assert "\n" not in str(caught.value)


async def test_a_wrong_password_is_reported_and_not_tried_again(serve: Serve, join: Join) -> None:
    async with serve(Access()) as port:
        with pytest.raises(BusRefused, match="refused the connection"):
            async with join(port, "a", user="car", password="wrong"):
                pass


async def test_a_refused_publication_is_reported(serve: Serve, join: Join) -> None:
    access = Access()
    observer = access.credentials("observer")
    async with (
        serve(access) as port,
        join(port, "a", user=observer.user, password=observer.password) as bus,
    ):
        with pytest.raises(BusRefused, match=f"{COMMAND}.*[Nn]ot authorized"):
            await bus.publish(Publication(COMMAND, b"{}"))
        with pytest.raises(BusRefused, match=r"[Nn]ot authorized"):
            await bus.request(Publication(COMMAND, b"{}"), timeout_s=5)


async def test_a_message_that_cannot_be_sent_is_reported_and_the_bus_goes_on(
    serve: Serve, join: Join
) -> None:
    async with serve() as port, join(port, "a") as bus, bus.subscribe("t") as messages:
        with pytest.raises(BusError, match="too large"):
            await bus.publish(Publication("t", b"x" * (LARGEST_PACKET + 1)))
        with pytest.raises(BusError, match="cannot publish to 't/#'"):
            await bus.publish(Publication("t/#", b""))
        await bus.publish(Publication("t", b"fine"))
        assert [m.payload for m in await take(messages, 1)] == [b"fine"]
    assert bus.reconnects == 0


async def test_an_error_in_the_block_comes_out_as_it_is(serve: Serve, join: Join) -> None:
    async with serve() as port:
        with pytest.raises(KeyError):
            async with join(port, "a"):
                raise KeyError("mine")


async def test_waiting_requests_fail_when_the_bus_closes(serve: Serve, join: Join) -> None:
    async with serve() as port, asyncio.TaskGroup() as tasks:
        async with join(port, "a") as bus, bus.subscribe("t") as messages:
            tasks.create_task(reads_the_end(bus))
            async with bus.subscribe(COMMAND) as commands:
                await take(commands, 1)  # so it waits for the answer now
        with pytest.raises(BusClosed):
            await bus.publish(Publication("t", b""))
        with pytest.raises(StopAsyncIteration):
            await anext(messages)


async def reads_the_end(bus: Bus) -> None:
    with pytest.raises(BusClosed):
        await bus.request(Publication(COMMAND, b""), timeout_s=20)


async def test_a_lost_broker_is_in_the_log(
    serve: Serve, join: Join, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "vehicle_bus.client.mqtt_bus")
    port = free_port()
    async with Outage(serve, port) as outage, join(port, "a") as bus:
        await outage.begin()
        await outage.end()
        await asyncio.wait_for(bus.reconnected(0), 10)
    assert "a lost the broker and tries again" in caplog.text
    assert "a is back at the broker" in caplog.text


class Outage:
    """A broker that can be stopped and started again on its port."""

    def __init__(self, serve: Serve, port: int) -> None:
        self._serve = serve
        self._port = port

    async def __aenter__(self) -> "Outage":
        await self.end()
        return self

    async def begin(self) -> None:
        await self._running.__aexit__(None, None, None)
        self._up = False

    async def end(self) -> None:
        self._running = self._serve(port=self._port)
        await self._running.__aenter__()
        self._up = True

    async def __aexit__(self, *_: object) -> None:
        if self._up:
            await self.begin()


async def test_nothing_goes_on_for_a_client_that_is_cancelled_while_it_connects() -> None:
    """paho connects in a thread."""
    async with embedded_broker() as port:
        before = asyncio.all_tasks()

        async def hold() -> None:
            async with aiomqtt_bus(Remote("127.0.0.1", port, "a")):
                await asyncio.Event().wait()

        connecting = asyncio.create_task(hold())
        for _ in range(3):
            await asyncio.sleep(0)
        connecting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await connecting
        await asyncio.get_running_loop().shutdown_default_executor()
        left = asyncio.all_tasks() - before
        assert not [each for each in left if "broker" not in str(each.get_coro())]
