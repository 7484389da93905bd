"""How long speech takes: constant rates and delays, all in session time."""

from dataclasses import dataclass, field

from assistant_gateway.timeline import MS, SECOND


@dataclass(frozen=True, slots=True)
class SpeechModel:
    """Defaults and their reasons: `docs/architecture.md`, speech."""

    driver_wpm: int = 145
    assistant_wpm: int = 165
    endpointing_ns: int = 300 * MS
    asr_final_ns: int = 260 * MS
    tts_first_audio_ns: int = 210 * MS
    partial_every_words: int = 3

    @property
    def driver_word_ns(self) -> int:
        return 60 * SECOND // self.driver_wpm

    @property
    def assistant_word_ns(self) -> int:
        return 60 * SECOND // self.assistant_wpm


DEFAULT_SPEECH = SpeechModel()


@dataclass(slots=True)
class Playout:
    """The assistant's voice in one turn: text arrives, audio follows at a constant rate."""

    model: SpeechModel
    text: str = ""
    segments: list[tuple[int, int]] = field(default_factory=list)
    _words: int = 0

    @property
    def started_ns(self) -> int | None:
        return self.segments[0][0] if self.segments else None

    @property
    def end_ns(self) -> int | None:
        return self.segments[-1][1] if self.segments else None

    def say(self, delta: str, at_ns: int) -> int | None:
        """Add text that arrived at `at_ns`; returns when its first new word is heard."""
        self.text += delta
        words = len(self.text.split())
        new, self._words = words - self._words, words
        if new <= 0:
            return None
        duration = new * self.model.assistant_word_ns
        previous_end = self.end_ns
        if previous_end is not None and previous_end >= at_ns:
            start = previous_end
            self.segments[-1] = (self.segments[-1][0], start + duration)
        else:
            start = at_ns + self.model.tts_first_audio_ns
            self.segments.append((start, start + duration))
        return start

    def pause(self) -> None:
        """The next response starts a new word, whatever the last one ended with."""
        if self.text and not self.text[-1].isspace():
            self.text += " "

    def longest_gap_ns(self, from_ns: int, until_ns: int) -> int:
        """Longest silence between `from_ns` and `until_ns` while the floor was the agent's."""
        gaps, heard_until = [], from_ns
        for start, end in self.segments:
            gaps.append(start - heard_until)
            heard_until = end
        gaps.append(until_ns - heard_until)
        return max(0, *gaps)
