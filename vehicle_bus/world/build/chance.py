"""Seeded chance that falls the same way on every machine and every Python."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """One stream of draws per topic, so that a new topic does not disturb the others.

    Everything rests on `Random.random`, the one method whose sequence Python promises to keep.
    """

    def __init__(self, seed: int, topic: str) -> None:
        self._draw = Random(f"{seed}/{topic}").random

    def whole(self, lowest: int, highest: int) -> int:
        """A whole number; both ends may come."""
        return lowest + int(self._draw() * (highest - lowest + 1))

    def between(self, lowest: float, highest: float) -> float:
        return lowest + (highest - lowest) * self._draw()

    def happens(self, percent: float) -> bool:
        return self._draw() * 100 < percent

    def one_of(self, choices: Sequence[T]) -> T:
        return choices[int(self._draw() * len(choices))]

    def some_of(self, choices: Sequence[T], count: int) -> list[T]:
        """Different ones, in the order drawn."""
        left = list(choices)
        return [left.pop(int(self._draw() * len(left))) for _ in range(count)]

    def weighted(self, parts: Mapping[str, int]) -> str:
        """A key, as often as its part says."""
        left = self.whole(1, sum(parts.values()))
        for choice, part in parts.items():
            left -= part
            if left <= 0:
                return choice
        raise ValueError(f"no parts to draw from in {parts}")
