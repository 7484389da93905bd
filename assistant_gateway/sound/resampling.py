"""Sound at another rate, whole or as a stream; what the new rate cannot carry is filtered away."""

import math
from collections.abc import Sequence
from functools import cache

from assistant_gateway.sound.mixing import GAIN_BITS, Packed, one_by_one, packed, weighted
from assistant_gateway.sound.pcm import RATE, Samples, silence

ZEROS = 10  # zero crossings of the filter on each side of its centre


class Resampler:
    """A stream at another rate; its parts may have any length and come out a little later."""

    def __init__(self, rate: int, to_rate: int) -> None:
        common = math.gcd(rate, to_rate)
        self._up, self._down = to_rate // common, rate // common
        self._phases = _filter_phases(self._up, self._down)
        self._width = len(self._phases[0])
        self._kept = silence(self._width // 2 - 1)
        self._at = 0  # of the next sample to be made, in parts of a kept one

    def add(self, samples: Samples) -> Samples:
        """What can be made now."""
        self._kept += samples
        wanted = range(self._at, (len(self._kept) - self._width + 1) * self._up, self._down)
        made = self._made(wanted)
        passed, self._at = divmod(self._at + len(wanted) * self._down, self._up)
        del self._kept[:passed]
        return made

    def end(self) -> Samples:
        """The rest, when nothing more comes."""
        return self.add(silence(self._width // 2))

    def _made(self, places: Sequence[int]) -> Samples:
        """The samples at these places: those that share a phase are made at once."""
        made = silence(len(places))
        count = -(-len(places) // self._up)

        @cache
        def kept(first: int) -> Packed:
            return packed(self._kept[first : first + count * self._down : self._down], count)

        for number, place in enumerate(places[: self._up]):
            first, phase = divmod(place, self._up)
            several = len(range(number, len(places), self._up))
            parts = [kept(first + tap) for tap in range(self._width)]
            sums = weighted(parts, self._phases[phase], count)
            if sums is None:
                sums = self._one_by_one(first, several, self._phases[phase])
            made[number :: self._up] = sums[:several]
        return made

    def _one_by_one(self, first: int, count: int, taps: Sequence[int]) -> Samples:
        starts = range(first, first + self._width)
        return one_by_one([self._kept[start :: self._down][:count] for start in starts], taps)


def resampled(samples: Samples, rate: int, to_rate: int = RATE) -> Samples:
    """A whole sound at another rate."""
    if rate == to_rate:
        return samples
    resampler = Resampler(rate, to_rate)
    return resampler.add(samples) + resampler.end()


@cache
def _filter_phases(up: int, down: int) -> list[tuple[int, ...]]:
    """Taps of a windowed sinc for each place of an output sample between two input samples."""
    cutoff = min(1.0, up / down)
    reach = math.ceil(ZEROS / cutoff)
    return [_taps(phase / up, cutoff, reach) for phase in range(up)]


def _taps(place: float, cutoff: float, reach: int) -> tuple[int, ...]:
    """They add up to exactly one, so that a constant stays what it is."""
    distances = [tap - place for tap in range(1 - reach, reach + 1)]
    weights = [
        cutoff * _sinc(cutoff * each) * math.cos(math.pi * each / (2 * reach)) ** 2
        for each in distances
    ]
    whole = [round(weight / math.fsum(weights) * (1 << GAIN_BITS)) for weight in weights]
    whole[reach - 1] += (1 << GAIN_BITS) - sum(whole)
    return tuple(whole)


def _sinc(x: float) -> float:
    return math.sin(math.pi * x) / (math.pi * x) if x else 1.0
