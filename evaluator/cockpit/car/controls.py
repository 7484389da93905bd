"""What a page may do to a car beside talking: turn its knobs, inject faults, let it drive."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import ValidationError

from evaluator.cockpit.car.authors import Authors
from evaluator.cockpit.car.fault_watch import FaultNow, FaultWatch
from evaluator.cockpit.messages import (
    CarMessage,
    HealFaults,
    InjectFault,
    SetMotion,
    TurnKnob,
)
from evaluator.live import LiveCar
from evaluator.live.car import one_fault
from evaluator.live.update import Update
from evaluator.record.record import Entry
from user_sim.understanding.understand import asks
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import CarSetup, PlannedEvent
from vehicle_bus.contract import FaultOrder
from vehicle_bus.validation_problem import first_problem

DRIVER = "driver"
FASTEST = 100.0  # times as far in the same time
KNOB = "window_passenger_position"  # what the hand of a fault turns
# Fields of a fault that its button leaves out. An assistant looks before it changes something: a
# fault of a look-up would be over before the change that is waited for.
ANY_BUTTON: dict[str, Any] = {"calls": "set"}
BUTTONS: dict[str, dict[str, Any]] = {
    "delay": {"delay_ms": 3000},
    "offline": {"at_s": 0, "for_s": 8},
}


@dataclass(frozen=True, slots=True)
class MotionNow(Update):
    """Whether the car drives along its trip, and how many times as far in the same time."""

    KIND: ClassVar[str] = "motion"
    on: bool
    speed_factor: float


class CarControls:
    """Knobs, faults and motion of one car; raises `ValueError` for a value that no car has."""

    def __init__(self, car: LiveCar, authors: Authors) -> None:
        self._car = car
        self._authors = authors
        self._watch = FaultWatch()
        self._speed_factor = 1.0
        self._began = car.observer.mark

    async def do(self, message: CarMessage) -> Sequence[Update]:
        """What a page asks for; returns what there is to show of it."""
        match message:
            case TurnKnob(name=name, value=value):
                await self.turn_knob(name, value)
            case InjectFault(fault_kind=kind, fields=fields):
                return [await self.inject(kind, fields)]
            case HealFaults():
                return await self.heal()
            case SetMotion(on=on, speed_factor=factor):
                return [await self.let_drive(on, factor)]
        return ()

    async def turn_knob(self, name: str, value: Any) -> None:
        """Set a value by hand."""
        try:
            event = PlannedEvent(at_s=0, set={name: value}, by=DRIVER)
        except ValidationError as error:
            raise ValueError(first_problem(error, skip=1)) from error
        await self._car.event(event.kind, sets=event.set, by=event.by)

    async def let_drive(self, on: bool, speed_factor: float | None) -> MotionNow:
        """Drive along the trip, or brake and stand; without a `speed_factor` that of before."""
        wanted = self._speed_factor if speed_factor is None else speed_factor
        if not 0 < wanted <= FASTEST:
            raise ValueError(f"the speed factor lies between 0 and {FASTEST:g}")
        self._speed_factor = wanted
        await self._car.let_drive(on, wanted)
        return MotionNow(on, wanted)

    async def inject(self, kind: str, fields: Mapping[str, Any]) -> FaultNow:
        """Plan a fault; fields that are left out are those of its button."""
        fault = self._fault(kind, {**ANY_BUTTON, **BUTTONS.get(kind, {}), **fields})
        await asyncio.to_thread(asks, "Ready?")  # reads its network, which takes a while once
        shown = self._planned(fault)
        await self._car.plan_fault(fault)
        return shown

    def _planned(self, fault: Fault) -> FaultNow:
        if fault.kind == "knob":
            self._authors.faults.append(fault)
        return self._watch.plan(fault)

    def _fault(self, kind: str, fields: dict[str, Any]) -> Fault:
        if kind == "knob" and not fields.get("set"):
            fields["set"] = {KNOB: 0 if self._car.observer.state.get(KNOB) else 100}
        return one_fault(kind, **fields)

    async def heal(self) -> list[FaultNow]:
        """No more faults."""
        await self._car.clear_faults()
        return list(self._watch.heal())

    def take(self, entry: Entry) -> Iterator[FaultNow]:
        """What a message of the bus says about the faults."""
        yield from self._watch.take(entry)
        match entry.kind:
            case "fault" if order := entry.read(FaultOrder):
                yield from self._ordered(order)
            case "turn" if self._watch.waits_for_turn:
                yield from self._watch.turn_over(self._car.observer.since(self._began))
            case "end":
                yield from self._watch.conversation_over()
                self._began = self._car.observer.mark

    def _ordered(self, order: FaultOrder) -> Iterator[FaultNow]:
        """What another client of the bus has planned or cleared; the car drops what is wrong."""
        try:
            faults = CarSetup.model_validate(
                {"faults": [order.fault] if order.fault else []}
            ).faults
        except ValidationError:
            return
        if order.clear:
            yield from self._watch.heal()
        yield from map(self._planned, faults)
