"""The values of a car over an episode, as texts for people."""

from collections.abc import Iterator
from typing import Any

from assistant_gateway.timing.timeline import MS
from evaluator.record.record import Entry, Record
from evaluator.record.signal_values import signal_value
from evaluator.views.car_values import ROWS, place_names
from vehicle_bus.contract import Snapshot
from vehicle_bus.world.world import World

Shown = tuple[str, Any]
LEAST_MS = 500  # between two texts of one value that changes by itself while driving


def car_course(record: Record, world: World | None = None) -> dict[str, Any]:
    """At the start `[text, value]` by name, and changes `[ms, name, text, value]` in order.

    Places have their names with a world, else their ids. What only a signal tells later is unknown
    at the start.
    """
    start: dict[str, Shown] = {}
    changes: list[tuple[int, str, str, Any]] = []
    now: dict[str, str] = {}
    seen_ms: dict[str, int] = {}
    for entry in sorted(record.entries, key=lambda entry: entry.order):
        ms = entry.t_ns // MS
        for name, (text, value) in _shown(entry, world):
            moved_ms = ms - seen_ms.get(name, -LEAST_MS)
            if name not in now and (entry.kind == "snapshot" or ms == 0):
                start[name] = text, value
            elif now.get(name) == text or (ROWS[name].moves and moved_ms < LEAST_MS):
                continue
            else:
                changes.append((ms, name, text, value))
                seen_ms[name] = ms
            now[name] = text
    return {"start": start, "changes": changes}


def _shown(entry: Entry, world: World | None) -> Iterator[tuple[str, Shown]]:
    values = {name: value for name, value in _values(entry) if name in ROWS}
    for name, value in values.items():
        named = place_names(name, value, world) if world else value
        yield name, (ROWS[name].shown(named), value)


def _values(entry: Entry) -> Iterator[tuple[str, Any]]:
    if entry.kind == "snapshot" and (snapshot := entry.read(Snapshot)):
        yield from snapshot.state.items()
    if (named := signal_value(entry)) is not None:
        yield named
