"""What a recogniser makes of the driver's words, and when: pure, in session time."""

from collections.abc import Iterator, Sequence

from assistant_gateway.effects import SpeechEnds, SpeechPartial
from assistant_gateway.speech import Speech


def transcripts(
    speech: Speech, words: Sequence[str], from_ns: int, turn: int, *, partials: bool
) -> Iterator[tuple[int, SpeechPartial | SpeechEnds]]:
    """Partial transcripts, if wanted, and the end of an utterance that began at `from_ns`."""
    ends_ns = speech.words_end_ns(words)
    every_ns = speech.partial_every_ns
    for heard_ns in range(every_ns, ends_ns[-1], every_ns) if partials else ():
        heard = [word for word, end_ns in zip(words, ends_ns, strict=True) if end_ns <= heard_ns]
        if heard:
            yield from_ns + heard_ns, SpeechPartial(*speech.partial(heard, turn))
    yield from_ns + ends_ns[-1], SpeechEnds(" ".join(words))
