"""A car on the bus, and a command for it."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from vehicle_bus.bus import Message, Publication
from vehicle_bus.car.event import Event
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.tool import Answer
from vehicle_bus.contract import Clock, Command, Stamped, Stamper, encode
from vehicle_bus.host.fault_plan import FaultPlan
from vehicle_bus.host.faulty_command import run_with_fault
from vehicle_bus.vehicle import Vehicle

SOURCE = "car"
LONGEST_JUMP_NS = 3600 * 1_000_000_000


@dataclass(slots=True)
class HostedCar:
    """A car on the bus: the counters of its payloads, its time, and what it has left retained.

    `latest_ns` is the latest time of the session that the car knows, `began_ns` the car's own time
    when that session began. A car whose time runs by itself has an `anchor`: its own time, and the
    wall stamp of the same moment; `stopped` is such a pair while its time stands still. In pace
    `virtual` nobody waits for a late reply: it is stamped with its time at once. `clock_ns` is the
    time of the last clock, `pending_clock` a clock not yet processed.
    """

    vin: str
    vehicle: Vehicle
    faults: FaultPlan = field(default_factory=FaultPlan)
    pace: Literal["live", "fast", "virtual"] = "live"
    changes_by_itself: bool = False
    stamper: Stamper = field(default_factory=lambda: Stamper(SOURCE))
    retained: set[str] = field(default_factory=set)
    latest_ns: int = 0
    clock_ns: int = 0
    began_ns: int = 0
    anchor: tuple[int, int] | None = None
    stopped: tuple[int, int] | None = None
    pending_clock: Clock | None = None

    def saw(self, n: int, at_ns: int) -> None:
        """What is published from now on comes after a payload with these numbers."""
        self.stamper.saw(n)
        self.latest_ns = max(self.latest_ns, at_ns)

    def set_clock(self, clock: Clock) -> None:
        """Take over the time of a session, which begins at 0; in pace `live` it runs from here."""
        self.clock_ns = clock.t_ns
        if clock.t_ns == 0:
            self.began_ns = max(self.vehicle.now_ns, self.car_ns(self.latest_ns))
            self.latest_ns = 0
        self.saw(clock.n, clock.t_ns)
        self.pace = clock.pace
        now_ns = self.began_ns + clock.t_ns
        self.anchor = (now_ns, time.monotonic_ns()) if clock.pace == "live" else None

    def reachable_ns(self, session_ns: int) -> int:
        """A moment of the session, or the latest that the car goes to at once if it lies beyond.

        A moving car drives every second of the way there, and meanwhile answers nobody.
        """
        now_ns = self.now_ns
        known_ns = self.clock_ns if now_ns is None else self.session_ns(now_ns)
        return min(session_ns, max(self.clock_ns, known_ns) + LONGEST_JUMP_NS)

    def start_clock(self) -> None:
        """Let time run by itself from now on."""
        self.anchor = (self.vehicle.now_ns, time.monotonic_ns())

    def stop_clock(self) -> None:
        """Let time stand still, if it runs by itself."""
        if (now_ns := self.now_ns) is not None:
            self.anchor, self.stopped = None, (now_ns, time.monotonic_ns())

    def go_on(self) -> None:
        """Let time run on, if it stands still; a session does not count what it missed."""
        if self.stopped is not None:
            wall_ns = time.monotonic_ns()
            now_ns, since_ns = self.stopped
            self.began_ns -= wall_ns - since_ns
            self.anchor, self.stopped = (now_ns, wall_ns), None

    @property
    def now_ns(self) -> int | None:
        """The car's own time now if it runs by itself; None for any other car."""
        if self.stopped is not None:
            return self.stopped[0]
        if self.anchor is None:
            return None
        now_ns, since_ns = self.anchor
        return now_ns + time.monotonic_ns() - since_ns

    def car_ns(self, session_ns: int) -> int:
        """The car's own time, which goes on between sessions, at a moment of the session.

        If it runs by itself, that is always now.
        """
        now_ns = self.now_ns
        return self.began_ns + session_ns if now_ns is None else now_ns

    def session_ns(self, car_ns: int) -> int:
        """A moment of the car in the time of the session; 0 for all before it."""
        return max(0, car_ns - self.began_ns)

    def advance(self, car_ns: int) -> list[Event]:
        """Let time pass; the events have the time of the session."""
        self.vehicle.forget(*self.faults.taken_back())
        events = self.vehicle.advance(car_ns)
        if not self.began_ns:
            return events
        return [replace(event, at_ns=self.session_ns(event.at_ns)) for event in events]

    def publication(self, topic: str, payload: Stamped, *, retain: bool = False) -> Publication:
        """Encode one payload of this car."""
        if retain:
            self.retained.add(topic)
        return Publication(topic, encode(payload), retain=retain)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to a command, how long the car took, and the events that preceded it.

    `began_ns` is a wall stamp, `fault` the fault that hit the command. Without an `answer` the car
    did not receive the command.
    """

    answer: Answer | None
    took_ns: int
    events: Iterable[Event] = ()
    began_ns: int = 0
    fault: Fault | None = None

    def held_back(self) -> "Outcome":
        """The same, with the time until now as the time the car took."""
        return replace(self, took_ns=time.monotonic_ns() - self.began_ns)


@dataclass(frozen=True, slots=True)
class CarCommand:
    """A command for a hosted car, as it was received in `message`."""

    car: HostedCar
    tool: str
    payload: Command
    message: Message
    fault: Fault | None = None

    def carry_out(self) -> Outcome:
        """Let the car do it; nothing else in here may run in another thread."""
        began_ns = time.monotonic_ns()
        car, now_ns = self.car, self.car.car_ns(self.payload.at_ns)
        events = () if car.faults.away(now_ns) else car.advance(now_ns)
        answer: Answer | None = None
        if (fault := self.fault) is None:
            answer = car.vehicle.handle(self.tool, self.payload)
        else:
            answer, fault = run_with_fault(car.vehicle, car.faults, fault, self.tool, self.payload)
        return Outcome(answer, time.monotonic_ns() - began_ns, events, began_ns, fault)
