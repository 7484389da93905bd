import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import orjson
import pytest
from pydantic import ValidationError

from tests.vehicle_bus.cars import car
from tests.vehicle_bus.small_world import BER, MUN, SMALL, route_id, world_file
from vehicle_bus.broker.choose import broker, connect
from vehicle_bus.bus import Bus, Message, Publication, Subscription
from vehicle_bus.car.state import CarSetup, PlannedEvent, UnderWay
from vehicle_bus.contract import (
    LARGEST_COUNT,
    CarStatus,
    Clock,
    Command,
    Reply,
    Topics,
    decode,
    encode,
)
from vehicle_bus.host.host import VehicleHost, host_status, last_will, vehicle_host
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

TOPICS = Topics()
VIN = "run-task-0"
SECOND = 1_000_000_000


class HostRig:
    """A host, a bus that sends commands, and every message on the broker."""

    def __init__(self, host: VehicleHost, asking: Bus, received: Subscription) -> None:
        self.host = host
        self.asking = asking
        self._received = received

    async def ask(self, tool: str, vin: str = VIN, **fields: Any) -> Reply:
        answer = await self.asking.request(self.command(tool, vin, **fields), timeout_s=5)
        return decode(Reply, answer.payload)

    def command(self, tool: str, vin: str = VIN, **fields: Any) -> Publication:
        payload = encode(Command(**{"call_id": "call-1", "src": "gateway", **fields}))
        return Publication(TOPICS.command(vin, tool), payload)

    async def until(self, suffix: str) -> list[Message]:
        """All messages up to the first whose topic ends like this."""
        messages: list[Message] = []
        async with asyncio.timeout(5):
            async for message in self._received:
                messages.append(message)
                if message.topic.endswith(suffix):
                    break
        return messages

    async def retained(self) -> dict[str, bytes]:
        return await retained(self.asking)


async def retained(gateway: Bus) -> dict[str, bytes]:
    """What a newcomer finds on the broker, by topic."""
    found = {}
    marker = TOPICS.clock("marker")
    async with gateway.subscribe(TOPICS.everything()) as late:
        await gateway.publish(Publication(marker, b"{}"))
        async with asyncio.timeout(5):
            async for message in late:
                if message.topic == marker:
                    break
                found[message.topic] = message.payload
    return found


@asynccontextmanager
async def host_rig(
    signals: Literal["changes", "all"] = "changes",
    keep_retained: bool = False,
    motion_hz: int = 1,
) -> AsyncIterator[HostRig]:
    async with (
        broker(None) as address,
        connect(address, "evaluator") as evaluator,
        connect(address, "car", client_id="garage") as cars,
        connect(address, "gateway", client_id="gateway") as asking,
        evaluator.subscribe(TOPICS.everything()) as received,
        vehicle_host(
            cars, TOPICS, signals=signals, keep_retained=keep_retained, motion_hz=motion_hz
        ) as host,
    ):
        yield HostRig(host, asking, received)


def fields(message: Message) -> dict[str, Any]:
    decoded: dict[str, Any] = orjson.loads(message.payload)
    return decoded


def below(topics: dict[str, bytes], vin: str = VIN) -> set[str]:
    return {topic for topic in topics if topic.startswith(f"{TOPICS.prefix}/{vin}/")}


async def test_a_placed_car_introduces_itself() -> None:
    async with host_rig() as on:
        await on.host.place(VIN, car())
        received = [m for m in await on.until(f"{VIN}/snapshot") if VIN in m.topic]
        status, capabilities, snapshot = map(fields, received)
        assert status["online"] is True
        assert len(capabilities["tools"]) == 58
        assert (snapshot["revision"], snapshot["state"]) == (0, car().snapshot())
        assert [m["seq"] for m in (status, capabilities, snapshot)] == [1, 2, 3]
        assert {TOPICS.status(VIN), TOPICS.capabilities(VIN), TOPICS.snapshot(VIN)} == (
            below(await on.retained())
        )


