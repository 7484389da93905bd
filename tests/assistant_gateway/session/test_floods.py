"""An agent that sends more than a conversation needs spoils its own session and delays nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from time import process_time
from typing import Any

import orjson
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame as WireFrame
from websockets.frames import Opcode

from assistant_gateway.session.peer_link import (
    MOST_CHARACTERS,
    MOST_FRAMES,
    MOST_UNUSABLE,
    Received,
    TooMuch,
)
from assistant_gateway.timing.budgets import Budgets
from tests.assistant_gateway.gateways import VIN, Raw, Rig, raw, rig
from vehicle_bus.broker.choose import connect
from vehicle_bus.bus import Subscription
from vehicle_bus.contract import Topics

PATIENCE_S = 1.0
SLACK_S = 0.5  # handling all of the flood takes longer
NOISE = orjson.dumps({"type": "error", "data": {"code": "noise", "message": "x"}})


@asynccontextmanager
async def asked(rigged: Rig) -> AsyncIterator[tuple[Raw, Raw]]:
    """An agent that the driver has asked something, and the driver."""
    async with raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="noisy")
        await user.until("session.opened")
        await user.send("user.speech.start", utt="1", planned_words=["hello"])
        await agent.until("input.transcript.final")
        yield agent, user


async def frames_of(batches: Subscription) -> list[dict[str, Any]]:
    """All frames of the session, once it is over."""
    frames: list[dict[str, Any]] = []
    while not frames or frames[-1]["type"] != "session.end":
        frames += orjson.loads((await anext(batches)).payload)["frames"]
    return frames


async def test_a_flood_delays_no_deadline() -> None:
    async with (
        rig(pace="live", budgets=Budgets(patience_s=PATIENCE_S)) as rigged,
        connect(rigged.address, "observer") as bus,
        bus.subscribe(Topics().session(VIN, VIN, "frame")) as batches,
        asked(rigged) as (agent, user),
    ):
        frame = WireFrame(Opcode.TEXT, NOISE).serialize(mask=True)
        flood = frame * (MOST_FRAMES - 1000)
        began_s = process_time()  # what others on a crowded machine do is no delay
        agent.socket.transport.write(flood)
        await user.until("agent.no_reply")
        worked_s = process_time() - began_s
        await user.send("user.hangup")
        await rigged.result()
        frames = await frames_of(batches)
    types = [frame["type"] for frame in frames]
    assert types.count("error") > 1
    assert worked_s <= PATIENCE_S + SLACK_S


async def send(agent: Raw, text: str | bytes, times: int) -> None:
    with suppress(ConnectionClosed):
        for _ in range(times):
            await agent.socket.send(text, text=True)
            await asyncio.sleep(0)


@pytest.mark.malformed("frames that cannot be used")
@pytest.mark.parametrize(
    ("text", "times", "why"),
    [
        ("{", MOST_UNUSABLE + 1, f"more than {MOST_UNUSABLE} frames that cannot be used"),
        ("x" * 70_000, 1, "a frame over 64 KiB"),
        (b"\xff", 1, "text that is no UTF-8"),
    ],
    ids=["too many useless frames", "a frame too long", "no UTF-8"],
)
async def test_who_breaks_the_protocol_has_failed(text: str | bytes, times: int, why: str) -> None:
    async with (
        rig() as rigged,
        connect(rigged.address, "observer") as bus,
        bus.subscribe(Topics().session(VIN, VIN, "frame")) as batches,
        asked(rigged) as (agent, _),
        asyncio.TaskGroup() as tasks,
    ):
        tasks.create_task(read_to_the_end(agent))
        tasks.create_task(send(agent, text, times))
        result = await rigged.result()
        frames = await frames_of(batches)
    assert (result.reason, result.infra) == ("agent_failed", None)
    assert why in [frame for frame in frames if frame["type"] == "error"][-1]["data"]["message"]


async def read_to_the_end(agent: Raw) -> None:
    with suppress(ConnectionClosed):
        async for _frame in agent.socket:
            pass


@pytest.mark.parametrize(
    ("raw", "times", "why"),
    [
        ("{}", MOST_FRAMES, f"more than {MOST_FRAMES} frames in one session"),
        ("x" * 65_536, MOST_CHARACTERS >> 16, "more than 32 MiB in one session"),
    ],
)
def test_there_is_an_end_to_what_one_session_takes(raw: str, times: int, why: str) -> None:
    received = Received()
    for _ in range(times):
        received.frame(raw)
    with pytest.raises(TooMuch, match=why):
        received.frame(raw)
