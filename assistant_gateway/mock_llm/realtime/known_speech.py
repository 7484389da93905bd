"""The words in a stream of samples, if what is heard was spoken on this machine.

There is no recognition: sounds that were spoken before are kept in a folder with their words, and a
stream that begins exactly like one of them is that one. Noise makes every sound unknown.
"""

import logging
import os
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from assistant_gateway.sound.pcm import RATE, Samples, from_bytes, to_bytes
from assistant_gateway.sound.sound import Sound

log = logging.getLogger(__name__)

HEAD = 2 * RATE // 100  # bytes: 10 ms
READ_AT_FIRST = 96_000  # bytes: two seconds; no voice begins later
TOLERANCE = RATE // 1000
SECOND = 1_000_000_000


class KnownSound(NamedTuple):
    """A sound that was spoken before: its samples without silence at both ends, and its words.

    Places are in bytes since the first sample that is not silent.
    """

    voiced: bytes
    words: tuple[tuple[str, int], ...]  # each with the place where it ends

    @classmethod
    def of(cls, sound: Sound) -> "KnownSound":
        content = to_bytes(sound.samples)
        silent = _silent(content)
        voiced = content[silent:].rstrip(b"\0")
        return cls(
            voiced + bytes(len(voiced) % 2),
            tuple(
                (word.word, 2 * (word.ends_ns * RATE // SECOND) - silent) for word in sound.words
            ),
        )


class KeptSpeech:
    """The sounds of a folder, by their first samples that are not silent."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._is_missed = False
        self._seen: set[str] = set()
        self._by_head: dict[bytes, list[Path]] = defaultdict(list)

    def beginning_with(self, head: bytes) -> list[KnownSound]:
        """Sounds that begin so; the folder is read again for what is new in it."""
        self.read()
        return [KnownSound.of(Sound.from_bytes(path.read_bytes())) for path in self._by_head[head]]

    def misses_words(self) -> None:
        """Say once that something was heard without its words."""
        if not self._is_missed:
            log.warning(
                "an utterance had no known words: mock-llm recognises nothing, it knows what was "
                "spoken on this machine without noise and echo"
            )
        self._is_missed = True

    def read(self) -> None:
        """Note how each new sound begins."""
        if not self._folder.is_dir():
            return
        for entry in os.scandir(self._folder):
            if entry.name.endswith(".sound") and entry.name not in self._seen:
                self._seen.add(entry.name)
                with open(entry.path, "rb") as file:
                    content = file.read(READ_AT_FIRST).partition(b"\n")[2]
                begin = _silent(content)
                self._by_head[content[begin : begin + HEAD]].append(Path(entry.path))


class KnownWords:
    """Which words one stream has had; its samples come in parts of any length."""

    def __init__(self, kept: KeptSpeech) -> None:
        self._kept = kept
        self._words: list[tuple[str, int]] = []  # each with the byte of the stream where it ends
        self._read = 0
        self._open = b""  # since the first sample that is not silent
        self._may_be: list[KnownSound] | None = None
        self._is_lost = False  # what is heard is unknown, until it falls silent

    @property
    def position(self) -> int:
        """How many samples have come."""
        return self._read // 2

    def add(self, samples: Samples) -> None:
        content = to_bytes(samples)
        self._read += len(content)
        is_silent = not content.strip(b"\0")
        if self._is_lost or (is_silent and not self._open):
            self._is_lost = self._is_lost and not is_silent
            return
        self._open += content if self._open else content[_silent(content) :]
        if len(self._open) >= HEAD:
            self._compare()

    def _compare(self) -> None:
        if self._may_be is None:
            self._may_be = self._kept.beginning_with(self._open[:HEAD])
        agree = [known for known in self._may_be if _agree(known.voiced, self._open)]
        if not agree:
            self._open, self._may_be, self._is_lost = b"", None, True
            return
        self._may_be = agree
        longest = max(agree, key=lambda known: len(known.voiced))
        if len(longest.voiced) <= len(self._open):
            self._words += self._placed(longest)
            rest = self._open[len(longest.voiced) :]
            self._open, self._may_be = b"", None
            self._read -= len(rest)
            self.add(from_bytes(rest))

    def _placed(self, known: KnownSound) -> list[tuple[str, int]]:
        begin = self._read - len(self._open)
        return [(word, begin + ends) for word, ends in known.words]

    def between(self, begin: int, end: int) -> str:
        """The words that ended between two samples of the stream; empty if none is known."""
        going_on = self._placed(self._may_be[0]) if self._may_be else []
        first, last = 2 * (begin + TOLERANCE), 2 * (end + TOLERANCE)
        known = (*self._words, *going_on)
        return " ".join(word for word, ends in known if first < ends <= last)


def _silent(content: bytes) -> int:
    """How many bytes there are before the first sample that is not silent."""
    begin = len(content) - len(content.lstrip(b"\0"))
    return begin - begin % 2


def _agree(one: bytes, other: bytes) -> bool:
    common = min(len(one), len(other))
    return one[:common] == other[:common]
