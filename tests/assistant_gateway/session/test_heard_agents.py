"""What the gateway measures of an agent's sound is what the agent played, over real sockets."""

from base64 import b64decode, b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from assistant_gateway.session.peer_link import MOST_AUDIO_FRAMES, Received, TooMuch
from assistant_gateway.sound.microphone import Echo
from assistant_gateway.sound.pcm import Samples, dbfs, from_bytes, to_bytes
from assistant_gateway.timing.speech import Speech, speech_profile
from assistant_gateway.timing.timeline import MS
from tests.assistant_gateway.gateways import VIN, Raw, raw, rig
from tests.assistant_gateway.heard_drivers import driver_sound
from tests.assistant_gateway.sound.test_gate import burst, quiet
from vehicle_bus.broker.choose import connect
from vehicle_bus.contract import Topics

TEXT = "Hello."
LEAD_INS_MS = (0, 120, 480) * 3


async def answers(agent: Raw, lead_in_ms: int) -> None:
    """Silence, then a second of sound, in frames of 100 ms."""
    await agent.send("response.text.delta", delta="Hello to you.")
    samples = quiet(lead_in_ms) + burst(1000)
    for start in range(0, len(samples), 2400):
        audio = b64encode(to_bytes(samples[start : start + 2400])).decode()
        await agent.send("response.audio.delta", audio=audio)
    await agent.send("response.done")


async def test_a_known_lead_in_is_measured_within_10_ms(tmp_path: Path) -> None:
    heard = driver_sound(tmp_path, TEXT)
    speech = Speech(speech_profile("constant"), said=heard.utterances)
    found = list[dict[str, Any]]()
    async with (
        rig(pace="fast", sound=heard, speech=speech) as rigged,
        connect(rigged.address, "observer") as bus,
        bus.subscribe(Topics().session(VIN, VIN, "turn")) as finished,
        raw(rigged, "agent") as agent,
        raw(rigged, "user") as user,
    ):
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="voice", capabilities={"audio": {"output": {}}})
        await user.until("session.opened")
        for number, lead_in_ms in enumerate(LEAD_INS_MS):
            await user.send("user.speech.start", utt=str(number), planned_words=[TEXT])
            await agent.until("input.transcript.final")
            await answers(agent, lead_in_ms)
            spoken = await user.until("agent.speech.end")
            assert spoken["data"]["heard_text"] == "Hello to you."
            found.append(orjson.loads((await anext(finished)).payload))
    for turn, lead_in_ms in zip(found, LEAD_INS_MS, strict=True):
        spans = turn["spans"]
        assert spans["lead_in"] / MS == pytest.approx(lead_in_ms, abs=10)
        behind = spans["first_sound"] - spans["first_delta"]
        assert behind / MS == pytest.approx(lead_in_ms, abs=10)
        ((begins_ns, ends_ns),) = turn["sound"]["agent_audible_ns"]
        assert (ends_ns - begins_ns) / MS == pytest.approx(1000, abs=20)
        assert turn["sound"]["gate"]["threshold_dbfs"] == -45


async def test_an_agent_hears_itself_softer_until_it_is_interrupted(tmp_path: Path) -> None:
    heard = replace(driver_sound(tmp_path, TEXT), echo=Echo(-30.0, delay_ms=40))
    speech = Speech(speech_profile("constant"), said=heard.utterances)
    both: dict[str, Any] = {"audio": {"input": {}, "output": {}}}
    async with (
        rig(pace="live", sound=heard, speech=speech) as rigged,
        raw(rigged, "agent") as agent,
        raw(rigged, "user") as user,
    ):
        await user.send("session.open", scenario_id=VIN)
        await agent.until("session.start")
        await agent.send("session.ready", name="voice", capabilities=both)
        await user.until("session.opened")
        await user.send("user.speech.start", utt="1", planned_words=[TEXT])
        await agent.until("input.transcript.final")
        await answers(agent, 0)
        loudest = [await heard_frame(agent) for _ in range(6)]
        await user.send("user.speech.start", utt="2", is_barge_in=True)
        await agent.until("interrupt")
        after = [await heard_frame(agent) for _ in range(6)]
    assert max(map(dbfs, loudest)) == pytest.approx(dbfs(burst(100)) - 30, abs=1)
    assert not any(map(any, after[2:]))


async def heard_frame(agent: Raw) -> Samples:
    frame = await agent.until("input.audio.append")
    return from_bytes(b64decode(frame["data"]["audio"]))


def test_samples_are_counted_apart_from_words() -> None:
    received = Received()
    for _ in range(MOST_AUDIO_FRAMES):
        received.frame("x" * 100)
        received.audio("x" * 100)
    assert (received.frames, received.characters) == (0, 0)
    received.frame("x")
    with pytest.raises(TooMuch, match="an hour of sound"):
        received.audio("x")
