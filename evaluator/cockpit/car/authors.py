"""Who changed a value of the car: the assistant, a person, the task, a fault or driving. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from assistant_gateway.session.bus_outbox import SRC as GATEWAY
from evaluator.record.record import Entry
from evaluator.views.car_values import ROWS
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import CarSetup

Author = Literal["assistant", "person", "task", "driving", "fault"]


@dataclass(slots=True)
class Authors:
    """Knows who gives which command, and what task and faults have planned."""

    setup: CarSetup = field(default_factory=CarSetup)
    faults: list[Fault] = field(default_factory=list)  # beside those of the setup
    _assistants: set[str] = field(default_factory=set)

    def command(self, entry: Entry) -> None:
        """Remember a command of the assistant; whoever else gives one is a person."""
        if entry.src == GATEWAY:
            self._assistants.add(str(entry.fields.get("call_id")))

    def of_call(self, call_id: str) -> Author:
        return "assistant" if call_id in self._assistants else "person"

    def of_signal(self, name: str) -> Author:
        """Who changes a value that no tool changes."""
        return "driving" if name in ROWS and ROWS[name].moves else "person"

    def of_event(self, kind: str, detail: dict[str, Any]) -> Author:
        """Who is behind an event that changed something."""
        values, by = detail.get("set"), detail.get("by")
        if not isinstance(values, dict):
            return "driving"
        if any((e.kind, e.by, e.set) == (kind, by, values) for e in self.setup.happenings):
            return "task"
        return "fault" if self._turns_knob(values, by) else "person"

    def _turns_knob(self, values: dict[str, Any], by: Any) -> bool:
        faults: Iterable[Fault] = (*self.setup.faults, *self.faults)
        return any(f.kind == "knob" and (f.by, f.set) == (by, values) for f in faults)
