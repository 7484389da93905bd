"""How well a Realtime server finds out that a driver has finished, in noise of a known level.

Openings of the included tasks are spoken in different voices, one after the other, and sent as fast
as the server takes them. It says at which sample it found the end; the true one is known.
"""

import asyncio
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from openai import AsyncOpenAI
from openai.resources.realtime.realtime import AsyncRealtimeConnection
from openai.types.realtime import (
    InputAudioBufferSpeechStoppedEvent,
    RealtimeAudioConfigInputParam,
    RealtimeErrorEvent,
    RealtimeSessionCreateRequestParam,
)
from openai.types.realtime.realtime_audio_input_turn_detection_param import (
    RealtimeAudioInputTurnDetectionParam,
)

from assistant_gateway.agents.realtime.turn_detection import TurnDetection
from assistant_gateway.sound.cabin import Cabin
from assistant_gateway.sound.mixing import mixed
from assistant_gateway.sound.noise import CabinNoise, Noise
from assistant_gateway.sound.pcm import RATE, to_bytes
from assistant_gateway.sound.sound import Sound
from assistant_gateway.sound.speech_band import SPEECH_DBFS
from assistant_gateway.sound.track import Track
from assistant_gateway.sound.voice import Synthesiser, spoken
from evaluator.problems import InfraProblem
from evaluator.results.statistics import nearest_rank
from evaluator.run.sound import said_folder
from evaluator.task.task import Task
from user_sim.persona_voice import persona_voice

BEFORE_MS, AFTER_MS = 1500, 2500  # of noise alone
FRAME = RATE // 10
CARS = {
    "closed, 100 km/h": Cabin(speed_kmh=100),
    "window open, 100 km/h": Cabin(speed_kmh=100, windows=1),
}


@dataclass(frozen=True, slots=True)
class Placed:
    """An utterance in a stream: where it begins and truly ends, in ms, and until when it counts."""

    begins_ms: float
    ends_ms: float
    until_ms: float


@dataclass(frozen=True, slots=True)
class EndOfSpeech:
    """What was found in one kind of noise; delays are those of ends that were not too early.

    `snr_db` is None without noise. Shares are of all utterances.
    """

    car: str
    snr_db: float | None
    utterances: int
    cut_early: float
    never: float
    delay_p50_ms: float | None
    delay_p95_ms: float | None

    def __str__(self) -> str:
        noise = "no noise" if self.snr_db is None else f"{self.car}, {self.snr_db:g} dB"
        delays = [f"{ms:.0f}" if ms is not None else "-" for ms in self.delays_ms]
        shares = f"{self.cut_early:.0%} | {self.never:.0%}".replace("%", " %")
        return f"| {noise} | {shares} | {' / '.join(delays)} |"

    @property
    def delays_ms(self) -> tuple[float | None, float | None]:
        return self.delay_p50_ms, self.delay_p95_ms


HEADER = """\
| noise | cut early | never found | detected minus true end, ms p50 / p95 |
|---|---|---|---|"""


async def utterances(
    tasks: Sequence[Task], count: int, seed: int, synthesiser: Synthesiser
) -> list[Sound]:
    """Openings, each in the voice of its driver."""
    chosen = Random(seed).sample([task for task in tasks if task.driver.script], count)
    sounds = []
    for task in chosen:
        assert task.driver.script is not None
        text = " ".join(task.driver.script.lines["opening"].split())
        voice = persona_voice(task.driver.persona, f"{seed}/{task.task_id}")
        sounds.append(await spoken(text, voice, synthesiser, said_folder()))
    return sounds


