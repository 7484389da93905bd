"""What a page may do to a car beside talking: turn its knobs, inject faults, let it drive."""

from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.cockpit.car.authors import Authors
from evaluator.cockpit.car.fault_watch import FaultNow, FaultWatch
from evaluator.live import LiveCar
from evaluator.live.car import one_fault
from evaluator.record.record import Entry
from vehicle_bus.car.fault import Fault, FaultKind
from vehicle_bus.car.state import PlannedEvent

DRIVER = "driver"
FASTEST = 100.0  # times as far as in real time
KNOB = "window_passenger_position"  # what the hand of a fault turns
# What a fault button means where the page says no more: the next call that fits, or now.
BUTTONS: dict[FaultKind, dict[str, Any]] = {
    "delay": {"delay_ms": 3000},
    "offline": {"at_s": 0, "for_s": 8},
}


class CarControls:
    """Of one car. Each method raises `ValueError` for what no car has or can be."""

    def __init__(self, car: LiveCar, authors: Authors) -> None:
        self._car = car
        self._authors = authors
        self._watch = FaultWatch()
        self._began = car.observer.mark

    async def turn_knob(self, name: str, value: Any) -> None:
        """Set a value by hand."""
        event = PlannedEvent(at_s=0, set={name: value}, by=DRIVER)
        await self._car.event(event.kind, sets=event.set, by=event.by)

    async def let_drive(self, on: bool, time_lapse: float | None) -> None:
        """Drive along the trip, or brake and stand."""
        if not 0 < (time_lapse or 1.0) <= FASTEST:
            raise ValueError(f"the speed factor lies between 0 and {FASTEST:g}")
        await self._car.let_drive(on, time_lapse or 1.0)

    async def inject(self, kind: FaultKind, fields: Mapping[str, Any]) -> FaultNow:
        """Plan a fault; fields that are left out are those of its button."""
        fault = self._fault(kind, {**BUTTONS.get(kind, {}), **fields})
        if fault.kind == "knob":
            self._authors.faults.append(fault)
        shown = self._watch.plan(fault)
        await self._car.plan_fault(fault)
        return shown

    def _fault(self, kind: FaultKind, fields: dict[str, Any]) -> Fault:
        if kind == "knob" and not fields.get("set"):
            fields["set"] = {KNOB: 0 if self._car.observer.state.get(KNOB) else 100}
        return one_fault(kind, **fields)

    def heal(self) -> list[FaultNow]:
        """No more faults."""
        self._car.heal()
        return list(self._watch.heal())

    def take(self, entry: Entry) -> Iterator[FaultNow]:
        """What a message of the bus says about the faults."""
        yield from self._watch.take(entry)
        match entry.kind:
            case "turn" if self._watch.waits_for_turn:
                yield from self._watch.turn_over(self._car.observer.since(self._began))
            case "end":
                yield from self._watch.conversation_over()
                self._began = self._car.observer.mark
