"""What a faulty car says on the bus, kind by kind."""

from typing import Any, Literal

import orjson
import pytest

from tests.conftest import BrokerKind
from tests.vehicle_bus.host.test_host import TOPICS, VIN, HostRig, fields, host_rig
from vehicle_bus.broker.choose import broker, connect
from vehicle_bus.bus import BusRefused, Message, Publication
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import Clock, FaultOrder, encode
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

SECOND = 1_000_000_000
Pace = Literal["live", "virtual"]
FAN: dict[str, Any] = {"level": 2}


async def faulty(on: HostRig, *faults: dict[str, Any], pace: Pace = "virtual") -> None:
    """A car with these faults, told the time."""
    setup = CarSetup.model_validate({"faults": faults})
    await on.host.place(VIN, Vehicle(setup, World()))
    clock = Clock(src="gateway", pace=pace)
    await on.asking.publish(Publication(TOPICS.clock(VIN), encode(clock)))


async def tell(
    on: HostRig, tool: str, at_ns: int = 0, call_id: str = "call-1", **given: Any
) -> None:
    await on.asking.publish(on.command(tool, at_ns=at_ns, call_id=call_id, arguments=given))


def kinds(heard: list[Message]) -> list[str]:
    """What the car said after its introduction: `signal`, `snapshot`, `reply`, `event/fault`."""
    rest = [m.topic.removeprefix(f"{TOPICS.prefix}/{VIN}/") for m in heard if VIN in m.topic]
    others = ("command/", "clock", "fault", "event/time")
    of_car = [each for each in rest if not each.startswith(others)]
    return [
        each if each.startswith(("event/", "status")) else each.split("/")[0] for each in of_car[3:]
    ]


def fault(heard: list[Message]) -> dict[str, Any]:
    [event] = [m for m in heard if m.topic.endswith("event/fault")]
    detail: dict[str, Any] = fields(event)["detail"]
    return detail


async def test_a_lost_answer_is_reported_by_its_fault_only() -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": "loss"})
        await tell(on, "set_fan_speed", **FAN)
        heard = await on.until("event/fault")
        assert kinds(heard) == ["signal", "snapshot", "event/fault"]
        seen = fault(heard)
        assert (seen["id"], seen["kind"], seen["call_id"]) == ("f1", "loss", "call-1")
        assert (seen["answered"], seen["status"], seen["revision_after"]) == (False, "SUCCESS", 1)


async def test_a_lost_command_changes_nothing() -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": "lost_command"})
        await tell(on, "set_fan_speed", **FAN)
        heard = await on.until("event/fault")
        assert kinds(heard) == ["event/fault"]
        assert fault(heard)["status"] is None
        assert on.host.vehicle(VIN).revision == 0


async def test_in_virtual_time_a_late_answer_is_stamped_and_sent_at_once() -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": "delay", "delay_ms": 60_000})
        reply = await on.ask("set_fan_speed", arguments=FAN, at_ns=SECOND)
        assert reply.t_ns == 61 * SECOND
        assert reply.fault is None


async def test_where_time_flows_a_late_answer_is_late_and_says_how_long_the_car_took() -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": "delay", "delay_ms": 120}, pace="live")
        reply = await on.ask("set_fan_speed", arguments=FAN)
        assert reply.took_ns >= 120_000_000
        heard = await on.until("/reply/gateway")
        assert kinds(heard) == ["event/fault", "signal", "snapshot", "reply"]


async def test_a_car_that_is_gone_answers_late_to_nobody() -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": "delay", "delay_ms": 50}, pace="live")
        await tell(on, "set_fan_speed", **FAN)
        await on.until("snapshot")
        await on.host.remove(VIN)
        await faulty(on)
        reply = await on.ask("get_climate_settings", call_id="call-2")
        assert reply.call_id == "call-2"


async def test_doubles_are_the_same_to_the_byte() -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": "duplicate"})
        await tell(on, "set_fan_speed", **FAN)
        heard = [*await on.until("/reply/gateway"), *await on.until("/reply/gateway")]
        assert kinds(heard) == ["event/fault", *["signal"] * 2, *["snapshot"] * 2, *["reply"] * 2]
        twice = [m.payload for m in heard if "/reply/" in m.topic]
        assert twice[0] == twice[1]


