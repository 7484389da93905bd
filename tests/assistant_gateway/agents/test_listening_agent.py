"""`realtime:MODEL` that hears the driver and speaks, against a mock model over a real socket."""

import asyncio
from array import array
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from openai import AsyncOpenAI

from assistant_gateway.agents.realtime.serving import realtime_agent
from assistant_gateway.agents.realtime.turn_detection import TurnDetection
from assistant_gateway.agents.remote import AudioPiece, Finished, Piece, RemoteAgent
from assistant_gateway.agents.speaking_front import FrontVoice
from assistant_gateway.mock_llm.server import mock_llm
from assistant_gateway.models.access import Access
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.protocol import Body, ResponseAudioClear, SessionStart, TurnDetected
from assistant_gateway.sound.audio_capability import OFFER
from assistant_gateway.sound.gate import MS, Interval, audible
from assistant_gateway.sound.pcm import RATE, from_bytes, silence, to_bytes, to_wav
from assistant_gateway.sound.sound import Sound
from assistant_gateway.sound.voice import by_command
from assistant_gateway.sound.word_times import spread
from tests.assistant_gateway.realtime import CALLS, KEY, Event, Listening
from tests.assistant_gateway.realtime_rig import calls, text
from tests.assistant_gateway.sound.test_gate import burst, quiet

START = SessionStart(instructions="Be brief.", tools=[], audio=OFFER)
SAYS_MS = 800
FRAME = RATE * 40 // 1000
YES = {"say": "Yes."}


