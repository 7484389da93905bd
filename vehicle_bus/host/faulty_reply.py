"""What a car publishes about a command hit by a fault, and about its absences. Pure."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from vehicle_bus.bus import Publication
from vehicle_bus.car.fault import Fault
from vehicle_bus.host.command import CarCommand, HostedCar, Outcome
from vehicle_bus.host.fault_plan import SECOND
from vehicle_bus.host.publications import CarPublications

MS = 1_000_000


class Later(NamedTuple):
    """Publications of a car, made after a while if it is still on the bus."""

    after_s: float
    car: HostedCar
    publications: Callable[[], list[Publication]]


PutOff = Callable[[Later], None]


def faulty_reply(
    publications: CarPublications,
    command: CarCommand,
    outcome: Outcome,
    fault: Fault,
    put_off: PutOff,
) -> list[Publication]:
    """Every fault is an event; a reply that is not the car's own carries its id."""
    car, at_ns = command.car, command.payload.at_ns
    fault_id = car.faults.number()
    call = {"call_id": command.payload.call_id, "tool": command.tool}

    def event(**more: Any) -> Publication:
        return publications.fault(car, at_ns, fault, {**call, **more}, fault_id)

    changes = partial(publications.changes, command, outcome)
    burst = partial(publications.burst, command, outcome)
    match fault.kind:
        case "loss" | "lost_command" | "offline":
            return [*changes(), event(answered=False, **_unpublished(outcome))]
        case "delay" if car.pace == "virtual":
            return [event(delay_ms=fault.delay_ms), *burst(late_ns=fault.delay_ms * MS)]
        case "delay":
            reply = partial(_late_reply, publications, command, outcome, fault)
            put_off(Later(fault.delay_ms / 1000, car, reply))
            return [event(delay_ms=fault.delay_ms), *changes()]
        case "duplicate":
            return [event(), *(each for each in burst() for _ in range(2))]
        case "reorder":
            return [event(), *car.faults.shuffled(burst())]
        case "knob":
            own_changes = changes()
            turned = publications.events(car, car.advance(car.car_ns(at_ns)))
            return [*own_changes, *turned, event(), publications.reply(command, outcome)]
    return [event(), *burst(fault_id=fault_id)]


def absences(
    publications: CarPublications, car: HostedCar, to_ns: int, put_off: PutOff
) -> list[Publication]:
    """That a car has left the bus, or is back; in real time it comes back by itself.

    `to_ns` is in the car's own time.
    """
    now: list[Publication] = []
    for presence in car.faults.presences(to_ns):
        at_ns = car.session_ns(presence.at_ns)
        now.append(publications.status(car, at_ns, online=presence.online))
        if presence.online:
            continue
        for_s = presence.fault.for_s
        now.append(publications.fault(car, at_ns, presence.fault, {"for_s": for_s}))
        if car.pace != "virtual":
            back_ns = presence.at_ns + round(for_s * SECOND)
            back = partial(absences, publications, car, back_ns, put_off)
            put_off(Later((back_ns - to_ns) / SECOND, car, back))
    return now


def _late_reply(
    publications: CarPublications, command: CarCommand, outcome: Outcome, fault: Fault
) -> list[Publication]:
    return [publications.reply(command, outcome.held_back(), late_ns=fault.delay_ms * MS)]


def _unpublished(outcome: Outcome) -> dict[str, Any]:
    """What the car did although nobody gets a reply; null if it did not receive the command."""
    answer = outcome.answer
    if answer is None:
        return {"status": None}
    return {
        "status": answer.status,
        "revision_before": answer.revision_before,
        "revision_after": answer.revision_after,
    }