async def test_a_burst_in_disorder_lacks_nothing() -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": "reorder"})
        await on.ask("set_fan_speed", arguments=FAN)
        await on.ask("get_car_color", call_id="call-2")
        heard = [*await on.until("/reply/gateway"), *await on.until("/reply/gateway")]
        said = kinds(heard)
        assert sorted(said) == ["event/fault", *["reply"] * 2, "signal", "snapshot"]
        assert said != ["event/fault", "signal", "snapshot", "reply", "reply"]
        numbers = [fields(m)["seq"] for m in heard if fields(m).get("src") == "car"]
        assert sorted(numbers) == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize(
    ("kind", "tool"),
    [("refusal", "set_fan_speed"), ("stale", "get_climate_settings")],
)
async def test_an_answer_that_is_none_of_the_cars_own_names_its_fault(kind: str, tool: str) -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": kind, "nth": 1, "tool": tool})
        await on.ask("set_fan_airflow_direction", arguments={"direction": "HEAD"})
        reply = await on.ask(tool, arguments=FAN if kind == "refusal" else {}, call_id="call-2")
        assert reply.fault == "f1"
        assert (await on.ask(tool, arguments={}, call_id="call-3")).fault is None


async def test_a_car_that_is_away_says_so_and_comes_back() -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": "offline", "for_s": 2})
        await tell(on, "set_fan_speed", **FAN)
        await tell(on, "set_fan_speed", at_ns=SECOND, call_id="call-2", **FAN)
        reply = await on.ask("set_fan_speed", arguments=FAN, at_ns=2 * SECOND, call_id="call-3")
        assert (reply.call_id, reply.status) == ("call-3", "SUCCESS")
        heard = await on.until("/reply/gateway")
        assert [each for each in kinds(heard) if each != "signal"] == [
            "status", "event/fault", "event/fault", "event/fault", "status", "snapshot", "reply",
        ]  # fmt: skip
        online = [fields(m)["online"] for m in heard if m.topic == TOPICS.status(VIN)]
        assert online == [True, False, True]


async def test_where_time_flows_a_car_comes_back_without_being_asked() -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": "offline", "for_s": 0.05}, pace="live")
        await tell(on, "set_fan_speed", **FAN)
        heard = await on.until("event/fault")
        while fields(heard[-1]).get("online") is not True:
            heard = await on.until(f"{VIN}/status")


async def session(on: HostRig, at_ns: int, pace: Pace = "virtual") -> None:
    """A session tells the time; another one begins at zero."""
    clock = Clock(src="gateway", t_ns=at_ns, pace=pace)
    await on.asking.publish(Publication(TOPICS.clock(VIN), encode(clock)))


async def test_a_car_that_is_away_is_so_once_however_many_sessions_begin_meanwhile() -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": "offline", "for_s": 3})
        await tell(on, "set_fan_speed", at_ns=SECOND, **FAN)
        await session(on, 2 * SECOND)
        await session(on, 0)
        await tell(on, "set_fan_speed", at_ns=SECOND, call_id="call-2", **FAN)
        reply = await on.ask("set_fan_speed", arguments=FAN, at_ns=2 * SECOND, call_id="call-3")
        assert (reply.call_id, reply.status) == ("call-3", "SUCCESS")
        heard = await on.until("/reply/gateway")
        seen = [(fields(m)["online"], fields(m)["t_ns"]) for m in heard if "/status" in m.topic]
        assert seen[-2:] == [(False, SECOND), (True, 2 * SECOND)]


async def test_a_hand_takes_its_time_in_a_later_session_too() -> None:
    async with host_rig() as on:
        knob = {"kind": "knob", "calls": "set", "delay_ms": 2000, "set": {"fan_speed": 5}}
        await faulty(on, knob)
        await session(on, 9 * SECOND)
        await session(on, 0)
        await on.ask("set_fan_speed", arguments=FAN, at_ns=SECOND)
        await session(on, 5 * SECOND)
        assert fields((await on.until("event/knob"))[-1])["t_ns"] == 3 * SECOND


async def test_where_time_flows_a_car_leaves_at_its_time_without_being_asked() -> None:
    async with host_rig(motion_hz=10) as on:
        await faulty(on, {"kind": "offline", "at_s": 0.05, "for_s": 0.05}, pace="live")
        assert kinds(await on.until("event/fault")) == ["status", "event/fault"]
        assert fields((await on.until(f"{VIN}/status"))[-1])["online"] is True


async def test_a_hand_turns_a_knob_right_after_a_call() -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": "knob", "calls": "set", "set": {"fan_speed": 5}})
        reply = await on.ask("set_fan_speed", arguments=FAN)
        assert reply.revision_after == 1
        heard = await on.until("/reply/gateway")
        assert [each for each in kinds(heard) if each != "signal"] == [
            "snapshot", "snapshot", "event/knob", "event/fault", "reply",
        ]  # fmt: skip
        states = [fields(m) for m in heard if m.topic.endswith(f"{VIN}/snapshot")][1:]
        assert [(s["revision"], s["state"]["fan_speed"]) for s in states] == [(1, 2), (2, 5)]


