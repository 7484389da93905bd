"""The gateway at its sockets: who may in, what bad input gets, what happens when a peer is gone."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from assistant_gateway import server
from assistant_gateway.protocol import AGENT_PROTOCOL, USER_PROTOCOL
from assistant_gateway.server import NoAgent
from tests.assistant_gateway.gateways import PLAN, VIN, raw, rig
from vehicle_bus.broker.choose import connect as bus_connect
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import Topics


@pytest.mark.parametrize("role", ["agent", "user"])
async def test_a_wrong_token_is_turned_away(role: str) -> None:
    async with rig() as rigged:
        with pytest.raises(InvalidStatus) as refused:
            async with raw(rigged, role, token="guessed"):
                pass
        assert refused.value.response.status_code == 401
        assert f"{role} token" in refused.value.response.body.decode()


async def test_the_agents_token_does_not_open_the_drivers_seat() -> None:
    async with rig() as rigged:
        with pytest.raises(InvalidStatus):
            async with raw(rigged, "user", token=rigged.gateway.tokens.agent):
                pass


async def test_two_tokens_are_none_and_a_peer_of_another_kind_is_turned_away() -> None:
    async with rig() as rigged:
        given = f"Bearer {rigged.gateway.tokens.agent}"
        for tokens, protocols, status in (
            ((given, given), [AGENT_PROTOCOL], 401),
            ((given,), [], 400),
            ((given,), [USER_PROTOCOL], 400),
        ):
            with pytest.raises(InvalidStatus) as refused:
                async with connect(
                    f"{rigged.gateway.url}/agent",
                    additional_headers=[("Authorization", token) for token in tokens],
                    subprotocols=[Subprotocol(each) for each in protocols] or None,
                    proxy=None,
                ):
                    pass
            assert refused.value.response.status_code == status


async def test_an_unknown_path_names_the_ones_there_are() -> None:
    async with rig() as rigged:
        with pytest.raises(InvalidStatus) as refused:
            async with connect(f"{rigged.gateway.url}/car", proxy=None):
                pass
        assert "/agent, /user, /healthz" in refused.value.response.body.decode()


async def test_a_conversation_by_hand_from_opening_to_stop() -> None:
    async with rig() as rigged, raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        await user.send("session.open", scenario_id=VIN)
        start = await agent.until("session.start")
        names = [tool["function"]["name"] for tool in start["data"]["tools"]]
        assert "set_fan_speed" in names
        await agent.send("session.ready", name="by hand")
        await user.until("session.opened")
        await user.send("user.speech.start", utt="1", planned_words=["fan", "to", "two"])
        assert (await agent.until("input.transcript.final"))["data"]["text"] == "fan to two"
        await agent.send("tool.call", cid="x", name="set_fan_speed", arguments={"level": 2})
        await agent.send("response.done")
        result = await agent.until("tool.result")
        assert (result["cid"], result["data"]["output"]) == (
            "x",
            '{"status": "SUCCESS", "result": {"level": 2}}',
        )
        await agent.send("response.text.delta", delta="Level two.")
        await agent.send("response.done")
        assert (await user.until("agent.speech.end"))["data"]["heard_text"] == "Level two."
        await user.send("user.control", word="STOP", reason="content")
        assert (await agent.until("session.end"))["data"]["reason"] == "ended"
        assert (await rigged.result()).reason == "STOP"


@pytest.mark.malformed("bad input")
@pytest.mark.parametrize(
    ("nonsense", "reason"),
    [
        ("{", "one JSON object"),
        ("[]", "JSON object such as"),
        ('{"type": "sing"}', "none of"),
        ('{"type": "tool.call", "data": {"name": 3}}', "name"),
        ('{"type": "response.done", "rid": 7}', "rid must be text"),
    ],
)
async def test_bad_input_is_answered_with_what_was_expected_and_the_session_goes_on(
    nonsense: str, reason: str
) -> None:
    async with rig() as rigged, raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.socket.send(nonsense)
        assert reason in (await agent.until("error"))["data"]["message"]
        await agent.send("session.ready", name="clumsy")
        await user.until("session.opened")
        await user.send("user.hangup")
        assert (await rigged.result()).reason == "driver_hung_up"


@pytest.mark.malformed("nonsense")
async def test_a_thousand_frames_of_nonsense_cost_the_agent_its_turn_and_nobody_else_anything() -> (
    None
):
    async with rig() as rigged, raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="noisy")
        await user.until("session.opened")
        await user.send("user.speech.start", utt="1", planned_words=["hello"])
        await agent.until("input.transcript.final")
        async with asyncio.TaskGroup() as tasks:
            drain = tasks.create_task(_read_everything(agent.socket))
            for number in range(1000):
                await agent.socket.send(f"nonsense {number}")
            await agent.send("response.done")
            heard = await user.until("agent.speech.end")
            drain.cancel()
        assert heard["data"]["heard_text"] == ""
        await user.send("user.control", word="STOP")
        assert (await rigged.result()).infra is None


async def _read_everything(socket: ClientConnection) -> None:
    async for _frame in socket:
        pass


@pytest.mark.parametrize("leaver", ["agent", "user"])
async def test_a_peer_that_vanishes_ends_the_session_as_infra_error(leaver: str) -> None:
    async with rig() as rigged, raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="shy")
        await user.until("session.opened")
        leaving = agent if leaver == "agent" else user
        leaving.socket.transport.abort()
        result = await rigged.result()
        assert result.reason == "infra_error"
        left = "driver" if leaver == "user" else leaver
        assert f"the {left} left" in (result.infra or "")


async def crash(socket: ClientConnection) -> None:
    socket.transport.abort()


@pytest.mark.parametrize(
    ("leave", "told"),
    [
        (lambda socket: socket.close(), ": it closed the connection"),
        (lambda socket: socket.close(1011), "with an error: 1011 internal error"),
        (lambda socket: socket.close(4000, "no key"), "with an error: 4000 no key"),
        (crash, ": the connection broke off: it crashed, or"),
    ],
)
async def test_an_agent_that_crashes_is_told_from_one_that_closes_with_an_error(
    leave: Callable[[ClientConnection], Awaitable[None]], told: str
) -> None:
    async with rig() as rigged, raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="gone soon")
        await user.until("session.opened")
        await leave(agent.socket)
        assert told in ((await rigged.result()).infra or "")


async def test_an_agent_that_comes_back_gets_the_next_session_not_the_one_it_left() -> None:
    async with rig() as rigged, raw(rigged, "user") as user:
        async with raw(rigged, "agent") as agent:
            await user.send("session.open", scenario_id=VIN)
            left = (await agent.until("session.start"))["sid"]
            await agent.send("session.ready", name="shy")
            await user.until("session.opened")
            agent.socket.transport.abort()
        await rigged.result()
        rigged.gateway.announce(replace(PLAN, sid="next"))
        async with raw(rigged, "agent") as agent:
            await user.send("session.open", scenario_id="next")
            assert (await agent.until("session.start"))["sid"] == "next" != left
            await agent.send("session.ready", name="back")
            await user.send("user.speech.start", utt="1", planned_words=["hello"])
            await agent.until("input.transcript.final")
            await agent.send("response.text.delta", sid=left, delta="What was I saying?")
            await agent.send("response.text.delta", sid="next", delta="Hello again.")
            await agent.send("response.done", sid="next")
            assert (await user.until("agent.speech.end"))["data"]["heard_text"] == "Hello again."


async def test_a_fatal_error_of_an_agent_ends_the_session_and_is_nobodys_failure() -> None:
    async with rig() as rigged, raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="poor")
        await user.until("session.opened")
        await agent.send("error", code="quota", message="the quota is used up", fatal=True)
        assert (await agent.until("session.end"))["data"]["reason"] == "ended"
        assert "the agent gave up: the quota is used up" in ((await rigged.result()).infra or "")


async def test_what_a_driver_says_while_its_session_ends_is_no_error_of_the_next_one() -> None:
    async with rig() as rigged, raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="poor")
        sid = (await user.until("session.opened"))["sid"]
        await agent.send("error", code="quota", message="the quota is used up", fatal=True)
        await user.until("session.close")
        await user.send("user.speech.start", sid=sid, utt="1", planned_words=["too", "late"])
        await user.send("session.open", scenario_id="somebody else's")
        assert (await user.until("error"))["data"]["code"] == "unknown_session"


async def test_an_error_that_is_not_fatal_is_only_recorded() -> None:
    async with rig() as rigged, raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="moody")
        await user.until("session.opened")
        await agent.send("error", code="slow", message="this may take a while")
        await user.send("user.hangup")
        assert (await rigged.result()).infra is None


async def test_a_driver_who_left_while_an_agent_was_sought_keeps_no_agent_busy() -> None:
    async with rig(patience_s=None) as rigged:
        async with raw(rigged, "user") as user:
            await user.send("session.open", scenario_id=VIN)
        async with raw(rigged, "agent") as agent:
            assert "the driver left before" in ((await rigged.result()).infra or "")
            rigged.gateway.announce(replace(PLAN, sid="next"))
            async with raw(rigged, "user") as user:
                await user.send("session.open", scenario_id="next")
                while (await agent.until("session.start"))["sid"] != "next":
                    pass


async def test_an_oversized_frame_closes_the_connection_that_sent_it() -> None:
    async with rig() as rigged, raw(rigged, "agent") as agent:
        await agent.socket.send("x" * (70 << 10))
        with pytest.raises(ConnectionClosed) as closed:
            await agent.until("error")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


async def test_a_session_nobody_announced_cannot_be_opened() -> None:
    async with rig() as rigged, raw(rigged, "user") as user:
        await user.send("session.open", scenario_id="somebody else's")
        assert "waiting for a driver" in (await user.until("error"))["data"]["message"]


async def test_virtual_time_is_refused_to_an_agent_that_keeps_no_lockstep() -> None:
    async with (
        rig(pace="virtual") as rigged,
        raw(rigged, "agent") as agent,
        raw(rigged, "user") as user,
    ):
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="casual")
        assert "--pace fast or live" in ((await rigged.result()).infra or "")


async def test_a_session_whose_result_nobody_awaits_any_more_ends_in_peace(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with rig() as rigged, raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        waiting = asyncio.create_task(rigged.result(), name="whoever waits")
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="by hand")
        await user.until("session.opened")
        waiting.cancel()
        await asyncio.wait([waiting])
        await user.send("user.hangup")
        await user.until("session.close")
    assert not caplog.records


async def test_an_agent_that_is_busy_is_waited_for_as_long_as_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "CAR_WAIT_S", 0.01)
    async with rig(agent_wait_s=0.05) as rigged, raw(rigged, "agent") as agent:
        rigged.gateway.announce(replace(PLAN, sid="next", vin="nowhere"))
        async with raw(rigged, "user") as user, raw(rigged, "user") as waiting:
            await user.send("session.open", scenario_id=VIN)
            await agent.until("session.start")
            await waiting.send("session.open", scenario_id="next")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(waiting.frame(), 0.2)
            await agent.send("session.ready", name="busy")
            await user.until("session.opened")
            await user.send("user.hangup")
            assert "not on the bus" in ((await rigged.gateway.result("next")).infra or "")


async def test_a_driver_is_not_kept_waiting_when_no_agent_comes() -> None:
    async with rig(agent_wait_s=0.05) as rigged, raw(rigged, "user") as user:
        await user.send("session.open", scenario_id=VIN)
        assert (await user.until("session.close"))["data"]["reason"] == "infra_error"
        with pytest.raises(NoAgent, match="start yours"):
            await rigged.result()


async def test_a_removed_tool_is_not_offered() -> None:
    async with (
        rig(CarSetup(removed=("set_fan_speed",))) as rigged,
        raw(rigged, "agent") as agent,
        raw(rigged, "user") as user,
    ):
        await user.send("session.open", scenario_id=VIN)
        start = await agent.until("session.start")
        names = [tool["function"]["name"] for tool in start["data"]["tools"]]
        assert "set_fan_speed" not in names
        await agent.send("session.ready", name="restricted")
        await user.until("session.opened")
        await user.send("user.hangup")
        await rigged.result()


async def test_the_drivers_word_travels_on_control_alone() -> None:
    async with (
        rig() as rigged,
        raw(rigged, "agent") as agent,
        raw(rigged, "user") as user,
        bus_connect(rigged.address, "evaluator") as evaluator,
        evaluator.subscribe(Topics().everything(VIN)) as messages,
    ):
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="any")
        await user.until("session.opened")
        await user.send("user.speech.start", utt="1", planned_words=["hello"])
        await agent.until("input.transcript.final")
        await agent.send("response.done")
        await user.until("agent.speech.end")
        await user.send("user.control", word="OUT_OF_SCOPE", reason="a secret reason")
        await rigged.result()
        topics = {
            message.topic.rsplit("/", 1)[1]
            for message in await messages.batch()
            if b"secret reason" in message.payload
        }
        assert topics == {"control"}
