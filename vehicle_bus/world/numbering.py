"""Numbers in ids: scattered, yet any of them can be turned back into what it stands for."""

from hashlib import blake2b
from typing import get_args

from vehicle_bus.world.places import Category

PER_CATEGORY = 100_000
CATEGORIES: tuple[str, ...] = get_args(Category)
CATEGORY_OF_PART = {category[:3]: category for category in CATEGORIES}
RANKS = {category: rank for rank, category in enumerate(CATEGORIES)}


def poi_number(category: str, serial: int) -> int:
    return RANKS[category] * PER_CATEGORY + serial


def poi_serial(number: int) -> int:
    return number % PER_CATEGORY


def poi_key(category: str) -> str:
    """What the ids of a category begin with: `poi_res`."""
    return f"poi_{category[:3]}"


DIGITS = 6
LOWEST = 100_000
CHOICES = 900_000
STRIDE = 514_229  # has no divisor in common with CHOICES, so no two numbers meet
BACK: int = pow(STRIDE, -1, CHOICES)


class Numbering:
    """A shuffling of 0..899999 onto six digits for every key, such as `poi_res`."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._offsets: dict[str, int] = {}

    def id_of(self, key: str, index: int) -> str:
        """The id of the `index`-th thing of a key: `poi_res_319074`."""
        return f"{key}_{LOWEST + (index * STRIDE + self._offset(key)) % CHOICES}"

    def index_of(self, identifier: str) -> int | None:
        """The place of an id among those of its key; None if it cannot be one."""
        key, _, digits = identifier.rpartition("_")
        if not (len(digits) == DIGITS and digits.isascii() and digits.isdigit()):
            return None
        number = int(digits) - LOWEST
        if number < 0:
            return None
        return (number - self._offset(key)) * BACK % CHOICES

    def _offset(self, key: str) -> int:
        offset = self._offsets.get(key)
        if offset is None:
            digest = blake2b(f"{self.seed}/{key}".encode(), digest_size=8).digest()
            offset = self._offsets[key] = int.from_bytes(digest) % CHOICES
        return offset
