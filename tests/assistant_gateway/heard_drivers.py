"""A driver whose voice is known sample by sample, without a synthesiser."""

from pathlib import Path

from assistant_gateway.sound.cabin import Cabin
from assistant_gateway.sound.gate import MS, Interval
from assistant_gateway.sound.noise import CabinNoise, Noise
from assistant_gateway.sound.sound import Sound
from assistant_gateway.sound.utterances import DriverSound, Utterances
from assistant_gateway.sound.voice import Voice, by_command
from assistant_gateway.sound.word_times import spread
from tests.assistant_gateway.sound.test_gate import burst, quiet

SAYS_NOTHING = by_command("false")
LASTS_MS = 700
AFTER_MS = 300


def sound_of(text: str) -> Sound:
    """A burst of 700 ms, over which the words are spread, and a silence after it."""
    words = tuple(spread(text.split(), Interval(0, LASTS_MS * MS)))
    return Sound(burst(LASTS_MS) + quiet(AFTER_MS), words)


def driver_sound(folder: Path, *texts: str, noisy: bool = False) -> DriverSound:
    """All other texts cannot be spoken."""
    for text in texts:
        file = folder / f"{SAYS_NOTHING.key(text, Voice())}.sound"
        file.write_bytes(sound_of(text).to_bytes())

    def noise(cabin: Cabin) -> Noise | None:
        return CabinNoise(cabin, "1") if noisy else None

    return DriverSound(Utterances(Voice(), SAYS_NOTHING, folder), noise)
