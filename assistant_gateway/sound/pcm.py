"""Sound as samples: 16 bits, one channel. Levels, μ-law and WAV files.

All arithmetic that makes samples is done in whole numbers, so that every machine and every version
of Python makes the same ones. Levels are in dBFS: 0 dBFS is a square wave at full scale.
"""

import math
import sys
import wave
from array import array
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from operator import mul
from typing import Final, TypeAlias

Samples: TypeAlias = "array[int]"  # of type code "h"

RATE: Final = 24_000
FULL_SCALE = 32_768
SILENCE_DBFS = -120.0  # the level of samples that are all zero
MULAW_BIAS, MULAW_CLIP = 132, 32_635


class BadSound(Exception):
    """A file or a stream that is not sound we can read; the text says why."""


def from_bytes(pcm: bytes) -> Samples:
    """Samples of little-endian PCM16, as it is on the wire and in WAV files."""
    if len(pcm) % 2:
        raise BadSound("PCM16 has two bytes for each sample, but their number is odd")
    samples = array("h", pcm)
    if sys.byteorder == "big":
        samples.byteswap()
    return samples


def to_bytes(samples: Samples) -> bytes:
    """Little-endian PCM16."""
    if sys.byteorder == "big":
        samples = samples[:]
        samples.byteswap()
    return samples.tobytes()


def silence(count: int) -> Samples:
    return array("h", bytes(2 * count))


def limited(values: list[int]) -> Samples:
    """As samples; what is beyond full scale is cut off."""
    try:
        return array("h", values)
    except OverflowError:
        return array("h", [min(FULL_SCALE - 1, max(-FULL_SCALE, value)) for value in values])


def dbfs(samples: Sequence[int]) -> float:
    """The level of all samples together (root mean square)."""
    energy = sum(map(mul, samples, samples))
    if not energy:
        return SILENCE_DBFS
    return 10 * math.log10(energy / len(samples) / FULL_SCALE**2)


def sum_db(levels: Sequence[float]) -> float:
    """The level of several sounds together that have nothing to do with each other."""
    return 10 * math.log10(math.fsum(10 ** (level / 10) for level in levels))


def to_mulaw(samples: Samples) -> bytes:
    """G.711 μ-law, one byte for each sample."""
    return bytes(map(_mulaw_codes().__getitem__, samples))


def from_mulaw(codes: bytes) -> Samples:
    return array("h", map(_mulaw_values().__getitem__, codes))


@cache
def _mulaw_values() -> tuple[int, ...]:
    """The sample of each code. Its bits are inverted: sign, three of exponent, four of mantissa."""
    return tuple(_mulaw_value(code ^ 0xFF) for code in range(256))


def _mulaw_value(bits: int) -> int:
    magnitude = ((((bits & 0x0F) << 3) + MULAW_BIAS) << ((bits >> 4) & 0x07)) - MULAW_BIAS
    return -magnitude if bits & 0x80 else magnitude


@cache
def _mulaw_codes() -> bytes:
    """The code of each sample; negative ones count from the end, as Python's indices do."""
    return bytes(map(_mulaw_code, (*range(FULL_SCALE), *range(-FULL_SCALE, 0))))


def _mulaw_code(sample: int) -> int:
    magnitude = min(abs(sample), MULAW_CLIP) + MULAW_BIAS
    exponent = magnitude.bit_length() - 8
    bits = (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0F)
    return (bits | (0x80 if sample < 0 else 0)) ^ 0xFF


def to_wav(samples: Samples, rate: int = RATE, channels: int = 1) -> bytes:
    """A whole WAV file; of several channels the samples are interleaved."""
    file = BytesIO()
    with wave.open(file, "wb") as writing:
        writing.setnchannels(channels)
        writing.setsampwidth(2)
        writing.setframerate(rate)
        writing.writeframes(to_bytes(samples))
    return file.getvalue()


def from_wav(content: bytes) -> tuple[Samples, int]:
    """Samples of a WAV file and their rate; of several channels the first. Raises `BadSound`."""
    try:
        with wave.open(BytesIO(content), "rb") as reading:
            if reading.getsampwidth() != 2:
                raise BadSound(f"{8 * reading.getsampwidth()} bits a sample; expected 16")
            samples = from_bytes(reading.readframes(reading.getnframes()))
            return samples[:: reading.getnchannels()], reading.getframerate()
    except EOFError as error:
        raise BadSound("not a WAV file: it is empty or ends too early") from error
    except wave.Error as error:
        raise BadSound(f"not a WAV file: {error}") from error
