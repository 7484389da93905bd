"""`live:MODEL` against a mock voice over a real socket; time passes as sound comes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from openai import AsyncOpenAI

from assistant_gateway.agents.live.agent import live_agent
from assistant_gateway.agents.remote import NO_ANSWER, AgentFailed, Finished, Piece
from assistant_gateway.agents.speaking_front import FrontVoice
from assistant_gateway.mock_llm.server import mock_llm
from assistant_gateway.models.access import Access
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.protocol import SessionStart
from assistant_gateway.sound.gate import MS, audible
from assistant_gateway.sound.pcm import RATE, silence, to_wav
from assistant_gateway.sound.voice import by_command
from tests.assistant_gateway.agents.test_listening_agent import SAYS_MS, START, YES, Car, sound
from tests.assistant_gateway.realtime import CALLS, KEY, Event, Listening
from tests.assistant_gateway.realtime_rig import calls, text
from tests.assistant_gateway.sound.test_gate import burst, quiet

STEP = RATE // 10


class LiveCar(Car):
    """Its microphone hears on while an answer is waited for."""

    async def all_of(self, pieces: AsyncIterator[Piece]) -> list[Piece]:
        async def hear() -> None:
            while True:
                await self.hears(silence(STEP))
                await asyncio.sleep(0.005)

        hearing = asyncio.create_task(hear())
        found = [piece async for piece in pieces]
        hearing.cancel()
        return found

    async def answer(self) -> list[Piece]:
        return await self.all_of(self.agent.heard("what the text says is not what it hears"))


@asynccontextmanager
async def living(
    folder: Path, *rules: Event, start: SessionStart = START
) -> AsyncIterator[tuple[Listening, LiveCar]]:
    (folder / "voice.wav").write_bytes(to_wav(quiet(70) + burst(SAYS_MS)))
    voice = FrontVoice(by_command(f"cat '{folder / 'voice.wav'}'"), folder)
    player = Listening(*rules)
    async with asyncio.timeout(20), mock_llm(player, voice=voice) as model:
        choice = ModelChoice("mock", Access(model.url, KEY))
        async with (
            AsyncOpenAI(api_key=KEY, base_url=model.url, max_retries=0) as client,
            live_agent(client, choice, start, "behind") as agent,
        ):
            yield player, LiveCar(agent, folder)


async def test_a_voice_answers_within_its_silence(tmp_path: Path) -> None:
    async with living(tmp_path, YES) as (player, car):
        for words in ("Open the window.", "And the other one, please."):
            await car.hears(silence(RATE))
            await car.driver_says(words)
            said = await car.answer()
            assert text(said) == "Yes."
            (heard,) = audible(sound(said))
            assert heard.begins_ns >= 400 * MS  # the server waits for half a second of silence
            assert (heard.ends_ns - heard.begins_ns) / MS == pytest.approx(SAYS_MS, abs=20)
            assert isinstance(said[-1], Finished)
    assert player.asked[0].model == "behind"
    assert player.texts() == [
        ("user", "Open the window."),
        ("assistant", "Yes. "),
        ("user", "And the other one, please."),
    ]


async def test_the_model_behind_the_voice_makes_calls(tmp_path: Path) -> None:
    rules = ({"when": {"turn": 1}, "tool_calls": CALLS}, {"say": "Done."})
    async with living(tmp_path, *rules) as (player, car):
        await car.hears(silence(RATE))
        await car.driver_says("Faster.")
        asked = await car.answer()
        made = calls(asked)
        said = await car.all_of(car.agent.answered({call.call_id: "[]" for call in made}))
    assert [(call.name, call.arguments) for call in made] == [
        (call["name"], call["arguments"]) for call in CALLS
    ]
    assert text(said) == "Done."
    assert player.texts()[1:] == [("assistant", ""), ("tool", "[]"), ("tool", "[]")]
    assert isinstance(said[-1], Finished)
    assert said[-1].usage is not None
    assert said[-1].usage["requests"] == 1


async def test_calls_of_a_turn_that_is_over_get_an_output(tmp_path: Path) -> None:
    rules = ({"when": {"turn": 1}, "tool_calls": CALLS[:1], "at_most": 1}, YES)
    async with living(tmp_path, *rules) as (player, car):
        await car.hears(silence(RATE))
        await car.driver_says("Faster.")
        await car.answer()
        car.agent.interrupted("")
        await car.agent.gave_up({})
        await car.driver_says("No, stop.")
        assert text(await car.answer()) == "Yes."
    assert ("tool", NO_ANSWER) in player.texts()


async def test_in_a_session_of_text_it_has_failed(tmp_path: Path) -> None:
    in_text = SessionStart(instructions="Be brief.", tools=[])
    async with living(tmp_path, YES, start=in_text) as (_, car):
        with pytest.raises(AgentFailed, match="add --speech audio"):
            await anext(car.agent.heard("Hello"))


async def test_without_a_voice_the_mock_says_what_to_install(tmp_path: Path) -> None:
    async with asyncio.timeout(20), mock_llm(Listening(YES)) as model:
        choice = ModelChoice("mock", Access(model.url, KEY))
        async with (
            AsyncOpenAI(api_key=KEY, base_url=model.url, max_retries=0) as client,
            live_agent(client, choice, START, "behind") as agent,
        ):
            with pytest.raises(AgentFailed, match="espeak-ng"):
                await anext(agent.heard("Hello"))
