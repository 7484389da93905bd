"""A command carried out by a car while a fault hits it. Pure."""

from vehicle_bus.car.fault import Fault
from vehicle_bus.car.tool import Answer
from vehicle_bus.contract import Command
from vehicle_bus.host.fault_plan import NOT_RECEIVED, SECOND, FaultPlan
from vehicle_bus.vehicle import Vehicle


def run_with_fault(
    vehicle: Vehicle, faults: FaultPlan, fault: Fault, tool: str, command: Command
) -> tuple[Answer | None, Fault | None]:
    """The answer, if the car received the command; and the fault, if it had an effect."""
    if fault.kind in NOT_RECEIVED:
        return None, fault
    if fault.kind == "refusal":
        return vehicle.decline(fault.text), fault
    answer = vehicle.handle(tool, command)
    match fault.kind:
        case "stale" | "contradiction":
            wrong = _wrong_answer(vehicle, faults, fault, tool, command, answer)
            return (wrong, fault) if wrong.output != answer.output else (answer, None)
        case "knob":
            if answer.status != "SUCCESS":
                return answer, None
            at_s = vehicle.now_ns / SECOND + fault.delay_ms / 1000
            vehicle.plan(faults.hand(fault, at_s))
        case "reorder" if not answer.changes:
            return answer, None
    return answer, fault


def _wrong_answer(
    vehicle: Vehicle, faults: FaultPlan, fault: Fault, tool: str, command: Command, answer: Answer
) -> Answer:
    if fault.kind == "stale":
        state = vehicle.last_state
    elif fault.set:
        state = vehicle.state.changed(**fault.set)
    else:
        state = faults.other_than(vehicle.state, answer.result or ())
    return vehicle.look_up_in(state, tool, command)
