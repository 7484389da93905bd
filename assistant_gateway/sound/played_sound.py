"""What is heard of an agent's samples and when: they are played one after the other. Pure."""

from assistant_gateway.sound.gate import Gate, Hearing, Interval
from assistant_gateway.sound.pcm import RATE, Samples, silence
from assistant_gateway.sound.track import Track

SECOND = 1_000_000_000


class PlayedSound:
    """Of one turn; times are in ns of the session.

    Samples are played as soon as they are there and those before them have been played. What comes
    too late leaves a gap.
    """

    def __init__(self, gate: Gate | None = None) -> None:
        self.track = Track()
        self._hearing = Hearing(gate)
        self._begins: int | None = None  # in samples of the session
        self._cut_ns: int | None = None

    def add(self, samples: Samples, at_ns: int) -> None:
        """Samples arrive; after a cut nothing is played any more."""
        if self._cut_ns is not None:
            return
        before = self.track.ends
        begin = self.track.add(samples, at_ns * RATE // SECOND)
        if self._begins is None:
            before = self._begins = begin
        self._hearing.add(silence(begin - before) + samples)

    def clear(self, at_ns: int) -> None:
        """What has not been played is not played; what arrives later is."""
        self.track.cut(at_ns * RATE // SECOND)
        begin = self._begins or 0
        self._hearing = Hearing(self._hearing.gate)
        self._hearing.add(self.track.part(begin, max(0, self.track.ends - begin)))

    @property
    def played_ms(self) -> int:
        """How much was played, without gaps; ask after a cut."""
        return self.track.samples * 1000 // RATE

    def cut(self, at_ns: int) -> None:
        """The loudspeaker stops."""
        self._cut_ns = at_ns
        self.track.cut(at_ns * RATE // SECOND)

    @property
    def ends_ns(self) -> int:
        """When all that has arrived has been played, audible or not."""
        return self.track.ends * SECOND // RATE

    @property
    def audible(self) -> tuple[Interval, ...]:
        """The stretches that are heard."""
        later = (self._begins or 0) * SECOND // RATE
        until = self.ends_ns if self._cut_ns is None else self._cut_ns
        return tuple(
            Interval(begins_ns + later, min(ends_ns + later, until))
            for begins_ns, ends_ns in self._hearing.intervals
            if begins_ns + later < until
        )

    @property
    def lead_in_ns(self) -> int | None:
        """Silence before what is audible; None if nothing is yet."""
        begins_ns = (self._begins or 0) * SECOND // RATE
        return self.audible[0].begins_ns - begins_ns if self.audible else None