async def test_a_change_is_published_as_signals_then_snapshot_then_reply() -> None:
    async with host_rig() as on:
        await on.host.place(VIN, car())
        arguments = {"window": "ALL", "percentage": 40}
        reply = await on.ask("open_close_window", arguments=arguments, n=50, at_ns=7)
        assert (reply.status, reply.revision_before, reply.revision_after) == ("SUCCESS", 0, 1)
        received = [m for m in await on.until("/reply/gateway") if VIN in m.topic][3:]
        assert [m.topic.split("/")[3] for m in received] == [
            "command", "signal", "signal", "signal", "signal", "snapshot", "reply",
        ]  # fmt: skip
        burst = list(map(fields, received[1:]))
        assert [m["seq"] for m in burst] == [4, 5, 6, 7, 8, 9]
        assert [m["n"] for m in burst] == [51, 52, 53, 54, 55, 56]
        assert {m["t_ns"] for m in burst} == {7}
        assert {m["src"] for m in burst} == {"car"}
        assert [m["cause"] for m in burst[:5]] == ["call-1"] * 5
        assert burst[4]["state"]["window_driver_position"] == 40
        assert burst[5]["call_id"] == "call-1"


async def test_a_call_that_changes_nothing_is_one_message() -> None:
    async with host_rig() as on:
        await on.host.place(VIN, car())
        await on.ask("get_car_color")
        reply = await on.ask("set_fan_speed", arguments={"level": 9}, call_id="call-2")
        assert (reply.status, reply.error, reply.logged) == ("FAILURE", "SET_FAN_SPEED_001", True)
        assert (reply.call_id, reply.seq) == ("call-2", 5)


async def test_without_response_topic_the_source_gets_the_reply() -> None:
    async with host_rig() as on:
        await on.host.place(VIN, car())
        await on.asking.publish(on.command("get_car_color", src="somebody"))
        assert fields((await on.until("/reply/somebody"))[-1])["status"] == "SUCCESS"


@pytest.mark.parametrize(
    "asked",
    [
        "codriver/v1/run-task-0/snapshot",
        "codriver/v1/other/reply/gateway",
        "codriver/v1/run-task-0/reply/a/b",
    ],
)
async def test_a_reply_never_leaves_the_replies_of_its_car(asked: str) -> None:
    async with host_rig() as on:
        await on.host.place(VIN, car())
        command = on.command("get_car_color", src="a/#")
        hostile = Publication(command.topic, command.payload, response_topic=asked)
        await on.asking.publish(hostile)
        received = await on.until("/reply/anonymous")
        assert asked not in {m.topic for m in received if b"call_id" in m.payload}


@pytest.mark.malformed("garbage")
async def test_garbage_and_foreign_cars_are_passed_over() -> None:
    async with host_rig() as on:
        await on.host.place(VIN, car())
        topic = TOPICS.command(VIN, "get_car_color")
        for payload in (b"", b"\xff\x00", b"[]", b"{}", b'{"call_id": 1}'):
            await on.asking.publish(Publication(topic, payload))
        await on.asking.publish(on.command("get_car_color", vin="somebody-else"))
        reply = await on.ask("get_car_color")
        assert (reply.status, reply.seq) == ("SUCCESS", 4)


@pytest.mark.malformed("commands that cannot be read")
@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        (b"{", "Invalid JSON"),
        (b"[]", "Input should be an object"),
        (b"{}", "call_id: Field required"),
        (b'{"call_id": "1", "arguments": 5}', "arguments: Input should be"),
    ],
)
async def test_a_command_that_cannot_be_read_is_answered_where_an_answer_was_asked_for(
    payload: bytes, problem: str
) -> None:
    async with host_rig() as on:
        await on.host.place(VIN, car())
        asked = Publication(TOPICS.command(VIN, "get_car_color"), payload)
        answer = await on.asking.request(asked, timeout_s=5)
        told = orjson.loads(answer.payload)
        assert (told["status"], told["error"]) == ("FAILURE", "UNREADABLE_COMMAND")
        assert told["output"].startswith(problem)
        with pytest.raises(ValidationError):
            decode(Reply, answer.payload)  # whoever looks for replies does not count it
        assert (await on.ask("get_car_color")).seq == 4


async def test_cars_on_one_connection_are_apart() -> None:
    async with host_rig() as on:
        for vin in ("a", "b", "c"):
            await on.host.place(vin, car())
        async with asyncio.TaskGroup() as tasks:
            asked = [
                tasks.create_task(
                    on.ask("set_fan_speed", vin=vin, arguments={"level": level}, call_id=vin)
                )
                for level, vin in enumerate(("a", "b", "c"), start=1)
            ]
        assert [task.result().call_id for task in asked] == ["a", "b", "c"]
        assert [task.result().seq for task in asked] == [6, 6, 6]
        assert [on.host.vehicle(vin).state.fan_speed for vin in "abc"] == [1, 2, 3]


