"""The noise in the cabin, sample by sample: the same for the same car, seed and moment.

Each source is a loop of seconds, made once. They differ in length, so that their sum does not
repeat within a session. A seed chooses where each loop begins.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate
from random import Random
from typing import Protocol

from assistant_gateway.sound.cabin import Cabin, Source
from assistant_gateway.sound.mixing import mixed
from assistant_gateway.sound.pcm import (
    FULL_SCALE,
    RATE,
    Samples,
    from_bytes,
    limited,
    silence,
)
from assistant_gateway.sound.speech_band import band_dbfs, speech_dbfs

LOOP_DBFS = -20.0  # of a loop, over all frequencies
FADE = RATE // 4
THROB_HZ, THROB = 14.0, 0.5  # how wind beats in an open car


class Noise(Protocol):
    """What the microphone hears when nobody speaks; `begin` counts samples of the session."""

    def samples(self, begin: int, count: int) -> Samples: ...

    @property
    def dbfs(self) -> float:
        """Its level within the band of speech."""
        ...


@dataclass(frozen=True, slots=True)
class Loop:
    """Sound that can be repeated without a click, and its level within the band of speech."""

    samples: Samples
    dbfs: float

    def part(self, begin: int, count: int) -> Samples:
        made = silence(0)
        while len(made) < count:
            at = (begin + len(made)) % len(self.samples)
            made += self.samples[at : at + count - len(made)]
        return made


@dataclass(frozen=True, slots=True)
class CabinNoise:
    """Of a car as it is at a moment."""

    cabin: Cabin
    seed: str = ""

    @property
    def dbfs(self) -> float:
        return self.cabin.noise_dbfs

    def samples(self, begin: int, count: int) -> Samples:
        parts = []
        for source, level in self.cabin.levels().items():
            loop = source_loop(source)
            offset = _offset(self.seed, source)
            parts.append((loop.part(begin + offset, count), level - loop.dbfs))
        return mixed(parts)


@dataclass(frozen=True, slots=True)
class LoopNoise:
    """A recording, repeated, at a level within the band of speech."""

    loop: Loop
    dbfs: float

    def samples(self, begin: int, count: int) -> Samples:
        return mixed([(self.loop.part(begin, count), self.dbfs - self.loop.dbfs)])


def snr_db(speech: Samples, noise: Noise) -> float:
    """How much louder an utterance is than the noise, within the band of speech."""
    return speech_dbfs(speech) - noise.dbfs


def recorded_loop(samples: Samples) -> Loop:
    """A recording as a loop; one that is long enough has its end faded into its beginning."""
    made = limited([round(value) for value in _without_seam(samples)])
    return Loop(made, band_dbfs(made))


def _without_seam(values: Sequence[float]) -> list[float]:
    """Shorter by what follows its end: that fades into its beginning."""
    count = len(values) - FADE
    if count < FADE:
        return list(values)
    shares = [number / FADE for number in range(FADE)]
    head = [
        after * math.sqrt(1 - share) + before * math.sqrt(share)
        for share, before, after in zip(shares, values, values[count:], strict=False)
    ]
    return [*head, *values[FADE:count]]


Filter = Callable[[Iterable[float]], Iterable[float]]


def lowpass(corner_hz: float) -> Filter:
    part = 1 - math.exp(-2 * math.pi * corner_hz / RATE)
    return lambda values: accumulate(values, lambda held, value: held + part * (value - held))


def highpass(corner_hz: float) -> Filter:
    def filtered(values: Iterable[float]) -> Iterable[float]:
        kept = list(values)
        low = lowpass(corner_hz)(kept)
        return [value - held for value, held in zip(kept, low, strict=True)]

    return filtered


def throbbing(values: Iterable[float]) -> Iterable[float]:
    for number, value in enumerate(values):
        yield value * (1 + THROB * math.sin(2 * math.pi * THROB_HZ * number / RATE))


# How many seconds of white noise, and what gives it the colour of each source.
SHAPES: dict[Source, tuple[float, tuple[Filter, ...]]] = {
    "microphone": (3.1, ()),
    "tyres": (7.3, (highpass(60), lowpass(90), lowpass(90))),
    "wind": (5.3, (highpass(60), lowpass(300))),
    "openings": (4.7, (highpass(60), lowpass(800), throbbing)),
    "fan": (3.7, (highpass(150), lowpass(1000))),
    "rain": (2.9, (highpass(800), lowpass(6000))),
}


@cache
def source_loop(source: Source) -> Loop:
    """Made when it is first needed, in about a tenth of a second."""
    seconds, filters = SHAPES[source]
    count = round(seconds * RATE) + FADE
    values: Iterable[float] = from_bytes(Random(source).randbytes(2 * count))
    for coloured in filters:
        values = coloured(values)
    samples = _at_level(_without_seam(list(values)), LOOP_DBFS)
    return Loop(samples, band_dbfs(samples))


@lru_cache(maxsize=1024)
def _offset(seed: str, source: Source) -> int:
    """Where the loop of a source begins in a session."""
    return Random(f"{seed}/{source}").randrange(len(source_loop(source).samples))


def _at_level(values: Sequence[float], level: float) -> Samples:
    loud = math.sqrt(math.fsum(value * value for value in values) / len(values))
    gain = 10 ** (level / 20) * FULL_SCALE / loud
    return limited([round(value * gain) for value in values])