async def test_a_car_to_which_things_happen_answers_the_clock_in_virtual_time() -> None:
    async with host_rig() as on:
        await faulty(on, {"kind": "knob", "at_s": 2, "set": {"fan_speed": 5}})
        clock = Clock(src="gateway", t_ns=3 * SECOND, pace="virtual")
        await on.asking.publish(Publication(TOPICS.clock(VIN), encode(clock)))
        heard = [*await on.until("event/time"), *await on.until("event/time")]
        assert kinds(heard)[-3:] == ["signal", "snapshot", "event/knob"]
        assert fields(heard[-1])["detail"] == {"clock_ns": 3 * SECOND}
        capabilities = next(m for m in heard if m.topic == TOPICS.capabilities(VIN))
        assert fields(capabilities)["stirs"] is True


async def order(on: HostRig, **ordered: Any) -> None:
    payload = encode(FaultOrder(src="operator", **ordered))
    await on.asking.publish(Publication(TOPICS.fault(VIN), payload))


@pytest.mark.malformed("a fault of no known kind")
async def test_an_operator_breaks_a_car_and_mends_it() -> None:
    async with host_rig() as on:
        await faulty(on)
        await order(on, fault={"kind": "refusal", "times": None})
        assert (await on.ask("set_fan_speed", arguments=FAN)).fault == "f1"
        await order(on, fault={"kind": "gremlin"})
        await order(on, fault={"kind": "knob", "at_s": 0, "set": {"fan_speed": 4}})
        await order(on, clear=True)
        reply = await on.ask("get_climate_settings", call_id="call-2")
        assert '"fan_speed": 4' in reply.output
        assert (await on.ask("set_fan_speed", arguments=FAN, call_id="call-3")).fault is None


async def test_a_hand_that_still_waits_is_taken_back_with_the_faults() -> None:
    async with host_rig() as on:
        at_once = {"kind": "knob", "calls": "set", "delay_ms": 5000, "set": {"fan_speed": 5}}
        await faulty(on, {"kind": "knob", "at_s": 2, "set": {"fan_speed": 4}}, at_once)
        await order(on, fault={"kind": "knob", "at_s": 4, "set": {"fan_speed": 3}})
        await on.ask("set_fan_speed", arguments=FAN)
        await order(on, clear=True)
        clock = Clock(src="gateway", t_ns=9 * SECOND, pace="virtual")
        await on.asking.publish(Publication(TOPICS.clock(VIN), encode(clock)))
        reply = await on.ask("get_climate_settings", call_id="call-2", at_ns=9 * SECOND)
        assert '"fan_speed": 2' in reply.output


async def test_an_operator_sends_a_car_away_at_once() -> None:
    async with host_rig() as on:
        await faulty(on, pace="live")
        await order(on, fault={"kind": "offline", "at_s": 0, "for_s": 0.05})
        heard = await on.until("event/fault")
        assert kinds(heard) == ["status", "event/fault"]
        assert fields((await on.until(f"{VIN}/status"))[-1])["online"] is True
        assert (await on.ask("get_car_color", at_ns=0)).status == "SUCCESS"


async def test_where_time_flows_now_is_now_however_long_nobody_has_asked_for_anything() -> None:
    async with host_rig() as on:
        await faulty(on, pace="live")
        await order(on, fault={"kind": "offline", "at_s": 0, "for_s": 0.1})
        await tell(on, "set_fan_speed", at_ns=60 * SECOND, **FAN)
        heard = await on.until("event/fault")
        heard += await on.until("event/fault")
        assert fields(heard[-1])["detail"]["answered"] is False
        assert fields((await on.until(f"{VIN}/status"))[-1])["online"] is True


async def test_an_agent_may_break_no_car(broker_kind: BrokerKind) -> None:
    async with (
        broker(None, prefer=broker_kind, agents=(VIN,)) as address,
        connect(address, "agent", vin=VIN) as agent,
    ):
        with pytest.raises(BusRefused):
            await agent.publish(Publication(TOPICS.fault(VIN), orjson.dumps({"clear": True})))


async def test_faults_of_a_run_come_after_those_of_the_car() -> None:
    async with host_rig() as on:
        setup = CarSetup(faults=(Fault(kind="refusal", text="mine"),))
        other = Fault(kind="refusal", text="yours")
        await on.host.place(VIN, Vehicle(setup, World()), faults=(other,))
        first = await on.ask("set_fan_speed", arguments=FAN)
        second = await on.ask("set_fan_speed", arguments=FAN, call_id="call-2")
        assert ("mine" in first.output, "yours" in second.output) == (True, True)
