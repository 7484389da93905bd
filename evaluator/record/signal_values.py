"""Values of the car that only signals carry; those that tools change come in the snapshot."""

from typing import Any

from evaluator.record.record import Entry
from vehicle_bus.car.signals import CONTEXT_SIGNALS, MOTION_SIGNALS

ONLY_SIGNALS = {signal.path: signal for signal in CONTEXT_SIGNALS + MOTION_SIGNALS}


def signal_value(entry: Entry) -> tuple[str, Any] | None:
    """Name and value in the entry of such a signal; None for every other entry."""
    if entry.kind != "signal":
        return None
    signal = ONLY_SIGNALS.get(entry.rest.removeprefix("signal/").replace("/", "."))
    if signal is None:
        return None
    return signal.name, signal.conversion.from_vss(entry.fields.get("value"))
