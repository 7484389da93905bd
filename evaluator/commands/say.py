"""`codriver say`: a text as the driver would speak it, in a WAV file."""

import asyncio
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel

from assistant_gateway.sound.cabin import Cabin
from assistant_gateway.sound.gate import MS, audible
from assistant_gateway.sound.microphone import Microphone
from assistant_gateway.sound.noise import snr_db
from assistant_gateway.sound.pcm import RATE, BadSound, to_bytes, to_wav
from assistant_gateway.sound.sound import Sound
from assistant_gateway.sound.voice import Voice, spoken
from assistant_gateway.sound.word_times import SpokenWord
from assistant_gateway.wording.spoken import counted
from evaluator.allowed_values import check_ending
from evaluator.options import SayOptions
from evaluator.problems import UsageProblem
from evaluator.run.sound import (
    NO_NOISE,
    OF_THE_CAR,
    check_snr,
    noise_choice,
    said_folder,
    synthesiser_of,
)
from evaluator.views.printing import print_json, print_rich

AROUND_MS = 500  # of noise before and after what is said


class WordInFile(BaseModel):
    """When a word begins and ends in the file."""

    word: str
    begins_ms: int
    ends_ms: int


class SpokenFile(BaseModel):
    """What was written, and how well it can be heard: `sha256` is that of the samples."""

    file: Path
    synthesiser: str
    seconds: float
    sha256: str
    snr_db: float | None
    words: tuple[WordInFile, ...]

    def __str__(self) -> str:
        heard = "" if self.snr_db is None else f", {self.snr_db:.1f} dB above the noise"
        words = f"{counted(len(self.words), 'word')} by {self.synthesiser}"
        return f"{self.file}: {self.seconds:.1f} s, {words}{heard}"


def say(options: SayOptions, *, as_json: bool) -> None:
    """Write the file, and print what is in it; raises `UsageProblem`."""
    _check(options)
    try:
        cabin = Cabin(speed_kmh=options.speed, windows=options.window / 100)
        noise = noise_choice(options.noise, options.snr).of(cabin, str(options.seed))
        synthesiser, sound = asyncio.run(_spoken(options))
    except BadSound as error:
        raise UsageProblem(str(error)) from error
    if not (sound.words and audible(sound.samples)):
        raise UsageProblem(f"nothing of {options.text!r} can be heard: give TEXT with words")
    around_ms = AROUND_MS if noise else 0
    around, microphone = RATE * around_ms // 1000, Microphone()
    microphone.driver.add(sound.samples, around)
    samples = microphone.frame(0, microphone.driver.ends + around, noise)
    try:
        options.out.write_bytes(to_wav(samples))
    except OSError as error:
        raise UsageProblem(f"{options.out} cannot be written: {error.strerror}") from error
    said = SpokenFile(
        file=options.out,
        synthesiser=synthesiser,
        seconds=len(samples) / RATE,
        sha256=sha256(to_bytes(samples)).hexdigest(),
        snr_db=round(snr_db(sound.samples, noise), 1) if noise else None,
        words=tuple(_in_file(word, around_ms) for word in sound.words),
    )
    print_json(said) if as_json else print_rich(str(said))


def _check(options: SayOptions) -> None:
    """Raises `UsageProblem` for what cannot be said or written, and for what has no effect."""
    if not any(map(str.isalnum, options.text)):
        raise UsageProblem(f"there is no word in {options.text!r}: give TEXT with words")
    in_car = options.noise == OF_THE_CAR
    recorded = not in_car and options.noise != NO_NOISE
    spoken_by = "leave --voice-command out, which has a voice of its own"
    has_effect = {
        "speed": (in_car, "add --noise car"),
        "window": (in_car, "add --noise car"),
        "voice": (options.voice_command is None, spoken_by),
        "rate": (options.voice_command is None, spoken_by),
        "sample_rate": (options.voice_command is not None, "add --voice-command"),
    }
    for name, (heard, what_to_do) in has_effect.items():
        if not heard and getattr(options, name) != getattr(SayOptions, name):
            raise UsageProblem(f"--{name.replace('_', '-')} has no effect here: {what_to_do}")
    if options.snr != SayOptions.snr:
        check_snr(options.noise)
    check_ending("--out", options.out, (".wav",))
    if recorded and options.out.exists() and Path(options.noise).resolve() == options.out.resolve():
        raise UsageProblem(f"--out would overwrite the noise {options.noise}: name another file")


def _in_file(spoken_word: SpokenWord, later_ms: int) -> WordInFile:
    begins_ms, ends_ms = spoken_word.begins_ns // MS, spoken_word.ends_ns // MS
    return WordInFile(
        word=spoken_word.word, begins_ms=begins_ms + later_ms, ends_ms=ends_ms + later_ms
    )


async def _spoken(options: SayOptions) -> tuple[str, Sound]:
    voice = Voice(name=options.voice, words_per_minute=options.rate)
    synthesiser = await synthesiser_of(options.voice_command, options.sample_rate)
    return synthesiser.name, await spoken(options.text, voice, synthesiser, said_folder())
