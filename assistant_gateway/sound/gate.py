"""When a sound is audible: an energy gate over intervals of 10 ms. Pure; needs clean sound.

It is a ruler for what comes over the wire, not a detector for microphones: noise keeps it open.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import mul
from typing import NamedTuple

from assistant_gateway.sound.pcm import FULL_SCALE, RATE, Samples, silence

MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Gate:
    """What counts as audible: a hop at least this loud; recorded beside what it measured.

    Pauses of up to `pause_ms`, such as those before a "t", belong to the sound around them.
    """

    threshold_dbfs: float = -45.0
    hop_ms: int = 10
    pause_ms: int = 200


class Interval(NamedTuple):
    """From the first to the last audible hop, in ns since the first sample."""

    begins_ns: int
    ends_ns: int


class Hearing:
    """What is audible of a stream; its samples come in parts of any length."""

    def __init__(self, gate: Gate | None = None, rate: int = RATE) -> None:
        self.gate = gate or Gate()
        self._hop = rate * self.gate.hop_ms // 1000
        self._least_energy = self._hop * FULL_SCALE**2 * 10 ** (self.gate.threshold_dbfs / 10)
        self._together = 2 + self.gate.pause_ms // self.gate.hop_ms
        self._rest = silence(0)  # of the last hop, which is not complete
        self._hops = 0
        self._intervals: list[Interval] = []

    @property
    def intervals(self) -> tuple[Interval, ...]:
        return tuple(self._intervals)

    def add(self, samples: Samples) -> None:
        self._rest = self._rest + samples
        whole = len(self._rest) // self._hop
        for first in range(0, whole, self._together):
            self._add_hops(range(first, min(first + self._together, whole)))
        self._hops += whole
        self._rest = self._rest[whole * self._hop :]

    def _add_hops(self, hops: range) -> None:
        """So few that all pauses between them belong to the sound around them."""
        if not self._rest[hops.start * self._hop : hops.stop * self._hop].tobytes().strip(b"\0"):
            return
        first = next(filter(self._is_audible, hops), None)
        if first is not None:
            last = next(filter(self._is_audible, reversed(hops)))
            self._audible(self._hops + first, self._hops + last)

    def _is_audible(self, hop: int) -> bool:
        samples = self._rest[hop * self._hop : (hop + 1) * self._hop]
        energy: int = sum(map(mul, samples, samples))
        return energy >= self._least_energy

    def _audible(self, first: int, last: int) -> None:
        hop_ns = self.gate.hop_ms * MS
        begins_ns, ends_ns = first * hop_ns, (last + 1) * hop_ns
        if self._intervals and begins_ns - self._intervals[-1].ends_ns <= self.gate.pause_ms * MS:
            begins_ns = self._intervals.pop().begins_ns
        self._intervals.append(Interval(begins_ns, ends_ns))


def audible(samples: Samples, gate: Gate | None = None, rate: int = RATE) -> tuple[Interval, ...]:
    """The audible intervals of a whole sound; its last hop is filled up with silence."""
    hearing = Hearing(gate, rate)
    hearing.add(samples)
    hearing.add(silence(rate * hearing.gate.hop_ms // 1000 - 1))
    return hearing.intervals


def gaps(intervals: Sequence[Interval]) -> tuple[Interval, ...]:
    """The pauses between intervals."""
    return tuple(Interval(one.ends_ns, next_.begins_ns) for one, next_ in pairwise(intervals))


def overlap_ns(one: Sequence[Interval], other: Sequence[Interval]) -> int:
    """For how long two sounds are audible at the same time; both times count from one moment."""
    return sum(
        max(0, min(a.ends_ns, b.ends_ns) - max(a.begins_ns, b.begins_ns))
        for a in one
        for b in other
    )
