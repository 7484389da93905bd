"""A car on the bus, and a command for it."""

import time
from dataclasses import dataclass, field
from typing import Any

import orjson

from vehicle_bus.bus import Message, Publication
from vehicle_bus.contract import Command
from vehicle_bus.faults import Fault, Faults, Refuse
from vehicle_bus.happenings import Happened
from vehicle_bus.vehicle import Handled, Vehicle

SOURCE = "car"


@dataclass(slots=True)
class Placed:
    """A car on the bus: the counters of its payloads, and what it has left retained."""

    vin: str
    vehicle: Vehicle
    seq: int = 0
    lamport: int = 0
    retained: set[str] = field(default_factory=set)
    faults: Faults = field(default_factory=Faults)

    def heard(self, lamport: int) -> None:
        self.lamport = max(self.lamport, lamport)

    def publication(
        self, topic: str, t_ns: int, body: dict[str, Any], *, retain: bool = False
    ) -> Publication:
        """Stamp and encode one payload of this car."""
        self.seq += 1
        self.lamport += 1
        if retain:
            self.retained.add(topic)
        stamps = {
            "src": SOURCE,
            "seq": self.seq,
            "n": self.lamport,
            "t_ns": t_ns,
            "mono_ns": time.monotonic_ns(),
        }
        return Publication(topic, orjson.dumps(stamps | body), retain=retain)


@dataclass(frozen=True, slots=True)
class Done:
    """What a command came to, how long the car took, and what happened to the car before."""

    handled: Handled
    took_ns: int
    happened: tuple[Happened, ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """A command for a car that is here, and the fault that befalls it, if any."""

    placed: Placed
    tool: str
    command: Command
    message: Message
    fault: Fault | None = None

    def carry_out(self) -> Done:
        """Let the car do it; nothing else in here may run in another thread."""
        started_ns = time.perf_counter_ns()
        vehicle = self.placed.vehicle
        happened = vehicle.advance(self.command.at_ns)
        if isinstance(self.fault, Refuse):
            handled = vehicle.decline(self.fault.reason)
        else:
            handled = vehicle.handle(self.tool, self.command)
        return Done(handled, time.perf_counter_ns() - started_ns, tuple(happened))
