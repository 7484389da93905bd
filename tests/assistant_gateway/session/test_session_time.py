"""Session time begins when the session is open, whatever happened before."""

import asyncio
from typing import Any

import orjson
import pytest

from assistant_gateway.timing.timeline import MS, SECOND, wall_ns
from tests.assistant_gateway.gateways import VIN, raw, rig
from vehicle_bus.broker.choose import connect
from vehicle_bus.contract import Topics

FUMBLES_NS = 100 * MS


@pytest.mark.malformed("an unknown frame")
async def test_an_agent_that_fumbled_before_the_session_delays_nothing_in_it() -> None:
    async with (
        rig(pace="live") as rigged,
        connect(rigged.address, "observer") as bus,
        bus.subscribe(Topics().session(VIN, VIN, "frame")) as batches,
        raw(rigged, "agent") as agent,
        raw(rigged, "user") as user,
    ):
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await asyncio.sleep(FUMBLES_NS / SECOND)
        await agent.send("nonsense")
        await agent.until("error")
        await agent.send("session.ready", name="fumbling")
        await user.until("session.opened")
        await user.send("user.speech.start", utt="1")
        await agent.until("input.speech_started")
        heard_ns = wall_ns()
        await user.send("user.hangup")
        await rigged.result()
        frames = dict[str, Any]()
        while "user.hangup" not in frames:
            batch = orjson.loads((await anext(batches)).payload)
            frames |= {frame["type"]: frame for frame in batch["frames"]}
    open_for_ns = heard_ns - frames["session.opened"]["mono_ns"]
    assert frames["user.speech.start"]["t_ns"] < open_for_ns + FUMBLES_NS / 2
