"""Words and numbers for the ear: lists in a sentence, distances, durations."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from vehicle_bus.data_folder import quick_yaml

MANY_KM = 10


def words(table: str) -> Mapping[str, Any]:
    """One table of `words.yaml`."""
    found: Mapping[str, Any] = _all_words()[table]
    return found


@cache
def _all_words() -> Mapping[str, Any]:
    found: Mapping[str, Any] = quick_yaml(Path(__file__).with_name("words.yaml"))
    return found


def spoken(name: str) -> str:
    """`battery capacity` from `battery_capacity`."""
    return name.lower().replace("_", " ")


def enumerated(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def alternatives(parts: Sequence[str]) -> str:
    """`a, b or c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def counted(number: int, thing: str) -> str:
    """`1 hour`, `2 hours`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def kilometres(distance_km: float) -> str:
    """Whole kilometres, with one decimal where that matters."""
    shown = round(distance_km) if distance_km >= MANY_KM else round(distance_km, 1)
    return "1 kilometre" if shown == 1 else f"{shown:g} kilometres"


def duration(minutes: float) -> str:
    """`1 hour and 28 minutes`."""
    hours, rest = divmod(round(minutes), 60)
    parts = [counted(hours, "hour")] if hours else []
    return enumerated([*parts, counted(rest, "minute")] if rest or not parts else parts)
