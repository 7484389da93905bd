"""Commands carry the span of the agent's own trace, so that its trace and ours are one."""

import json
from contextlib import AbstractAsyncContextManager

import pytest

from assistant_gateway.protocol import (
    FROM_AGENT,
    Frame,
    ResponseStart,
    SessionReady,
    ToolCall,
    decode,
)
from assistant_gateway.session.logged_frame import LoggedFrame, logged_frames
from assistant_gateway.session.trace_context import TraceContext
from evaluator.record.record import Entry, Record
from tests.assistant_gateway.gateways import VIN, Rig, raw, rig
from tests.vehicle_bus.broker.raw_client import RawClient, client_of
from vehicle_bus.broker.choose import connect
from vehicle_bus.contract import Topics

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SESSION, TURN, CALL = (f"00-{TRACE}-{span * 16}-01" for span in "123")
TOPICS = Topics()


def trace(call: str | None = None, turn: str | None = None, session: str | None = None) -> str:
    """What a command says when the frames before it have these."""
    context = TraceContext()
    context.take(Frame(SessionReady(name="a"), traceparent=session))
    context.new_turn()
    context.take(Frame(ResponseStart(), traceparent=turn))
    context.take(Frame(ToolCall(name="x", arguments={}), cid="c", traceparent=call))
    return context.of("c") or "nothing"


def test_the_narrowest_span_counts() -> None:
    assert trace(CALL, TURN, SESSION) == CALL
    assert trace(None, TURN, SESSION) == TURN
    assert trace(None, None, SESSION) == SESSION
    assert trace() == "nothing"


def test_the_span_of_a_turn_ends_with_it() -> None:
    context = TraceContext()
    context.take(Frame(ResponseStart(), traceparent=TURN))
    context.new_turn()
    assert context.of("c") is None


def test_a_call_whose_id_was_used_in_an_earlier_turn_has_no_span_of_that() -> None:
    context = TraceContext()
    context.take(Frame(ToolCall(name="x", arguments={}), cid="c", traceparent=CALL))
    context.new_turn()
    context.take(Frame(ToolCall(name="x", arguments={}), cid="c"))
    assert context.of("c") is None


@pytest.mark.parametrize("wrong", [7, True, [CALL], {"span": CALL}])
def test_what_is_no_text_is_passed_over(wrong: object) -> None:
    frame = {"type": "response.start", "traceparent": wrong}
    assert decode(json.dumps(frame), FROM_AGENT).traceparent is None


@pytest.mark.parametrize(
    "wrong", ["", "x", f"ff-{TRACE}-{'1' * 16}-01", f"00-{'0' * 32}-{'1' * 16}-01", f"{CALL} "]
)
def test_what_is_not_well_formed_is_passed_over(wrong: str) -> None:
    frame = {"type": "response.start", "traceparent": wrong}
    assert decode(json.dumps(frame), FROM_AGENT).traceparent is None
    logged = LoggedFrame("in", "agent", ResponseStart(), traceparent=wrong).encode()
    [read] = logged_frames({"frames": [logged]})
    assert read.traceparent is None


def observing(rigged: Rig) -> AbstractAsyncContextManager[RawClient]:
    login = rigged.address.credentials("observer")
    assert login is not None
    port = rigged.address.port
    return client_of(port, "by-hand", username=login.user, password=login.password.encode())


async def test_it_travels_from_a_frame_to_the_command_and_into_the_record() -> None:
    entries: list[Entry] = []
    async with (
        rig() as rigged,
        observing(rigged) as observer,
        connect(rigged.address, "observer") as bus,
        bus.subscribe(TOPICS.session(VIN, VIN, "frame")) as batches,
        raw(rigged, "agent") as agent,
        raw(rigged, "user") as user,
    ):
        await observer.subscribe(TOPICS.command(VIN, "+"))
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        ready = {"type": "session.ready", "traceparent": SESSION, "data": {"name": "traced"}}
        await agent.socket.send(json.dumps(ready))
        await user.until("session.opened")
        await user.send("user.speech.start", utt="1", planned_words=["fan"])
        await agent.until("input.transcript.final")
        for cid, traceparent in (("a", CALL), ("b", None)):
            call = {"name": "get_climate_settings", "arguments": {}}
            frame = {"type": "tool.call", "cid": cid, "traceparent": traceparent, "data": call}
            await agent.socket.send(json.dumps(frame))
        found = [(await observer.message()).user_properties for _ in range(2)]
        assert found == [[("traceparent", CALL)], [("traceparent", SESSION)]]
        await agent.send("response.done")
        for _ in range(2):
            await agent.until("tool.result")
        await agent.send("response.text.delta", delta="Done.")
        await agent.send("response.done")
        await user.until("agent.speech.end")
        await user.send("user.control", word="STOP")
        await rigged.result()
        while not any(b"Done." in entry.payload for entry in entries):
            message = await anext(batches)
            entries.append(Entry(f"session/{VIN}/frame", message.payload))
    frames = Record(VIN, tuple(entries)).frames
    traced = [(frame.body.TYPE, frame.traceparent) for frame in frames if frame.traceparent]
    assert traced == [("session.ready", SESSION), ("tool.call", CALL)]
