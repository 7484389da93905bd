"""What one speaker says on the axis of a session, in samples since it began."""

from typing import NamedTuple

from assistant_gateway.sound.pcm import Samples, silence


class Played(NamedTuple):
    begin: int
    samples: Samples

    @property
    def end(self) -> int:
        return self.begin + len(self.samples)


class Track:
    """Sounds one after the other, with silence between them."""

    def __init__(self) -> None:
        self._played: list[Played] = []

    @property
    def ends(self) -> int:
        """Where the last sound ends, as far as it is known."""
        return self._played[-1].end if self._played else 0

    @property
    def samples(self) -> int:
        """How many it has, without the silence between them."""
        return sum(len(each.samples) for each in self._played)

    def add(self, samples: Samples, begin: int) -> int:
        """Play from there, or after what is still being played; returns where it begins."""
        begin = max(begin, self.ends)
        self._played.append(Played(begin, samples))
        return begin

    def cut(self, at: int) -> None:
        """Nothing is played from there on."""
        self._played = [
            Played(each.begin, each.samples[: at - each.begin])
            for each in self._played
            if each.begin < at
        ]

    def plays(self, begin: int, count: int) -> bool:
        """Whether anything is played in a stretch of the session."""
        return any(each.begin < begin + count and begin < each.end for each in self._played)

    def part(self, begin: int, count: int) -> Samples:
        """What is heard in a stretch of the session."""
        heard = silence(count)
        for each in self._played:
            first, last = max(begin, each.begin), min(begin + count, each.end)
            if first < last:
                heard[first - begin : last - begin] = each.samples[
                    first - each.begin : last - each.begin
                ]
        return heard

    def forget(self, before: int) -> None:
        """Drop what ended before."""
        while len(self._played) > 1 and self._played[0].end <= before:
            del self._played[0]
