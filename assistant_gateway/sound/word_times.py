"""When each word of an utterance is spoken, as its synthesis tells it; pure."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Literal, NamedTuple

from assistant_gateway.sound.gate import Interval

EventKind = Literal["word", "sound", "pause"]


class SpokenWord(NamedTuple):
    """A word of the text, split at white space; in ns since the first sample."""

    word: str
    begins_ns: int
    ends_ns: int


class SynthesisEvent(NamedTuple):
    """A word, a sound of it or a pause begins, at this character of the text, counted from 0."""

    kind: EventKind
    position: int
    at_ns: int


def words_from_events(
    text: str, events: Sequence[SynthesisEvent], ends_ns: int
) -> tuple[SpokenWord, ...]:
    """From the events of a synthesis that lasts so long; none if nothing of the text is spoken.

    Words that are spoken as one, such as "of the", share its time by their letters.
    """
    words = text.split()
    found = _spoken(_beginnings(text, words), events, ends_ns)
    heads = sorted(found)
    edges = [0, *heads[1:], len(words)] if heads else [0]
    return tuple(
        each
        for head, (begin, end) in zip(heads, pairwise(edges), strict=True)
        for each in spread(words[begin:end], found[head])
    )


def spread(words: Sequence[str], over: Interval) -> Iterable[SpokenWord]:
    """Words over a stretch of sound, by their letters: an estimate."""
    weights = [1 + sum(map(str.isalnum, word)) for word in words]
    lasts_ns = over.ends_ns - over.begins_ns
    edges = [lasts_ns * done // sum(weights) for done in accumulate(weights, initial=0)]
    for word, (begins_ns, ends_ns) in zip(words, pairwise(edges), strict=True):
        yield SpokenWord(word, over.begins_ns + begins_ns, over.begins_ns + ends_ns)


def _beginnings(text: str, words: Sequence[str]) -> list[int]:
    """The place of each word in the text."""
    places, after = [], 0
    for word in words:
        places.append(text.index(word, after))
        after = places[-1] + len(word)
    return places


def _spoken(
    beginnings: Sequence[int], events: Sequence[SynthesisEvent], ends_ns: int
) -> dict[int, Interval]:
    """From the first to the last sound of each word that has one, by its number."""
    found: dict[int, Interval] = {}
    current = 0
    for event, after in pairwise([*events, SynthesisEvent("pause", 0, ends_ns)]):
        match event.kind:
            case "word":  # sometimes the synthesiser names a place that it has passed
                current = max(current, bisect_right(beginnings, event.position) - 1)
            case "sound":
                begins_ns, _ = found.get(current, (event.at_ns, 0))
                found[current] = Interval(begins_ns, after.at_ns)
    return found
