"""Values of the car that only signals tell; those that tools change come in the snapshot."""

from typing import Any

from evaluator.record.record import Entry
from vehicle_bus.car.signals import CONTEXT_SIGNALS, MOTION_SIGNALS

ONLY_SIGNALS = {signal.path: signal for signal in CONTEXT_SIGNALS + MOTION_SIGNALS}


def told_by_signal(entry: Entry) -> tuple[str, Any] | None:
    """Name and value that an entry tells, or None if it tells nothing that no snapshot has."""
    if entry.kind != "signal":
        return None
    signal = ONLY_SIGNALS.get(entry.rest.removeprefix("signal/").replace("/", "."))
    if signal is None:
        return None
    return signal.name, signal.conversion.from_vss(entry.fields.get("value"))
