"""A front speaks for an agent of text, behind a silence that is known."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.baselines import BaselineAgent
from assistant_gateway.agents.client import PacedAgent, serve_agent
from assistant_gateway.agents.speaking_front import FrontVoice, serve_spoken
from assistant_gateway.protocol import SessionStart
from assistant_gateway.sound.pcm import to_wav
from assistant_gateway.sound.voice import by_command
from assistant_gateway.timing.latency import LatencyModel, latency_profile
from assistant_gateway.timing.speech import Speech, speech_profile
from assistant_gateway.timing.timeline import MS
from tests.assistant_gateway.gateways import VIN, Raw, Rig, raw, rig
from tests.assistant_gateway.heard_drivers import driver_sound
from tests.assistant_gateway.sound.test_gate import burst, quiet
from vehicle_bus.broker.choose import connect
from vehicle_bus.bus import Subscription
from vehicle_bus.contract import Topics

TEXT = "Hello."
LASTS_MS = 800


class FanAgent:
    """Announces a call, makes it, and says two sentences."""

    name = "fan"

    def begin(self, session: SessionStart, sid: str) -> None:
        return

    def on_heard(self, text: str) -> AgentMessage:
        return AgentMessage("One moment.", (Call("set_fan_speed", {"level": 2}),))

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage:
        return AgentMessage("The fan is on. What else?")

    def on_interrupted(self, heard: str, unsaid: AgentMessage | None) -> None:
        return


def front_voice(folder: Path, lead_in_ms: int = 0) -> FrontVoice:
    """It says the same 800 ms whatever it is asked to say, 70 ms late."""
    wav = folder / "voice.wav"
    wav.write_bytes(to_wav(quiet(70) + burst(LASTS_MS)))
    return FrontVoice(by_command(f"cat '{wav}'"), folder, lead_in_ms)


def paced(_: str) -> PacedAgent:
    return PacedAgent(FanAgent(), LatencyModel(latency_profile("zero"), "1"))


@asynccontextmanager
async def talking(
    folder: Path, voice: FrontVoice, *, in_text: bool = False
) -> AsyncIterator[tuple[Rig, Raw, Subscription]]:
    """A driver, and the turns of a session with an agent behind a front."""
    heard = driver_sound(folder, TEXT)
    speech = Speech(speech_profile("constant"), said=heard.utterances)
    plan: dict[str, Any] = {} if in_text else {"sound": heard, "speech": speech}

    async def serve(url: str, token: str) -> None:
        await serve_agent(url, token, paced)

    async with (
        rig(pace="fast", **plan) as rigged,
        connect(rigged.address, "observer") as bus,
        bus.subscribe(Topics().session(VIN, VIN, "turn")) as finished,
        raw(rigged, "user") as user,
        asyncio.TaskGroup() as tasks,
    ):
        gate = rigged.gateway
        front = serve_spoken(gate.url, gate.tokens.agent, serve=serve, voice=voice)
        serving = tasks.create_task(front)
        await user.send("session.open", scenario_id=VIN)
        await user.until("session.opened")
        yield rigged, user, finished
        serving.cancel()


async def ask(user: Raw, finished: Subscription) -> tuple[str, dict[str, Any]]:
    await user.send("user.speech.start", utt="1", planned_words=[TEXT])
    heard = await user.until("agent.speech.end")
    return heard["data"]["heard_text"], orjson.loads((await anext(finished)).payload)


@pytest.mark.parametrize("lead_in_ms", [0, 120, 480])
async def test_what_an_agent_of_text_says_is_heard_behind_a_known_lead_in(
    tmp_path: Path, lead_in_ms: int
) -> None:
    async with talking(tmp_path, front_voice(tmp_path, lead_in_ms)) as (_, user, finished):
        for _ in range(3):
            heard, turn = await ask(user, finished)
            assert heard == "One moment. The fan is on. What else?"
            assert turn["calls"] == 1
            assert turn["spans"]["lead_in"] / MS == pytest.approx(lead_in_ms, abs=10)
            audible_ms = sum(end - begin for begin, end in turn["sound"]["agent_audible_ns"]) / MS
            assert audible_ms == pytest.approx(3 * LASTS_MS, abs=200)


async def test_in_a_session_of_text_the_front_only_hands_on(tmp_path: Path) -> None:
    async with talking(tmp_path, front_voice(tmp_path), in_text=True) as (_, user, finished):
        heard, turn = await ask(user, finished)
    assert heard == "One moment. The fan is on. What else?"
    assert turn.get("sound") is None
    assert "first_sound" not in turn["spans"]


async def test_who_is_interrupted_says_nothing_more(tmp_path: Path) -> None:
    async with talking(tmp_path, front_voice(tmp_path)) as (_, user, finished):
        await user.send("user.speech.start", utt="1", planned_words=[TEXT])
        await user.until("agent.speech.start")
        await user.send("user.speech.start", utt="2", is_barge_in=True)
        cut = await user.until("agent.speech.end")
        assert cut["data"]["reason"] == "interrupted"
        await user.send("user.speech.end", utt="2", text=TEXT)
        heard = await user.until("agent.speech.end")
        assert heard["data"]["heard_text"] == "One moment. The fan is on. What else?"
        assert orjson.loads((await anext(finished)).payload)["handed_over"] is False


async def test_a_front_ends_with_the_gateway(tmp_path: Path) -> None:
    async def serve(url: str, token: str) -> None:
        agent = PacedAgent(BaselineAgent("claims"), LatencyModel(latency_profile("zero"), "1"))
        await serve_agent(url, token, lambda _: agent)

    async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
        async with rig() as rigged:
            gate = rigged.gateway
            voice = front_voice(tmp_path)
            front = serve_spoken(gate.url, gate.tokens.agent, serve=serve, voice=voice)
            serving = tasks.create_task(front)
            await gate.agents_connected()
        await serving
