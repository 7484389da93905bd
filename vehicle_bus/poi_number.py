"""How the places of the generated world are counted: by category, in the order of the world."""

from typing import get_args

from vehicle_bus.places import Category

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