async def test_a_removed_car_leaves_nothing_behind() -> None:
    async with host_rig(signals="all") as on:
        await on.host.place(VIN, car())
        await on.ask("set_fan_speed", arguments={"level": 2})
        assert len(below(await on.retained())) == len(car().signals()) + 3
        await on.host.remove(VIN)
        assert below(await on.retained()) == set()
        with pytest.raises(KeyError):
            on.host.vehicle(VIN)


async def test_kept_topics_stay_and_say_that_the_car_has_gone() -> None:
    async with host_rig(keep_retained=True) as on:
        await on.host.place(VIN, car())
        await on.host.remove(VIN)
        left = await on.retained()
        assert len(below(left)) == 3
        assert decode(CarStatus, left[TOPICS.status(VIN)]).online is False


async def test_masked_signals_are_neither_placed_nor_changed_on_the_bus() -> None:
    async with host_rig(signals="all") as on:
        await on.host.place(VIN, car("codriver", "result.get_climate_settings.fan_speed"))
        reply = await on.ask("set_fan_speed", arguments={"level": 2})
        assert reply.revision_after == 1
        assert not any(topic.endswith("FanSpeed") for topic in await on.retained())


async def test_leaving_takes_every_car_off_the_bus() -> None:
    async with (
        broker(None) as address,
        connect(address, "gateway") as gateway,
        connect(address, "car") as cars,
    ):
        async with vehicle_host(cars, TOPICS) as host:
            await host.place("a", car())
            await host.place("b", car())
            assert len(await retained(gateway)) == 1 + 2 * 3
        assert await retained(gateway) == {}


async def test_a_host_says_that_it_is_there_and_its_will_that_it_is_not() -> None:
    async with host_rig() as on:
        online = (await on.retained())[host_status(TOPICS, "garage")]
        assert decode(CarStatus, online).online is True
    will = last_will(TOPICS, "garage")
    assert (will.topic, will.retain) == ("codriver/v1/host-garage/status", True)
    assert decode(CarStatus, will.payload).online is False


async def test_a_fault_of_our_own_stops_the_host_loudly() -> None:
    place = {"id": "loc_mun_9995", "name": "Munich"}
    broken = World(world_file(locations=[place], weather=[{"location_id": "loc_mun_9995"}]))
    today = {"month": 2, "day": 14, "time_hour_24hformat": 9}
    arguments = {"location_or_poi_id": place["id"], **today}

    async def drive() -> None:
        async with host_rig() as on:
            await on.host.place(VIN, Vehicle(CarSetup(), broken))
            await on.asking.publish(on.command("get_weather", arguments=arguments))
            await on.until("/never")

    with pytest.raises(KeyError, match="weather"):
        await drive()


def with_a_hand_at(at_s: float, **values: Any) -> Vehicle:
    event = PlannedEvent.model_validate({"at_s": at_s, "set": values})
    return Vehicle(CarSetup(happenings=(event,)), World())


async def test_an_event_is_published_before_the_reply_to_a_later_command() -> None:
    async with host_rig() as on:
        await on.host.place(VIN, with_a_hand_at(2, window_driver_position=70))
        early = await on.ask("get_vehicle_window_positions", at_ns=SECOND)
        late = await on.ask("get_vehicle_window_positions", at_ns=3 * SECOND)
        assert '"window_driver_position": 0' in early.output
        assert '"window_driver_position": 70' in late.output
        seen = [m.topic.partition(f"/{VIN}/")[2] for m in await on.until("event/knob")]
        assert seen[-3:] == [
            "signal/Vehicle/Cabin/Door/Row1/DriverSide/Window/Position",
            "snapshot",
            "event/knob",
        ]


async def test_a_car_acts_on_the_clock_without_a_command() -> None:
    async with host_rig() as on:
        await on.host.place(VIN, with_a_hand_at(2, fan_speed=3))
        clock = Clock(src="gateway", seq=1, n=40, t_ns=2 * SECOND, rate=0.0, pace="virtual")
        await on.asking.publish(Publication(TOPICS.clock(VIN), encode(clock)))
        event = fields((await on.until("event/knob"))[-1])
        assert event["t_ns"] == 2 * SECOND
        assert event["n"] > 40
        assert event["detail"] == {"by": "passenger", "set": {"fan_speed": 3}}


