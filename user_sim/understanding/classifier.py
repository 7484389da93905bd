"""The acts of a sentence by a small trained network.

Two layers of attention over word vectors; `scripts/train_acts` trains it on the corpus of
assistant speech and writes the weights, all whole numbers with one scale a row, so that every
machine reads the same. It sees the sentence and the words just before and after it.
"""

import math
import re
import zlib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from user_sim.understanding.sentence import ACTS, Act

SENTENCE, BEFORE, AFTER = 40, 10, 8  # words
TAIL = 15  # of a sentence that is too long
PIECES, MOST_PIECES = 2048, 16
DIGITS = 3  # of a score
LARGEST_PRODUCT = 250_000  # multiplications; from 262,144 on BLAS uses threads
MARKS = ("[p]", "[n]")

Array = NDArray[Any]
_TOKEN = re.compile(r"n't|'(?:s|re|m|ll|ve|d)\b|\d+|[^\W\d_]+?(?=n't\b)|[^\W\d_]+|[^\w\s]")
_NUMBER = re.compile(r"(\d+)[.,:](\d+)")


def words(text: str) -> list[str]:
    """Lower-case words and signs; every number is `0`."""
    plain = _NUMBER.sub(r"\1\2", text.lower())
    return ["0" if word[0].isdigit() else word for word in _TOKEN.findall(plain)]


def tokens(before: str, sentence: str, after: str) -> tuple[list[str], list[int]]:
    """The words that are read, and for each whether it is of the sentence, before it or after."""
    own = words(sentence)
    if len(own) > SENTENCE:
        own = [*own[: SENTENCE - TAIL], *own[-TAIL:]]
    earlier, later = words(before)[-BEFORE:], words(after)[:AFTER]
    read = [*own, MARKS[0], *earlier, MARKS[1], *later]
    return read, [0] * len(own) + [1] * (1 + len(earlier)) + [2] * (1 + len(later))


def pieces(word: str) -> list[int]:
    """Hashed parts of three and four letters, so that unknown words are not nothing."""
    marked = f"<{word}>"
    return [
        zlib.crc32(marked[start : start + size].encode()) % PIECES
        for size in (3, 4) for start in range(max(1, len(marked) - size + 1))
    ][:MOST_PIECES]  # fmt: skip


class Classifier:
    """Pure; raises `OSError` if the weights are missing."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as stored:
            self._weights = {
                name: stored[name] * stored[f"{name}.scale"]
                for name in stored.files if f"{name}.scale" in stored.files
            }  # fmt: skip
            listed = bytes(stored["vocabulary"]).decode().split("\n")
        self._number = {word: n for n, word in enumerate(listed, start=1)}
        self._vector_of = lru_cache(maxsize=2048)(self._vector)
        self._layers = sum(name.endswith(".q.w") for name in self._weights)

    def sure(self, before: str, sentence: str, after: str) -> dict[Act, float]:
        """For each act how sure it is that the sentence does it, 0 to 1."""
        read, part = tokens(before, sentence, after)
        own = self._encoded(read, part, part.count(0) or len(part))
        pooled = np.concatenate([own.mean(0), own.max(0)])
        scores = 1.0 / (1.0 + np.exp(-self._linear("out", pooled)))
        return {act: round(float(score), DIGITS) for act, score in zip(ACTS, scores, strict=True)}

    def _encoded(self, read: list[str], part: list[int], asked: int) -> Array:
        """The first words as the last layer leaves them, so many as are asked for."""
        x = np.array([self._vector_of(word) for word in read])
        x = x + self._weights["part"][part] + self._weights["place"][: len(read)]
        x = self._normed("n0", x)
        for number in range(self._layers):
            x = self._layer(f"l{number}", x, asked if number == self._layers - 1 else len(x))
        return x

    def _vector(self, word: str) -> Array:
        """What the first layer makes of a word."""
        number = self._number.get(word, 0)
        found = pieces(word) if word[0].isalpha() else []
        hashed = self._weights["pieces"][found].mean(0) if found else self._weights["pieces"][0] * 0
        parts = [self._weights["words"][number], self._weights["own"][number], hashed]
        return self._linear("in", np.concatenate(parts))

    def _layer(self, name: str, x: Array, asked: int) -> Array:
        """The first words with what they take from all."""
        width = x.shape[-1]
        query = self._heads(self._linear(f"{name}.q", x[:asked], slice(width)))
        of_all = self._linear(f"{name}.q", x, slice(width, None))
        key, value = self._heads(of_all[:, :width]), self._heads(of_all[:, width:])
        x = x[:asked]
        near = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        near = np.exp(near - near.max(-1, keepdims=True))
        mixed = (near / near.sum(-1, keepdims=True)) @ value
        mixed = mixed.transpose(1, 0, 2).reshape(len(x), -1)
        x = self._normed(f"{name}.n1", x + self._linear(f"{name}.o", mixed))
        inner = np.maximum(self._linear(f"{name}.a", x), 0.0)
        return self._normed(f"{name}.n2", x + self._linear(f"{name}.b", inner))

    def _heads(self, x: Array) -> Array:
        return x.reshape(len(x), 4, -1).transpose(1, 0, 2)

    def _linear(self, name: str, x: Array, of: slice = slice(None)) -> Array:
        weights, bias = self._weights[f"{name}.w"][of], self._weights[f"{name}.b"][of]
        # Waking the threads of BLAS takes ten times as long on a busy machine.
        rows = LARGEST_PRODUCT // x.size
        slices = [x @ weights[at : at + rows].T for at in range(0, len(weights), rows)]
        made: Array = np.concatenate(slices, axis=-1) + bias
        return made

    def _normed(self, name: str, x: Array) -> Array:
        centred = x - np.add.reduce(x, -1, keepdims=True) / x.shape[-1]
        spread = np.sqrt(np.vecdot(centred, centred)[..., None] / x.shape[-1] + 1e-5)
        made: Array = centred / spread * self._weights[f"{name}.w"] + self._weights[f"{name}.b"]
        return made


@cache
def classifier() -> Classifier:
    """The one that ships, read once."""
    return Classifier(Path(__file__).with_name("acts.npz"))
