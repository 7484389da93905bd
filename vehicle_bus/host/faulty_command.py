"""What a command comes to in a car when a fault befalls it. Pure."""

import json
from dataclasses import dataclass

from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import PlannedEvent
from vehicle_bus.contract import Command
from vehicle_bus.host.fault_plan import SECOND, UNHEARD, FaultPlan
from vehicle_bus.vehicle import Handled, Vehicle


@dataclass(frozen=True, slots=True)
class Spoilt:
    """`handled` is None if the car never heard of it; `fault` None if nobody could have noticed."""

    handled: Handled | None
    fault: Fault | None


def run_with_fault(
    vehicle: Vehicle, faults: FaultPlan, fault: Fault, tool: str, command: Command
) -> Spoilt:
    """Let the car do a command that a fault befalls."""
    if fault.kind in UNHEARD:
        return Spoilt(None, fault)
    if fault.kind == "refusal":
        return Spoilt(vehicle.decline(fault.text), fault)
    handled = vehicle.handle(tool, command)
    match fault.kind:
        case "stale" | "contradiction":
            told = _told_otherwise(vehicle, faults, fault, tool, command, handled)
            return Spoilt(told, fault) if told.output != handled.output else Spoilt(handled, None)
        case "knob":
            if handled.status != "SUCCESS":
                return Spoilt(handled, None)
            at_s = vehicle.now_ns / SECOND + fault.delay_ms / 1000
            vehicle.plan(PlannedEvent(at_s=at_s, set=fault.set, by=fault.by))
        case "reorder" if not handled.changes:
            return Spoilt(handled, None)
    return Spoilt(handled, fault)


def _told_otherwise(
    vehicle: Vehicle, faults: FaultPlan, fault: Fault, tool: str, command: Command, handled: Handled
) -> Handled:
    if fault.kind == "stale":
        state = vehicle.last_state
    elif fault.set:
        state = vehicle.state.changed(**fault.set)
    else:
        state = faults.other_than(vehicle.state, _fields(handled))
    return vehicle.look_up_in(state, tool, command)


def _fields(handled: Handled) -> list[str]:
    """The names of what an answer tells."""
    try:
        answer = json.loads(handled.output)
    except json.JSONDecodeError:
        return []
    result = answer.get("result") if isinstance(answer, dict) else None
    return list(result) if isinstance(result, dict) else []