def on_the_way() -> Vehicle:
    route = route_id(MUN, BER)
    start = {
        "navigation_active": True,
        "waypoints_id": (MUN, BER),
        "routes_to_final_destination_id": (route,),
    }
    setup = CarSetup(start=start, motion=UnderWay(at_kilometer=20))
    return Vehicle(setup, SMALL, motion_hz=10)


async def test_a_car_whose_time_runs_by_itself_drives_on_the_bus() -> None:
    async with host_rig(motion_hz=10) as on:
        await on.host.place(VIN, on_the_way(), running=True)
        one, other = [
            fields((await on.until("signal/Vehicle/TraveledDistance"))[-1]) for _ in range(2)
        ]
        assert 0 <= one["value"] < other["value"]
        assert 0 < one["t_ns"] < other["t_ns"]


async def test_a_moving_car_confirms_each_clock_after_its_events() -> None:
    async with host_rig() as on:
        await on.host.place(VIN, on_the_way())
        clock = Clock(src="gateway", seq=1, n=40, t_ns=9 * SECOND, rate=0.0, pace="virtual")
        await on.asking.publish(Publication(TOPICS.clock(VIN), encode(clock)))
        *_, seen, done = await on.until("event/time")
        assert seen.topic.startswith(f"codriver/v1/{VIN}/signal/")
        assert fields(done)["t_ns"] == 9 * SECOND
        assert fields(done)["detail"] == {"clock_ns": 9 * SECOND}
        assert on.host.vehicle(VIN).now_ns == 9 * SECOND


async def test_a_second_session_goes_on_where_the_car_is() -> None:
    async with host_rig() as on:
        await on.host.place(VIN, on_the_way())
        for number, t_ns in enumerate((0, 9 * SECOND, 0, 3 * SECOND), start=1):
            clock = Clock(src="gateway", seq=number, t_ns=t_ns, rate=0.0, pace="virtual")
            await on.asking.publish(Publication(TOPICS.clock(VIN), encode(clock)))
            seen = (await on.until("event/time"))[-2:]
        assert on.host.vehicle(VIN).now_ns == 12 * SECOND
        assert {fields(message)["t_ns"] for message in seen} == {3 * SECOND}


async def test_no_stamp_keeps_a_car_driving_for_ever() -> None:
    hour_ns, far_ns = 3600 * SECOND, 1 << 61
    async with host_rig() as on:
        await on.host.place(VIN, Vehicle(CarSetup(motion=True), SMALL))
        for _ in range(2):
            reply = await on.ask("get_climate_settings", at_ns=far_ns)
            assert reply.t_ns == on.host.vehicle(VIN).now_ns == hour_ns
        clock = Clock(src="gateway", t_ns=far_ns, rate=0.0, pace="virtual")
        await on.asking.publish(Publication(TOPICS.clock(VIN), encode(clock)))
        assert (await on.ask("get_climate_settings", at_ns=0)).status == "SUCCESS"
        assert on.host.vehicle(VIN).now_ns == hour_ns


async def test_no_counter_of_a_command_silences_a_car() -> None:
    async with host_rig() as on:
        await on.host.place(VIN, car())
        answers = [
            await on.ask("get_climate_settings", n=LARGEST_COUNT, call_id=f"c{number}")
            for number in range(3)
        ]
        assert [answer.call_id for answer in answers] == ["c0", "c1", "c2"]
        assert answers[0].n < answers[1].n < answers[2].n < LARGEST_COUNT


async def test_a_car_to_which_nothing_happens_says_nothing_about_time() -> None:
    async with host_rig() as on:
        await on.host.place(VIN, car())
        clock = Clock(src="gateway", seq=1, t_ns=SECOND, rate=0.0, pace="virtual")
        await on.asking.publish(Publication(TOPICS.clock(VIN), encode(clock)))
        await on.ask("get_climate_settings", at_ns=SECOND)
        seen = [message.topic for message in await on.until("reply/gateway")]
        assert not [topic for topic in seen if "/event/" in topic]
