"""A car on the bus, and a command for it."""

import time
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from vehicle_bus.bus import Message, Publication
from vehicle_bus.car.event import Happened
from vehicle_bus.car.fault import Fault
from vehicle_bus.contract import Clock, Command
from vehicle_bus.host.fault_plan import FaultPlan
from vehicle_bus.host.faulty_command import Spoilt, run_with_fault
from vehicle_bus.vehicle import Handled, Vehicle

SOURCE = "car"


@dataclass(slots=True)
class HostedCar:
    """A car on the bus: the counters of its payloads, and what it has left retained.

    In pace `virtual` nobody waits for a late answer: it is stamped with its time at once.
    `began_ns` is how long the car had been there when the session began that is going on. A car
    whose time runs by itself was told it is `anchor`'s first at the wall clock's second.
    """

    vin: str
    vehicle: Vehicle
    faults: FaultPlan = field(default_factory=FaultPlan)
    pace: Literal["live", "fast", "virtual"] = "live"
    told_ns: int = 0
    stirs: bool = False
    seq: int = 0
    lamport: int = 0
    retained: set[str] = field(default_factory=set)
    began_ns: int = 0
    anchor: tuple[int, int] | None = None
    waiting: Clock | None = None

    def heard(self, lamport: int, at_ns: int) -> None:
        """What is published from now on comes after this."""
        self.lamport = max(self.lamport, lamport)
        self.told_ns = max(self.told_ns, at_ns)

    def told(self, clock: Clock) -> None:
        """A session tells its time, which begins at zero; in pace `live` it runs on from here."""
        if clock.t_ns == 0:
            self.began_ns = max(self.vehicle.now_ns, self.car_ns(self.told_ns))
            self.told_ns = 0
        self.heard(clock.n, clock.t_ns)
        self.pace = clock.pace
        now_ns = self.began_ns + clock.t_ns
        self.anchor = (now_ns, time.monotonic_ns()) if clock.pace == "live" else None

    def run(self) -> None:
        """Time runs by itself from now on."""
        self.anchor = (self.vehicle.now_ns, time.monotonic_ns())

    @property
    def now_ns(self) -> int | None:
        """How long a car whose time runs by itself is there; None for any other."""
        if self.anchor is None:
            return None
        now_ns, since_ns = self.anchor
        return now_ns + time.monotonic_ns() - since_ns

    def car_ns(self, session_ns: int) -> int:
        """A moment of the session in the car's own time, which goes on after a session has ended.

        A car whose time runs by itself need not be told: there it is now.
        """
        now_ns = self.now_ns
        return self.began_ns + session_ns if now_ns is None else now_ns

    def session_ns(self, car_ns: int) -> int:
        """A moment of the car in the time of the session; what was before it, at its beginning."""
        return max(0, car_ns - self.began_ns)

    def advance(self, car_ns: int) -> list[Happened]:
        """Let time pass; what happened is in the time of the session."""
        happened = self.vehicle.advance(car_ns)
        if not self.began_ns:
            return happened
        return [replace(each, at_ns=self.session_ns(each.at_ns)) for each in happened]

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
class Outcome:
    """What a command came to, how long the car took, and what happened to the car before.

    `began_ns` is a wall stamp, `fault` is what befell the command.
    Without `handled` the car never heard of it.
    """

    handled: Handled | None
    took_ns: int
    happened: tuple[Happened, ...] = ()
    began_ns: int = 0
    fault: Fault | None = None

    def held_back(self) -> "Outcome":
        """The same, now that its answer goes out at last."""
        return replace(self, took_ns=time.monotonic_ns() - self.began_ns)


@dataclass(frozen=True, slots=True)
class CarCommand:
    """A command for a car that is here."""

    placed: HostedCar
    tool: str
    command: Command
    message: Message
    fault: Fault | None = None

    def carry_out(self) -> Outcome:
        """Let the car do it; nothing else in here may run in another thread."""
        began_ns = time.monotonic_ns()
        placed, now_ns = self.placed, self.placed.car_ns(self.command.at_ns)
        happened = () if placed.faults.away(now_ns) else tuple(placed.advance(now_ns))
        done = self._done(placed)
        took_ns = time.monotonic_ns() - began_ns
        return Outcome(done.handled, took_ns, happened, began_ns, done.fault)

    def _done(self, placed: HostedCar) -> Spoilt:
        if self.fault is None:
            return Spoilt(placed.vehicle.handle(self.tool, self.command), None)
        return run_with_fault(placed.vehicle, placed.faults, self.fault, self.tool, self.command)
