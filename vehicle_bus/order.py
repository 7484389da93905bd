"""A car on the bus, and a command for it."""

import time
from dataclasses import dataclass, field
from typing import Any

import orjson

from vehicle_bus.bus import Message, Publication
from vehicle_bus.contract import Command
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
    """A command for a car that is here."""

    placed: Placed
    tool: str
    command: Command
    message: Message

    def carry_out(self) -> Done:
        """Let the car do it; nothing else in here may run in another thread."""
        started_ns = time.perf_counter_ns()
        happened = self.placed.vehicle.advance(self.command.at_ns)
        handled = self.placed.vehicle.handle(self.tool, self.command)
        return Done(handled, time.perf_counter_ns() - started_ns, tuple(happened))
