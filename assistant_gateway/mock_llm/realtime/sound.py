"""The sound of one Realtime connection: what the microphone hears, and what is said."""

from base64 import b64encode
from collections.abc import AsyncIterator

from assistant_gateway.agents.speaking_front import SENTENCE_END, FrontVoice
from assistant_gateway.mock_llm.realtime.events import SoundSettings
from assistant_gateway.mock_llm.realtime.known_speech import KeptSpeech, KnownWords
from assistant_gateway.mock_llm.realtime.turn_detector import TurnDetector, TurnEvent
from assistant_gateway.sound.gate import Interval
from assistant_gateway.sound.pcm import RATE, Samples
from assistant_gateway.sound.wire_format import Decoder, Encoder
from assistant_gateway.sound.word_times import spread

DELTA = RATE // 10
UNKNOWN = "(something that was not understood)"


class ClientSound:
    """Everything that the client has sent; `committed` is where the next utterance begins."""

    def __init__(self, settings: SoundSettings, kept: KeptSpeech | None) -> None:
        self._kept = kept
        self._words = KnownWords(kept) if kept is not None else None
        self._decoder = Decoder(settings.input.format.wire)
        self._detector: TurnDetector | None = None
        self._received = 0
        self._committed = 0
        if settings.input.turn_detection is not None:
            self._detector = TurnDetector(settings.input.turn_detection)

    def add(self, content: bytes) -> list[TurnEvent]:
        """Samples as they were sent; raises `BadSound`."""
        samples = self._decoder.add(content)
        self._received += len(samples)
        if self._words is not None:
            self._words.add(samples)
        return self._detector.add(samples) if self._detector else []

    def clear(self) -> None:
        self._committed = self._received

    @property
    def waiting_ms(self) -> int:
        """How much was sent since the last utterance."""
        return (self._received - self._committed) * 1000 // RATE

    def utterance(self) -> str:
        """The words since the last one, which is over now."""
        begin, self._committed = self._committed, self._received
        words = self._words.between(begin, self._received) if self._words else ""
        if not words and self._kept is not None:
            self._kept.misses_words()
        return words or UNKNOWN


class Loudspeaker:
    """Speaks the answers of one connection, sentence by sentence."""

    def __init__(self, settings: SoundSettings, voice: FrontVoice) -> None:
        self._voice = voice
        self._encoder = Encoder(settings.output.format.wire)
        self._said: dict[str, list[tuple[str, int]]] = {}  # by item: texts and their samples

    async def sound(self, item_id: str, text: str, *, first: bool) -> AsyncIterator[str]:
        """Samples in base64, 100 ms at a time."""
        samples = await self._voice.sound(" ".join(text.split()), first=first)
        self._said.setdefault(item_id, []).append((text, len(samples)))
        for start in range(0, len(samples), DELTA):
            yield self._encoded(samples[start : start + DELTA])

    def _encoded(self, samples: Samples) -> str:
        return b64encode(self._encoder.add(samples)).decode("ascii")

    def lasts_ms(self, item_id: str) -> int:
        return sum(samples for _, samples in self._said.get(item_id, ())) * 1000 // RATE

    def heard(self, item_id: str, until_ms: int) -> str:
        """The words of an item that were said until then; they are spread over their sounds."""
        words, begin = [], 0
        for text, samples in self._said.get(item_id, ()):
            over = Interval(begin * 1000 // RATE, (begin + samples) * 1000 // RATE)
            words += [each.word for each in spread(text.split(), over) if each.ends_ns <= until_ms]
            begin += samples
        return " ".join(words)


def whole_sentences(text: str) -> tuple[list[str], str]:
    """Those that are complete, each with a space behind it, and the rest."""
    *whole, rest = SENTENCE_END.split(text)
    return [f"{sentence} " for sentence in whole], rest
