"""What a client has subscribed to, and when it is sent an event. Pure."""

from dataclasses import dataclass, field
from typing import Any

from vehicle_bus.remote_car.remote_car import Reading
from vehicle_bus.viss.requests import COMPARE, ChangeFilter, RangeFilter

Trigger = ChangeFilter | RangeFilter | None


@dataclass(slots=True)
class VissSubscription:
    """The signals of one subscription, and what of them has to be sent.

    A client that reads slowly is sent the latest value of each signal, not all in between.
    """

    subscription_id: str
    paths: frozenset[str]
    is_single: bool
    trigger: Trigger = None
    period_s: float | None = None
    pending: dict[str, Reading] = field(default_factory=dict)
    _last: dict[str, Any] = field(default_factory=dict)

    def begin(self, readings: dict[str, Reading]) -> None:
        """Changes are compared with these at first."""
        self._last = {path: readings[path].value for path in self.paths if path in readings}

    def take(self, path: str, reading: Reading) -> bool:
        """Whether a new reading is to be sent; then it is pending."""
        if path not in self.paths or self.period_s is not None or reading.value is None:
            return False
        last, self._last[path] = self._last.get(path), reading.value
        if not self._triggers(last, reading.value):
            return False
        self.pending[path] = reading
        return True

    def _triggers(self, last: Any, value: Any) -> bool:
        match self.trigger:
            case None:
                return True
            case ChangeFilter(parameter=wanted):
                if isinstance(value, str | list):
                    return wanted.logic_op == "ne" and value != last
                return COMPARE[wanted.logic_op](value - (last or 0), wanted.diff)
            case RangeFilter(parameter=bounds):
                if isinstance(value, str | list):
                    return False
                first, *more = bounds if isinstance(bounds, tuple) else (bounds,)
                within = [COMPARE[one.boundary_op](value, one.boundary) for one in (first, *more)]
                return any(within) if first.combination_op == "OR" else all(within)
