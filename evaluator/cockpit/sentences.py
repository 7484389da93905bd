"""What happened in a car without a command, in a few words."""

from collections.abc import Mapping
from typing import Any

from evaluator.views.captions import FAULTS
from evaluator.views.car_values import ROWS

SENTENCES = {
    "arrival": "arrived at {name}",
    "battery_low": "the battery is down to {state_of_charge:g} %",
    "range_low": "{remaining_range_km:g} km of range left, {next_stop_km:g} km to the next stop",
}


def sentence(kind: str, detail: Mapping[str, Any]) -> str:
    """What an event says; one that is not known is told by what it carries."""
    if kind == "fault" and detail.get("kind") in FAULTS:
        return ", ".join(filter(None, [f"fault: {FAULTS[detail['kind']]}", detail.get("tool")]))
    try:
        return SENTENCES[kind].format_map(detail)
    except (KeyError, TypeError, ValueError):  # whoever tells it may tell less, or otherwise
        pass
    changed = detail.get("set")
    told = [str(each) for each in detail.values() if not isinstance(each, dict | list)]
    if isinstance(changed, dict):  # other values are told as they change
        moved = ((ROWS[name], value) for name, value in changed.items() if name in ROWS)
        told += [f"{row.label.lower()} {row.shown(value)}" for row, value in moved if row.moves]
    return ", ".join([kind.replace("_", " "), *told])
