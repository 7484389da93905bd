"""The assistant's voice in one turn, measured from its samples; its text says which words."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant_gateway.conversation.playout import Playout, is_audible
from assistant_gateway.sound.gate import Interval, gaps
from assistant_gateway.sound.pcm import Samples
from assistant_gateway.sound.played_sound import PlayedSound
from assistant_gateway.sound.word_times import spread
from assistant_gateway.timing.timeline import SECOND

MOST_AHEAD_NS = 300 * SECOND


@dataclass(slots=True)
class SoundPlayout(Playout):
    """What is heard and when: `segments` are what is audible of the samples.

    Words are spread over the sound of their message, by their letters. As long as a message is
    open, more of its sound may come: then its words take at least as long as usual.
    """

    sound: PlayedSound = field(default_factory=PlayedSound)
    first_delta_ns: int | None = None
    _closed: list[tuple[int, int]] = field(default_factory=list)  # words and sound until then

    def say(self, delta: str, at_ns: int) -> int | None:
        """Text makes no sound by itself."""
        self.text += delta
        return None

    def play(self, samples: Samples, at_ns: int) -> int | None:
        """Add samples that arrived; returns when something new is audible of them, if it is."""
        if self.first_delta_ns is None:
            self.first_delta_ns = at_ns
        before_ns, begins_ns = self.end_ns, max(at_ns, self.sound.ends_ns)
        self.sound.add(samples, at_ns)
        self.segments = [(start, end) for start, end in self.sound.audible]
        if self.end_ns is None or self.end_ns == before_ns:
            return None
        return max(begins_ns, self.segments[-1][0])

    def is_far_ahead(self, at_ns: int) -> bool:
        """Whether more is waiting to be played than anybody listens to."""
        return self.sound.ends_ns - at_ns > MOST_AHEAD_NS

    def pause(self) -> None:
        Playout.pause(self)
        self._closed.append((len(self._words), self._audible_in_all))

    @property
    def heard(self) -> str:
        return self.text.strip() if self.sound.audible else ""

    def heard_ns(self, words: int) -> int | None:
        ends_ns = list(self._words_end_ns())
        if words > len(ends_ns):
            return None
        left_ns = ends_ns[words - 1]
        for start, end in self.segments:
            if left_ns <= end - start:
                return start + left_ns
            left_ns -= end - start
        return None

    def cut(self, at_ns: int) -> str:
        text = Playout.cut(self, at_ns)
        self.sound.cut(at_ns)
        return text

    def clear(self, at_ns: int) -> None:
        """Nothing that has arrived is played any more; what comes later is."""
        Playout.cut(self, at_ns)
        self.sound.clear(at_ns)
        self.segments = [(start, end) for start, end in self.sound.audible]
        self._closed = [each for each in self._closed if each[0] < len(self._words)]
        self.pause()

    def sound_spans(self, since_ns: int) -> dict[str, int | None]:
        pauses = gaps([Interval(*each) for each in self.segments])
        audible = self.sound.audible
        first = (self.first_delta_ns, audible[0].begins_ns if audible else None)
        first_delta, first_sound = (None if ns is None else ns - since_ns for ns in first)
        spans = {"first_delta": first_delta, "first_sound": first_sound}
        if (lead_in_ns := self.sound.lead_in_ns) is not None:
            spans["lead_in"] = lead_in_ns
            spans["sound_gap"] = max((end - begin for begin, end in pauses), default=0)
        return spans

    @property
    def _words(self) -> list[str]:
        return [word for word in self.text.split() if is_audible(word)]

    @property
    def _audible_in_all(self) -> int:
        return sum(end - start for start, end in self.segments)

    def _words_heard(self, at_ns: int) -> int:
        heard_ns = self.audible_ns(0, at_ns)
        return sum(ends_ns <= heard_ns for ends_ns in self._words_end_ns())

    def _words_end_ns(self) -> Iterator[int]:
        """After how much audible sound each word has been heard."""
        words = self._words
        done_words = done_ns = 0
        for upto_words, upto_ns in (*self._closed, (len(words), None)):
            part = words[done_words:upto_words]
            usual_ns = len(part) * self.speech.assistant_word_ns
            rest_ns = max(self._audible_in_all - done_ns, usual_ns)
            lasts_ns = rest_ns if upto_ns is None else upto_ns - done_ns
            if part:
                spoken = spread(part, Interval(done_ns, done_ns + lasts_ns))
                yield from (word.ends_ns for word in spoken)
            done_words, done_ns = upto_words, done_ns + lasts_ns
