"""Drivers that are heard: what speaks for them, the noise around them, and what is spoken ahead."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assistant_gateway.protocol import Zone
from assistant_gateway.sound.cabin import SOURCES, Cabin
from assistant_gateway.sound.live_input import LiveInput
from assistant_gateway.sound.microphone import Echo
from assistant_gateway.sound.noise import (
    CabinNoise,
    Loop,
    LoopNoise,
    Noise,
    recorded_loop,
    source_loop,
)
from assistant_gateway.sound.pcm import BadSound, Samples, from_wav
from assistant_gateway.sound.resampling import resampled
from assistant_gateway.sound.speech_band import SPEECH_DBFS
from assistant_gateway.sound.utterances import DriverSound, Listener, Utterances
from assistant_gateway.sound.voice import (
    NoSynthesiser,
    Synthesiser,
    Voice,
    by_command,
    espeak,
    spoken,
)
from evaluator.allowed_values import check_command
from evaluator.options import RunOptions, ServeOptions
from evaluator.problems import UsageProblem
from user_sim.persona_voice import other_voices, persona_voice
from user_sim.script import DriverBrief
from vehicle_bus.world.cache import cache_folder

NO_NOISE, OF_THE_CAR = "off", "car"


@dataclass(frozen=True, slots=True)
class NoiseChoice:
    """What is heard beside a driver: nothing, the car, or a recording `snr_db` below speech."""

    name: str = NO_NOISE
    recording: Loop | None = None
    snr_db: float = 0.0

    def of(self, cabin: Cabin, seed: str) -> Noise | None:
        if self.recording is not None:
            return LoopNoise(self.recording, SPEECH_DBFS - self.snr_db)
        return CabinNoise(cabin, seed) if self.name == OF_THE_CAR else None


@dataclass(frozen=True, slots=True)
class RunSound:
    """What speaks for the drivers of a run, the noise around them, and the assistant's echo."""

    synthesiser: Synthesiser
    noise: NoiseChoice
    echo: Echo | None = None

    def of(
        self,
        voice: Voice,
        seed: str,
        listener: Listener | None = None,
        person: LiveInput | None = None,
        others: Mapping[Zone, Voice] | None = None,
    ) -> DriverSound:
        """Of one session; `seed` is that of its noise, `others` are the voices of other seats."""
        utterances = Utterances(voice, self.synthesiser, said_folder(), others)
        noise = partial(self.noise.of, seed=seed)
        return DriverSound(utterances, noise, self.echo, listener, person)

    async def speak_ahead(self, lines: Iterable[tuple[str, Voice]]) -> None:
        """Keep what drivers may say, so that nobody waits for it while time is measured."""
        try:
            async with asyncio.TaskGroup() as tasks:
                for number, (text, voice) in enumerate(lines):
                    speaking = spoken(text, voice, self.synthesiser, said_folder())
                    tasks.create_task(speaking, name=f"line {number}")
        except* BadSound as errors:
            raise UsageProblem(str(errors.exceptions[0])) from errors.exceptions[0]
        if self.noise.name == OF_THE_CAR:
            for source in SOURCES:
                source_loop(source)


def said_folder() -> Path:
    """Where everything that was spoken is kept."""
    return cache_folder() / "said"


def voice_of(driver: DriverBrief, seed: Callable[[str], str]) -> Voice:
    return persona_voice(driver.persona, seed("persona"))


def lines_of(driver: DriverBrief, seed: Callable[[str], str]) -> Iterable[tuple[str, Voice]]:
    """What a scripted driver says, but for what is put together in the conversation."""
    if (script := driver.script) is None:
        return
    voice = voice_of(driver, seed)
    voices = {"driver": voice, **other_voices(voice, seed("persona"))}
    for place, line in script.lines.items():
        yield " ".join(line.split()), voices[script.speakers.get(place, "driver")]


async def run_sound(options: RunOptions | ServeOptions) -> RunSound | None:
    """None for a run in text; raises `UsageProblem`, also where nothing here can speak."""
    if options.speech == "text":
        return None
    noise = noise_choice(options.noise, options.snr)
    synthesiser = await synthesiser_of(options.voice_command, options.sample_rate)
    echo_db = options.echo if isinstance(options, RunOptions) else None
    return RunSound(synthesiser, noise, None if echo_db is None else Echo(echo_db))


async def synthesiser_of(command: str | None, rate: int = 0) -> Synthesiser:
    """A command that was given, else eSpeak NG; raises `UsageProblem` if there is none."""
    if command is not None:
        check_command("--voice-command", command)
    try:
        return by_command(command, rate) if command is not None else await espeak()
    except NoSynthesiser as error:
        raise UsageProblem(str(error)) from error


def check_snr(noise: str) -> None:
    """Raises `UsageProblem` if --snr has no effect on this noise."""
    if noise == NO_NOISE:
        raise UsageProblem("--snr is about the noise of a file; add --noise FILE.wav")
    if noise == OF_THE_CAR:
        raise UsageProblem(
            "--snr is about the noise of a file, and --noise car is as loud as the car; leave "
            "--snr out"
        )


def noise_choice(name: str, snr_db: float) -> NoiseChoice:
    """By the value of --noise; raises `UsageProblem` if it is no WAV file with sound in it."""
    if name in (NO_NOISE, OF_THE_CAR):
        return NoiseChoice(name)
    try:
        return NoiseChoice(name, recorded_loop(_recording(Path(name))), snr_db)
    except BadSound as error:
        raise UsageProblem(f"--noise: {name}: {error}") from error


def _recording(file: Path) -> Samples:
    try:
        samples = resampled(*from_wav(file.read_bytes()))
    except OSError as error:
        raise UsageProblem(
            f"--noise: expected off, car or a WAV file, but {file} cannot be read: {error.strerror}"
        ) from error
    if not any(samples):
        raise BadSound("it is silent")
    return samples
