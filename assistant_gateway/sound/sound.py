"""A text that was spoken: its samples, and when each word begins and ends."""

import json
from dataclasses import dataclass

from assistant_gateway.sound import pcm
from assistant_gateway.sound.pcm import Samples
from assistant_gateway.sound.word_times import SpokenWord


@dataclass(frozen=True, slots=True)
class Sound:
    """At 24 kHz; `words` is empty if nothing of the text is spoken."""

    samples: Samples
    words: tuple[SpokenWord, ...]

    @property
    def ends_ns(self) -> int:
        """The end of speech, as the synthesis tells it."""
        return self.words[-1].ends_ns if self.words else 0

    def to_bytes(self) -> bytes:
        """A line of JSON with the words, then the samples as PCM16."""
        return json.dumps(self.words).encode() + b"\n" + pcm.to_bytes(self.samples)

    @classmethod
    def from_bytes(cls, content: bytes) -> "Sound":
        words, _, samples = content.partition(b"\n")
        return cls(pcm.from_bytes(samples), tuple(SpokenWord(*word) for word in json.loads(words)))
