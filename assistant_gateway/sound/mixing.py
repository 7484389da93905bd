"""The sum of sounds, in whole numbers: the same on every machine.

Every frame of every session is mixed. Python adds up two long numbers much faster than their
digits one by one, so the samples of a part are taken as one number, with room between them.
"""

from collections.abc import Sequence
from functools import lru_cache
from operator import mul
from typing import NamedTuple

from assistant_gateway.sound.pcm import Samples, from_bytes, limited, to_bytes

Part = tuple[Samples, float]  # and its gain in dB

GAIN_BITS = 14
HALF = 1 << (GAIN_BITS - 1)
# A lane has 32 bits: 14 behind the point, 16 of a sample from 0 on, and 2 that tell whether the
# sum is one: they are 01 then.
LANE = 4
OFFSET = 0x8000
IN_RANGE, RANGE_BITS = 1 << 30, 3 << 30
MOST_GAIN = 3 << GAIN_BITS  # of all parts together, so that no sum runs over into the next lane


class Packed(NamedTuple):
    """Samples from 0 on, each in a lane of its own: those at even places, those at odd ones."""

    even: int
    odd: int


def mixed(parts: Sequence[Part]) -> Samples:
    """Of parts of equal length; what is beyond full scale is cut off."""
    gains = [round(10 ** (gain_db / 20) * (1 << GAIN_BITS)) for _, gain_db in parts]
    sounds = [samples for samples, _ in parts]
    count = len(sounds[0])
    together = weighted([packed(samples, count) for samples in sounds], gains, count)
    return one_by_one(sounds, gains) if together is None else together


def one_by_one(sounds: Sequence[Samples], gains: Sequence[int]) -> Samples:
    """The sum of sounds with these gains; what is beyond full scale is cut off."""
    together = zip(*sounds, strict=True)
    return limited([(sum(map(mul, each, gains)) + HALF) >> GAIN_BITS for each in together])


def packed(samples: Samples, count: int) -> Packed:
    """Samples for sums of so many; missing ones are silent."""
    lanes = _lanes(-(-count // 2))
    both = int.from_bytes(to_bytes(samples), "little") ^ lanes * (OFFSET << 16 | OFFSET)
    return Packed(both & lanes * 0xFFFF, both >> 16 & lanes * 0xFFFF)


def weighted(parts: Sequence[Packed], gains: Sequence[int], count: int) -> "Samples | None":
    """The same sum, of all samples at once; None if one is beyond full scale."""
    if sum(map(abs, gains)) >= MOST_GAIN:
        return None
    lanes = _lanes(-(-count // 2))
    begin = lanes * (IN_RANGE + (OFFSET << GAIN_BITS) + HALF - OFFSET * sum(gains))
    even = begin + sum(part.even * gain for part, gain in zip(parts, gains, strict=True))
    odd = begin + sum(part.odd * gain for part, gain in zip(parts, gains, strict=True))
    if any(each & lanes * RANGE_BITS != lanes * IN_RANGE for each in (even, odd)):
        return None
    low = lanes * 0xFFFF
    both = (even >> GAIN_BITS & low) | (odd >> GAIN_BITS & low) << 16
    content = (both ^ lanes * (OFFSET << 16 | OFFSET)).to_bytes(-(-count // 2) * LANE, "little")
    return from_bytes(content[: 2 * count])


@lru_cache(maxsize=32)
def _lanes(count: int) -> int:
    """The number one in each of so many lanes."""
    return int.from_bytes((1).to_bytes(LANE, "little") * count, "little")