def one_after_the_other(sounds: Sequence[Sound]) -> tuple[Track, list[Placed]]:
    """With noise alone between them."""
    track, placed = Track(), []
    for sound in sounds:
        begin = track.add(sound.samples, track.ends + RATE * (BEFORE_MS + AFTER_MS) // 1000)
        begins_ms = begin * 1000 / RATE
        ends_ms = begins_ms + sound.ends_ns / 1e6
        placed.append(Placed(begins_ms, ends_ms, ends_ms + AFTER_MS))
    return track, placed


def judged(
    car: str, snr_db: float | None, placed: Sequence[Placed], stops_ms: Sequence[int]
) -> EndOfSpeech:
    """The first end that a server found for each utterance."""
    delays_ms, early, never = list[float](), 0, 0
    for each in placed:
        found = [at_ms for at_ms in stops_ms if each.begins_ms < at_ms <= each.until_ms]
        if not found:
            never += 1
        elif found[0] < each.ends_ms:
            early += 1
        else:
            delays_ms.append(found[0] - each.ends_ms)
    p50, p95 = (
        round(nearest_rank(sorted(delays_ms), share), 1) if delays_ms else None
        for share in (0.5, 0.95)
    )
    count = len(placed)
    return EndOfSpeech(car, snr_db, count, early / count, never / count, p50, p95)


async def end_of_speech(
    client: AsyncOpenAI,
    model: str,
    sounds: Sequence[Sound],
    levels_db: Sequence[float],
    detection: TurnDetection = "server_vad",
    silence_ms: int | None = None,
) -> list[EndOfSpeech]:
    """Without noise, then each car at each level of speech above the noise."""
    track, placed = one_after_the_other(sounds)
    found = []
    for car, snr_db in ((None, None), *((car, db) for car in CARS for db in levels_db)):
        noise = CabinNoise(CARS[car], "1") if car else None
        async with client.realtime.connect(model=model) as connection:
            await connection.session.update(session=settings(detection, silence_ms))
            stops_ms = await _stops(connection, list(_frames(track, noise, snr_db or 0.0)))
        found.append(judged(car or "", snr_db, placed, stops_ms))
    return found


def settings(detection: TurnDetection, silence_ms: int | None) -> RealtimeSessionCreateRequestParam:
    """Nothing is answered."""
    found: RealtimeAudioInputTurnDetectionParam
    if detection == "semantic_vad":
        found = {"type": "semantic_vad", "create_response": False}
    elif silence_ms is None:
        found = {"type": "server_vad", "create_response": False}
    else:
        found = {"type": "server_vad", "create_response": False, "silence_duration_ms": silence_ms}
    sound: RealtimeAudioConfigInputParam = {
        "format": {"type": "audio/pcm", "rate": RATE},
        "turn_detection": found,
    }
    return {"type": "realtime", "output_modalities": ["text"], "audio": {"input": sound}}


def _frames(track: Track, noise: Noise | None, snr_db: float) -> Iterator[str]:
    last = track.ends + RATE * (BEFORE_MS + AFTER_MS) // 1000
    for begin in range(0, last, FRAME):
        samples = track.part(begin, FRAME)
        if noise is not None:
            softer = SPEECH_DBFS - snr_db - noise.dbfs
            samples = mixed([(samples, 0.0), (noise.samples(begin, FRAME), softer)])
        yield b64encode(to_bytes(samples)).decode("ascii")


async def _stops(connection: AsyncRealtimeConnection, frames: Sequence[str]) -> list[int]:
    stops_ms = list[int]()

    async def listen() -> None:
        async for event in connection:
            if isinstance(event, InputAudioBufferSpeechStoppedEvent):
                stops_ms.append(event.audio_end_ms)
            if isinstance(event, RealtimeErrorEvent):
                raise InfraProblem(f"the server says: {event.error.message}")
            if event.type == "input_audio_buffer.cleared":
                return

    async with asyncio.TaskGroup() as tasks:
        listening = tasks.create_task(listen(), name="listening")
        for frame in frames:
            if listening.done():
                break
            await connection.input_audio_buffer.append(audio=frame)
        await connection.input_audio_buffer.clear()  # answered when all before it was heard
    return stops_ms
