"""A live car over a real broker and real sockets, as a test or a demo uses it."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection

from assistant_gateway.agents.rules.agent import RulesAgent
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.protocol import Frame, InputTranscriptFinal
from assistant_gateway.server import NoAgent
from assistant_gateway.timing.speech import Speech, speech_profile
from assistant_gateway.timing.timeline import SECOND
from evaluator.live import (
    CarRequest,
    ConversationBroken,
    LiveBench,
    LiveCar,
    LiveSettings,
    live_bench,
    live_car,
)
from evaluator.live.settings import task_named
from evaluator.problems import UsageProblem
from evaluator.record.record import Record
from evaluator.run.agents import AgentChoice
from tests.conftest import BrokerKind, Serve
from tests.evaluator.runs import WORLD, guest
from vehicle_bus.broker.address import external
from vehicle_bus.broker.choose import connect
from vehicle_bus.bus import Publication
from vehicle_bus.contract import Command, SignalChanged, Topics, decode, encode

WINDOW = "Vehicle.Cabin.Door.Row1.DriverSide.Window.Position"
HALF_OPEN = {"window_driver_position": 50}
CLOSE = "Close the driver window, please."


def live(agent: str = "rules", **chosen: Any) -> LiveSettings:
    usual: dict[str, Any] = {"pace": "fast", "broker_kind": "embedded"}
    return LiveSettings(agent=AgentChoice(agent), **usual | chosen)


@asynccontextmanager
async def a_car(
    start: dict[str, Any] | None = None, agent: str = "rules", **chosen: Any
) -> AsyncIterator[LiveCar]:
    async with (
        asyncio.timeout(30),
        live_car(live(agent, **chosen), WORLD, CarRequest(start=start or {})) as car,
    ):
        yield car


async def test_what_the_driver_asks_for_happens_in_the_car(broker_kind: BrokerKind) -> None:
    async with a_car(HALF_OPEN, broker_kind=broker_kind) as car:
        reply = await car.say(CLOSE)
        assert reply.changed == {"window_driver_position": 0}
        looked, closed = (call.tool for call in reply.calls)
        assert (looked, closed) == ("get_vehicle_window_positions", "open_close_window")
        assert reply.turn.verdict["hard_miss"] is False
        assert reply.ended is None
        assert reply.says("closed").within_ms(3000).within_ms(3000, "effect_latency") is reply
        assert car.commanded("open_close_window", percentage=0).succeeded
        assert car.signal("window_driver_position") == car.signal(WINDOW) == 0


async def test_others_on_the_bus_see_it_and_nothing_is_left_there(serve: Serve) -> None:
    topics = Topics()
    async with serve() as port:
        address = external(f"mqtt://127.0.0.1:{port}")
        async with connect(address, "observer") as watcher:
            settings = live(broker_url=f"mqtt://127.0.0.1:{port}")
            request = CarRequest(start=HALF_OPEN, vin="prototype")
            async with live_car(settings, WORLD, request) as car:
                signal = topics.signal("prototype", WINDOW)
                async with asyncio.timeout(20), watcher.subscribe(signal) as messages:
                    retained = decode(SignalChanged, (await anext(messages)).payload)
                    await car.say(CLOSE)
                    changed = decode(SignalChanged, (await anext(messages)).payload)
            assert (retained.value, changed.value) == (50, 0)
            fence = "somebody/else"
            async with watcher.subscribe(topics.everything("prototype"), fence) as messages:
                await watcher.publish(Publication(fence, b"here"))
                assert [message.topic for message in await messages.batch()] == [fence]


async def test_leaving_frees_the_port() -> None:
    async with a_car() as car:
        port = car.servers.gateway.port
    with socket.create_server(("127.0.0.1", port)):
        pass


async def test_a_conversation_goes_on_until_a_new_one_begins() -> None:
    async with a_car({"climate_temperature_driver": 20.0}) as car:
        first = await car.say("Set the driver temperature to 22 degrees.")
        second = await car.say("Switch on the fog lights.")
        await car.new_conversation()
        third = await car.say("Set the fan to level 2.")
    sessions = [reply.calls[-1].command.session for reply in (first, second, third)]
    assert sessions[0] == sessions[1] != sessions[2]
    assert [reply.turn.turn for reply in (first, second, third)] == [1, 2, 1]
    assert [call.command.session for call in car.calls] == sorted(
        (call.command.session for call in car.calls), key=sessions.index
    )


async def test_a_car_starts_as_its_task_says_and_single_values_differ() -> None:
    request = CarRequest(task=task_named("settle_open_window"), start={"fan_speed": 2})
    async with live_car(live("reference"), WORLD, request) as car:
        opening = task_named("settle_open_window").driver.script
        assert opening is not None
        assert car.at_start["fan_speed"] == 2
        await car.say(opening.opening)
        car.commanded("open_close_window", percentage=0)
        car.unchanged("fan_speed")


def test_a_start_no_car_has_is_reported_before_anything_runs() -> None:
    with pytest.raises(UsageProblem, match="no car has wings"):
        _ = CarRequest(start={"wings": 2}).setup


async def test_commands_of_others_count_as_commands_to_the_car() -> None:
    async with a_car(HALF_OPEN) as car:
        bus, topics = car.servers.buses[1], Topics()
        command = Command(call_id="mine", arguments={"window": "DRIVER", "percentage": 0})
        topic = topics.command(car.vin, "open_close_window")
        await bus.request(Publication(topic, encode(command)), timeout_s=5)

        def done(seen: Record) -> bool | None:
            return any(call.succeeded for call in seen.calls) or None

        await car.observer.until(done)
        car.commanded("open_close_window", window="DRIVER")
        car.changed(WINDOW, 0)


async def test_an_event_is_seen_by_all() -> None:
    async with a_car() as car:
        with car.observer.feed() as feed:
            await car.event("door_opened", seat="driver")
            entry = await anext(feed)
    assert (entry.rest, entry.fields["detail"]) == ("event/door_opened", {"seat": "driver"})


async def test_a_knob_that_somebody_turns_changes_the_car_without_a_command() -> None:
    async with a_car() as car:
        await car.event("knob", sets={"fan_speed": 3}, by="passenger")
        car.changed("fan_speed", 3)
        assert car.signal("Vehicle.Cabin.HVAC.Station.Row1.Driver.FanSpeed") == 60
        assert car.calls == ()
        reply = await car.say("Switch on the driver's reading light.")
        assert reply.changed == {"reading_light_driver": True}


async def test_a_slow_watcher_loses_the_oldest_and_can_tell_how_many() -> None:
    async with a_car() as car:
        with car.observer.feed(size=2) as feed:
            for number in range(5):
                await car.event("tick", number=number)
            newest = [(await anext(feed)).fields["detail"]["number"] for _ in range(2)]
    assert (newest, feed.dropped) == ([3, 4], 3)


async def test_a_refused_command_changes_nothing_and_says_that_it_was_a_fault() -> None:
    async with a_car(HALF_OPEN) as car:
        car.refuse("open_close_window", "the child lock is on", times=1)
        reply = await car.say(CLOSE)
        call = reply.calls[-1]
        assert call.reply is not None
        assert (call.reply.status, call.reply.fault) == ("FAILURE", "f1")
        assert "the child lock is on" in call.reply.output
        car.unchanged()
        await car.say(CLOSE)
        car.changed("window_driver_position", 0)


async def test_a_car_can_be_away_for_a_while() -> None:
    async with a_car(HALF_OPEN, tool_timeout_s=0.1) as car:
        await car.fault("offline", tool="open_close_.*", for_s=1)
        reply = await car.say(CLOSE)
        assert reply.calls[-1].reply is None
        car.unchanged()
        states = [e.fields["online"] for e in car.observer.since().entries if e.kind == "status"]
        assert states[:2] == [True, False]


async def test_a_new_conversation_brings_nobody_back_and_sends_nobody_away_again() -> None:
    async with a_car(HALF_OPEN, tool_timeout_s=0.1) as car:
        await car.say("How far open is the driver window?")
        await car.say("How far open is the driver window?")
        await car.fault("offline", at_s=0, for_s=6)
        await car.new_conversation()
        reply = await car.say(CLOSE)
        assert reply.calls[-1].reply is None
        car.unchanged()
        await car.say(CLOSE)
        car.changed("window_driver_position", 0)


async def test_a_look_up_can_contradict_the_signals() -> None:
    async with a_car(HALF_OPEN) as car:
        values = {"window_driver_position": 100}
        await car.fault("contradiction", tool="get_vehicle_window_positions", set=values)
        reply = await car.say("How far open is the driver window?")
        (answer,) = [call.reply for call in reply.calls if call.tool.startswith("get_vehicle_w")]
        assert answer is not None
        assert (answer.fault, '"window_driver_position": 100' in answer.output) == ("f1", True)
        car.unchanged()


async def test_a_hand_can_turn_a_knob_at_once() -> None:
    async with a_car({"fan_speed": 1}) as car:
        with car.observer.feed() as feed:
            await car.fault("knob", at_s=0, set={"fan_speed": 4}, by="child")
            while (entry := await anext(feed)).rest != "event/knob":
                pass
        assert entry.fields["detail"]["by"] == "child"
        car.changed("fan_speed", 4)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"kind": "gremlins"}, "no such fault: kind: "),
        ({"kind": "delay"}, "needs delay_ms"),
        ({"kind": "knob", "set": {"fan": 1}}, "fan"),
        ({"kind": "loss", "colour": "red"}, "no such fault: colour: "),
        ({"kind": "loss", "tool": "open_windw"}, "no car has a tool 'open_windw'"),
    ],
)
async def test_an_invalid_fault_is_reported_at_once(fields: dict[str, Any], problem: str) -> None:
    async with a_car() as car:
        with pytest.raises((ValueError, LookupError), match=problem):
            await car.fault(**fields)


def test_a_silent_car_is_given_up_as_soon_as_in_a_run() -> None:
    assert LiveSettings().tool_timeout_s * SECOND == SessionPlan("", "").tool_timeout_ns


async def test_a_lost_reply_leaves_the_assistant_waiting_and_the_car_changed() -> None:
    async with a_car(HALF_OPEN, tool_timeout_s=0.1) as car:
        car.lose_reply("open_close_window")
        reply = await car.say(CLOSE)
        assert reply.calls[-1].reply is None
        car.changed("window_driver_position", 0)
        reply.does_not_say(r"\bclosed\b")


async def test_a_late_reply_comes_after_everything_else() -> None:
    async with a_car(HALF_OPEN) as car:
        car.delay_reply("open_close_window", 300)
        reply = await car.say(CLOSE)
        answer = reply.calls[-1].reply
        assert answer is not None
        assert answer.took_ns >= 300_000_000
        took_ms = reply.span_ms("upl_content")
        assert took_ms is not None
        assert took_ms > 300
        car.heal()
        again = await car.say("Open the driver window to 20 percent.")
        assert again.calls[0].reply is not None
        assert again.calls[0].reply.fault is None


async def test_a_silent_assistant_is_a_reply_without_words() -> None:
    async with a_car(agent="null") as car:
        reply = await car.say("Hello?")
        assert (reply.text, reply.calls, reply.changed) == ("", (), {})
        with pytest.raises(AssertionError, match="upl never ended, expected within 1500 ms"):
            reply.within_ms(1500)


async def test_an_agent_that_leaves_breaks_the_conversation_and_may_come_back() -> None:
    left = asyncio.Event()

    async def leave_once(socket: ClientConnection, _raw: str, frame: Frame) -> None:
        if isinstance(frame.body, InputTranscriptFinal) and not left.is_set():
            left.set()
            socket.transport.abort()

    async with (
        asyncio.timeout(30),
        live_bench(live("ws"), WORLD) as bench,
        guest(bench.servers, lambda _sid: RulesAgent(), leave_once),
        bench.car(CarRequest(start=HALF_OPEN)) as car,
    ):
        with pytest.raises(ConversationBroken, match="the agent left in the middle"):
            await car.say(CLOSE)
        await car.say(CLOSE)
        car.changed("window_driver_position", 0)


async def test_an_agent_that_never_comes_is_reported_with_its_address() -> None:
    async with live_bench(live("ws", agent_wait_s=0.1), WORLD) as bench, bench.car() as car:
        with pytest.raises(
            NoAgent, match=f"no agent connected to {bench.servers.gateway.url}/agent"
        ):
            await car.say("Anybody there?")


async def test_half_a_turn_is_given_up_with_its_conversation() -> None:
    async with a_car(HALF_OPEN) as car:
        car.delay_reply("open_close_window", 5000, times=1)
        asked = asyncio.create_task(car.say(CLOSE), name="driver")
        await car.observer.until(lambda seen: seen.calls[1:] or None)
        with pytest.raises(ConversationBroken, match="still speaking"):
            await car.say("And the other one.")
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        reply = await car.say("Switch on the fog lights.")
        assert reply.turn.turn == 1


async def test_an_error_in_the_block_comes_out_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        async with a_car():
            _ = 1 // 0


async def test_two_cars_on_one_bench_are_two_conversations() -> None:
    async def close(bench: LiveBench, request: CarRequest) -> dict[str, Any]:
        async with bench.car(request) as car:
            return (await car.say(CLOSE)).changed

    async with (
        asyncio.timeout(30),
        live_bench(live(sockets=2), WORLD) as bench,
        asyncio.TaskGroup() as tasks,
    ):
        both = [
            tasks.create_task(close(bench, CarRequest(start=HALF_OPEN)), name=f"car {number}")
            for number in range(2)
        ]
    assert [car.result() for car in both] == [{"window_driver_position": 0}] * 2


async def test_the_same_seed_gives_every_car_the_same_chances() -> None:
    async def spoke_ns(seed: int) -> int:
        speech = Speech(speech_profile("typical"))
        async with a_car(HALF_OPEN, speech=speech, seed=seed) as car:
            turn = (await car.say(CLOSE)).turn
        turnaround_ns = turn.spans["turnaround"]
        assert turnaround_ns is not None
        return turn.t_ns - turnaround_ns

    first = await spoke_ns(3)
    assert await spoke_ns(3) == first
    assert await spoke_ns(4) != first