class Car:
    """The gateway's part of a session: frames of the microphone, and what the agent tells."""

    def __init__(self, agent: RemoteAgent, folder: Path) -> None:
        self.agent = agent
        self.told: asyncio.Queue[Body] = asyncio.Queue()
        self._folder = folder
        self._samples = 0
        agent.begin(self.told.put)

    async def hears(self, samples: Any) -> None:
        for start in range(0, len(samples), FRAME):
            part = samples[start : start + FRAME]
            self._samples += len(part)
            audio = b64encode(to_bytes(part)).decode()
            await self.agent.hears(audio, self._samples * 1_000_000_000 // RATE)

    async def driver_says(self, words: str) -> None:
        """A second of sound that was spoken before, by a voice that says it like nothing else."""
        chance = Random(words)
        loud = array("h", (chance.randint(-9000, 9000) for _ in range(RATE)))
        sound = Sound(loud, tuple(spread(words.split(), Interval(0, 1000 * MS))))
        (self._folder / f"{len(words)}.sound").write_bytes(sound.to_bytes())
        await self.agent.speech_begins()
        await self.hears(loud)

    async def until_told(self, kind: type[Body]) -> None:
        while not isinstance(await self.told.get(), kind):
            pass

    async def answer(self) -> list[Piece]:
        pieces = self.agent.heard("what the text says is not what the model hears")
        going_on = asyncio.create_task(self.hears(silence(RATE)))
        found = [piece async for piece in pieces]
        await going_on
        return found


@asynccontextmanager
async def listening(
    folder: Path, *rules: Event, turn_detection: TurnDetection = "truth", lead_in_ms: int = 0
) -> AsyncIterator[tuple[Listening, Car]]:
    """Whatever the model says takes 800 ms."""
    (folder / "voice.wav").write_bytes(to_wav(quiet(70) + burst(SAYS_MS)))
    voice = FrontVoice(by_command(f"cat '{folder / 'voice.wav'}'"), folder, lead_in_ms)
    player = Listening(*rules)
    async with asyncio.timeout(20), mock_llm(player, voice=voice) as model:
        choice = ModelChoice("mock", Access(model.url, KEY))
        async with (
            AsyncOpenAI(api_key=KEY, base_url=model.url, max_retries=0) as client,
            realtime_agent(client, choice, START, turn_detection) as agent,
        ):
            yield player, Car(agent, folder)


def sound(pieces: list[Piece]) -> Any:
    """All samples of an answer."""
    parts = [b64decode(piece.audio) for piece in pieces if isinstance(piece, AudioPiece)]
    return from_bytes(b"".join(parts))


@pytest.mark.parametrize("lead_in_ms", [0, 120, 480])
async def test_the_model_hears_the_words_and_answers_with_sound(
    tmp_path: Path, lead_in_ms: int
) -> None:
    async with listening(tmp_path, YES, lead_in_ms=lead_in_ms) as (player, car):
        for words in ("Open the window.", "And the other one, please."):
            await car.hears(silence(FRAME * 5))
            await car.driver_says(words)
            said = await car.answer()
            assert text(said) == "Yes."
            (heard,) = audible(sound(said))
            assert heard.begins_ns / MS == pytest.approx(lead_in_ms, abs=20)
            assert (heard.ends_ns - heard.begins_ns) / MS == pytest.approx(SAYS_MS, abs=20)
            assert isinstance(said[-1], Finished)
    assert player.texts() == [
        ("user", "Open the window."),
        ("assistant", "Yes."),
        ("user", "And the other one, please."),
    ]


async def test_calls_come_with_sound_and_their_results_go_back(tmp_path: Path) -> None:
    rules = ({"when": {"turn": 1}, "say": "I look.", "tool_calls": CALLS}, {"say": "Done."})
    async with listening(tmp_path, *rules) as (player, car):
        await car.driver_says("Faster.")
        asked = await car.answer()
        outputs = {call.call_id: "[]" for call in calls(asked)}
        said = [piece async for piece in car.agent.answered(outputs)]
    assert (text(asked), text(said)) == ("I look.", "Done.")
    assert len(calls(asked)) == 2
    assert player.texts()[1:] == [("assistant", "I look."), ("tool", "[]"), ("tool", "[]")]


@pytest.mark.parametrize(
    ("played_ms", "kept"), [(450, "One two"), (0, None), (SAYS_MS, "One two three four")]
)
async def test_what_was_not_played_leaves_the_conversation(
    tmp_path: Path, played_ms: int, kept: str | None
) -> None:
    counting = {"when": {"turn": 1}, "say": "One two three four", "at_most": 1}
    async with listening(tmp_path, counting, YES) as (player, car):
        await car.driver_says("Count.")
        await car.answer()
        await car.agent.cleared(played_ms)
        car.agent.interrupted("whatever")
        await car.driver_says("Stop it.")
        await car.answer()
    said = [] if kept is None else [("assistant", kept)]
    assert player.texts() == [("user", "Count."), *said, ("user", "Stop it.")]


async def test_the_server_finds_out_when_the_driver_has_finished(tmp_path: Path) -> None:
    async with listening(tmp_path, YES, turn_detection="server_vad") as (player, car):
        await car.hears(silence(RATE))
        await car.driver_says("Open the window.")
        said = await car.answer()
        assert text(said) == "Yes."
        assert [type(car.told.get_nowait()) for _ in range(2)] == [ResponseAudioClear, TurnDetected]
    assert player.texts() == [("user", "Open the window.")]


async def test_who_is_cut_short_goes_on_and_is_answered_once(tmp_path: Path) -> None:
    """A pause of 800 ms: the server answers the first half, which the driver never hears."""
    async with listening(tmp_path, YES, turn_detection="server_vad") as (player, car):
        await car.hears(silence(RATE))
        await car.driver_says("Open the")
        await car.hears(silence(RATE * 800 // 1000))
        await car.until_told(TurnDetected)
        await car.driver_says("window on my side.")
        await car.until_told(ResponseAudioClear)
        said = await car.answer()
    assert text(said) == "Yes."
    assert player.texts(0) == [("user", "Open the")]
    assert [line for line in player.texts() if line[0] == "user"] == [
        ("user", "Open the"),
        ("user", "window on my side."),
    ]


async def test_a_broken_connection_is_told_to_who_waits(tmp_path: Path) -> None:
    cut = {"fault": "cut", "say": "One. Two. Three. Four."}
    async with listening(tmp_path, cut, turn_detection="server_vad") as (_, car):
        await car.hears(silence(RATE))
        await car.driver_says("Open the window.")
        with pytest.raises(Exception, match="connection"):
            await car.answer()
