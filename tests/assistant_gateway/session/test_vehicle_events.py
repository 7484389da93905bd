"""What happens to the car reaches an agent that asks for it, at its place in the conversation."""

from typing import Any

import pytest

from tests.assistant_gateway.gateways import VIN, Raw, raw, rig
from vehicle_bus.car.state import CarSetup, PlannedEvent

WORDS = ["well", "the", "fan", "is", "too", "strong", "now"]
KNOB = CarSetup(happenings=(PlannedEvent(at_s=1, set={"fan_speed": 5}),))


async def frames_until(agent: Raw, kind: str) -> list[dict[str, Any]]:
    frames = [await agent.frame()]
    while frames[-1]["type"] != kind:
        frames.append(await agent.frame())
    return frames


async def begin(agent: Raw, user: Raw, **capabilities: bool) -> None:
    await user.send("session.open", scenario_id=VIN)
    await agent.until("session.start")
    await agent.send("session.ready", name="by hand", capabilities=capabilities)
    await user.until("session.opened")
    await user.send("user.speech.start", utt="1", planned_words=WORDS)


async def test_it_is_sent_before_the_words_that_came_after_it() -> None:
    async with rig(KNOB) as rigged, raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        await begin(agent, user, vehicle_events=True, speech_events=False)
        event, final = await frames_until(agent, "input.transcript.final")
        assert event["type"] == "vehicle.event"
        assert event["data"] == {
            "kind": "knob",
            "detail": {"by": "passenger", "set": {"fan_speed": 5}},
            "now_ns": final["data"]["now_ns"],
        }


@pytest.mark.parametrize("asked", [{}, {"vehicle_events": False}])
async def test_an_agent_that_does_not_ask_gets_no_events(asked: dict[str, bool]) -> None:
    async with rig(KNOB) as rigged, raw(rigged, "agent") as agent, raw(rigged, "user") as user:
        await begin(agent, user, speech_events=False, **asked)
        [final] = await frames_until(agent, "input.transcript.final")
        assert final["data"]["text"] == " ".join(WORDS)


async def test_in_real_time_it_is_sent_at_the_latest_before_the_result_of_a_call() -> None:
    late = CarSetup(happenings=(PlannedEvent(at_s=0.5, set={"fan_speed": 5}),))
    async with (
        rig(late, pace="live") as rigged,
        raw(rigged, "agent") as agent,
        raw(rigged, "user") as user,
    ):
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="by hand", capabilities={"vehicle_events": True})
        await user.until("session.opened")
        await user.send("user.speech.start", utt="1", planned_words=WORDS[:2])
        before = await frames_until(agent, "input.transcript.final")
        await agent.send("tool.call", cid="x", name="get_climate_settings", arguments={})
        await agent.send("response.done")
        kinds = [each["type"] for each in before + await frames_until(agent, "tool.result")]
        assert kinds.count("vehicle.event") == 1
