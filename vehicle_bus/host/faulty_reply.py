"""What is left to hear of a command that a fault befell, and that it did. Pure."""

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
    """What a car publishes after a while."""

    after_s: float
    placed: HostedCar
    publications: Callable[[], list[Publication]]


class NowAndLater(NamedTuple):
    """What is published now, and what later if the car is still there."""

    now: list[Publication]
    later: tuple[Later, ...] = ()


def faulty_reply(
    tell: CarPublications, order: CarCommand, done: Outcome, fault: Fault
) -> NowAndLater:
    """Every fault is an event; an answer that is none of the car's own carries its id."""
    placed, at_ns = order.placed, order.command.at_ns
    name = placed.faults.number()
    told: dict[str, Any] = {"call_id": order.command.call_id, "tool": order.tool}

    def event(**more: Any) -> Publication:
        return tell.fault(placed, at_ns, fault, {**told, **more}, name)

    match fault.kind:
        case "loss" | "lost_command" | "offline":
            return NowAndLater(
                [*tell.changes(order, done), event(answered=False, **_unheard(done))]
            )
        case "delay" if placed.pace == "virtual":
            late_ns = fault.delay_ms * MS
            burst = [event(delay_ms=fault.delay_ms), *tell.burst(order, done, late_ns=late_ns)]
            return NowAndLater(burst)
        case "delay":
            burst = [event(delay_ms=fault.delay_ms), *tell.changes(order, done)]
            reply = partial(_late_reply, tell, order, done, fault)
            return NowAndLater(burst, (Later(fault.delay_ms / 1000, placed, reply),))
        case "duplicate":
            burst = [event(), *tell.burst(order, done)]
            return NowAndLater([burst[0], *(each for each in burst[1:] for _ in range(2))])
        case "reorder":
            return NowAndLater([event(), *placed.faults.shuffled(tell.burst(order, done))])
        case "knob":
            changes = tell.changes(order, done)
            turned = tell.events(placed, placed.advance(placed.car_ns(at_ns)))
            return NowAndLater([*changes, *turned, event(), tell.reply(order, done)])
    return NowAndLater([event(), *tell.burst(order, done, fault_id=name)])


def absences(tell: CarPublications, placed: HostedCar, to_ns: int) -> NowAndLater:
    """That a car has left the bus, or is back; where time flows it comes back by itself.

    `to_ns` is in the car's own time.
    """
    now: list[Publication] = []
    later: list[Later] = []
    for presence in placed.faults.presences(to_ns):
        topic, body = tell.topics.status(placed.vin), {"online": presence.online}
        at_ns = placed.session_ns(presence.at_ns)
        now.append(placed.publication(topic, at_ns, body, retain=True))
        if presence.online:
            continue
        fault = presence.fault
        now.append(tell.fault(placed, at_ns, fault, {"for_s": fault.for_s}))
        if placed.pace != "virtual":
            back_ns = presence.at_ns + round(fault.for_s * SECOND)
            back = partial(_back, tell, placed, back_ns)
            later.append(Later((back_ns - to_ns) / SECOND, placed, back))
    return NowAndLater(now, tuple(later))


def _back(tell: CarPublications, placed: HostedCar, to_ns: int) -> list[Publication]:
    return absences(tell, placed, to_ns).now


def _late_reply(
    tell: CarPublications, order: CarCommand, done: Outcome, fault: Fault
) -> list[Publication]:
    return [tell.reply(order, done.held_back(), late_ns=fault.delay_ms * MS)]


def _unheard(done: Outcome) -> dict[str, Any]:
    """What the car did all the same; null if it never heard of it."""
    handled = done.handled
    if handled is None:
        return {"status": None}
    return {
        "status": handled.status,
        "revision_before": handled.revision_before,
        "revision_after": handled.revision_after,
    }
