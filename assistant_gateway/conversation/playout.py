"""The assistant's voice in one turn: text arrives, audio follows at a constant rate."""

import unicodedata
from dataclasses import dataclass, field
from itertools import pairwise

from assistant_gateway.timing.speech import Speech

SPOKEN_SIGNS = frozenset("%&@#")  # other punctuation and invisible characters make no sound


def is_audible(word: str) -> bool:
    """Whether a voice says anything for it: it has a letter, a digit or a symbol."""
    return any(
        char.isalnum() or char in SPOKEN_SIGNS or unicodedata.category(char)[0] == "S"
        for char in word
    )


@dataclass(slots=True)
class Playout:
    """What is heard and when; `segments` are stretches of speech without a pause, in ns."""

    speech: Speech
    turn: int = 1
    text: str = ""
    segments: list[tuple[int, int]] = field(default_factory=list)
    _open: str = ""  # the last word, which the next piece of text may go on with

    @property
    def started_ns(self) -> int | None:
        return self.segments[0][0] if self.segments else None

    @property
    def end_ns(self) -> int | None:
        return self.segments[-1][1] if self.segments else None

    @property
    def heard(self) -> str:
        """What the driver has heard once all has been played."""
        return self.text.strip()

    def say(self, delta: str, at_ns: int) -> int | None:
        """Add text that arrived at `at_ns`; returns when its first new word is heard."""
        self.text += delta
        piece = self._open + delta
        words = piece.split()
        new = sum(map(is_audible, words)) - is_audible(self._open)
        self._open = words[-1] if words and not piece[-1].isspace() else ""
        if new <= 0:
            return None
        duration = new * self.speech.assistant_word_ns
        previous_end = self.end_ns
        if previous_end is not None and previous_end >= at_ns:
            start = previous_end
            self.segments[-1] = (self.segments[-1][0], start + duration)
        else:
            start = at_ns + self.speech.first_audio_ns(self.turn, len(self.segments))
            self.segments.append((start, start + duration))
        return start

    def pause(self) -> None:
        """The next response starts a new word, whatever the last one ended with."""
        if self.text and not self.text[-1].isspace():
            self.text += " "
        self._open = ""

    def heard_ns(self, words: int) -> int | None:
        """When so many words have been heard; None if there are not as many."""
        for start, end in self.segments:
            here = (end - start) // self.speech.assistant_word_ns
            if words <= here:
                return start + words * self.speech.assistant_word_ns
            words -= here
        return None

    def audible_ns(self, from_ns: int, until_ns: int) -> int:
        """How long the assistant was audible between two moments."""
        return sum(max(0, min(end, until_ns) - max(start, from_ns)) for start, end in self.segments)

    def cut(self, at_ns: int) -> str:
        """Stop speaking; returns the words that were heard in full, and forgets the rest."""
        heard = self._words_heard(at_ns)
        self.segments = [(start, min(end, at_ns)) for start, end in self.segments if start < at_ns]
        words = self.text.split()
        count = 0
        while count < len(words) and heard >= is_audible(words[count]):
            heard -= is_audible(words[count])
            count += 1
        self.text, self._open = " ".join(words[:count]), ""
        return self.text

    def _words_heard(self, at_ns: int) -> int:
        return sum(
            max(0, min(end, at_ns) - start) // self.speech.assistant_word_ns
            for start, end in self.segments
        )

    def last_heard_ns(self, until_ns: int) -> int | None:
        """When the assistant was audible last, until then."""
        return max(
            (min(end, until_ns) for start, end in self.segments if start < until_ns), default=None
        )

    def sound_spans(self, since_ns: int) -> dict[str, int | None]:
        """What only samples tell; nothing of a voice without any."""
        return {}

    @property
    def restarts_ns(self) -> list[tuple[int, int]]:
        """Of each pause how late the text was for none, and how long the voice took to begin."""
        leads = (self.speech.first_audio_ns(self.turn, n) for n in range(1, len(self.segments)))
        return [
            (start - lead - end, lead)
            for ((_, end), (start, _)), lead in zip(pairwise(self.segments), leads, strict=True)
        ]

    def longest_gap_ns(self, from_ns: int, until_ns: int) -> int:
        """Longest silence between `from_ns` and `until_ns` while the floor was the agent's."""
        gaps, heard_until = [], from_ns
        for start, end in self.segments:
            gaps.append(start - heard_until)
            heard_until = end
        gaps.append(until_ns - heard_until)
        return max(0, *gaps)
