"""Many cars on one bus connection: commands in, changed signals, snapshot and reply out."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

from pydantic import ValidationError

from vehicle_bus.bus import Bus, BusError, Message, Publication, Subscription
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import CarSetup
from vehicle_bus.contract import (
    CarStatus,
    Clock,
    Command,
    FaultOrder,
    Payload,
    Topics,
    decode,
    encode,
)
from vehicle_bus.host.command import CarCommand, HostedCar, Outcome
from vehicle_bus.host.fault_plan import SECOND, FaultPlan
from vehicle_bus.host.faulty_reply import Later, absences, faulty_reply
from vehicle_bus.host.publications import CarPublications
from vehicle_bus.host.worker_thread import MOST_WAITING, WorkerThread
from vehicle_bus.tools import BY_NAME
from vehicle_bus.validation_problem import first_problem
from vehicle_bus.vehicle import Vehicle

log = logging.getLogger(__name__)


class VehicleHost:
    """Cars by vin, answering commands for as long as `vehicle_host` is entered."""

    def __init__(
        self, bus: Bus, topics: Topics, signals: Literal["changes", "all"], keep_retained: bool
    ) -> None:
        self._bus = bus
        self.topics = topics
        self._publications = CarPublications(topics)
        self._every_signal = signals == "all"
        self._keep_retained = keep_retained
        self._cars: dict[str, HostedCar] = {}
        self._later: asyncio.Queue[Later] = asyncio.Queue(MOST_WAITING)

    async def place(
        self,
        vin: str,
        vehicle: Vehicle,
        *,
        faults: Sequence[Fault] = (),
        seed: str = "",
        running: bool = False,
    ) -> None:
        """Bring a car onto the bus; returns once status, capabilities and snapshot are there.

        Its own faults come first, then `faults`; `seed` is for their chance. Its time is that of
        its session, or runs by itself from now on.
        """
        car = self._cars[vin] = HostedCar(vin, vehicle, FaultPlan(seed))
        self._plan(car, *vehicle.setup.faults, *faults)
        car.changes_by_itself = vehicle.changes_by_itself or car.faults.changes_by_itself
        if running:
            car.start_clock()
        await self._bus.publish_all(self._introduction(car))

    async def remove(self, vin: str) -> None:
        """Take a car off the bus, and its retained topics with it unless they are to be kept."""
        car = self._cars.pop(vin)
        if self._keep_retained:
            await self._bus.publish(self._publications.status(car, 0, online=False))
        else:
            await self._bus.publish_all(
                [Publication(topic, b"", retain=True) for topic in sorted(car.retained)]
            )

    async def place_again(self) -> None:
        """Retain once more what a restarted broker has forgotten: the present state of each car."""
        cars = tuple(self._cars.values())
        await self._bus.publish_all([each for car in cars for each in self._introduction(car)])

    def vehicle(self, vin: str) -> Vehicle:
        return self._cars[vin].vehicle

    def vins(self) -> tuple[str, ...]:
        return tuple(self._cars)

    def faults(self, vin: str) -> FaultPlan:
        """The faults planned for a car."""
        return self._cars[vin].faults

    def now_ns(self, vin: str) -> int:
        """The own time of a car in ns; it goes on between sessions."""
        car = self._cars[vin]
        return car.car_ns(car.latest_ns)

    def start_time(self, vin: str) -> None:
        """Let the time of a car run by itself."""
        self._cars[vin].start_clock()

    def stop_time(self, vin: str) -> None:
        """Let the time of a car stand still until it goes on."""
        self._cars[vin].stop_clock()

    def go_on(self, vin: str) -> None:
        """Let the time of a car run on from where it stopped."""
        self._cars[vin].go_on()

    async def happen(
        self, vin: str, kind: str, values: dict[str, Any], detail: dict[str, Any]
    ) -> None:
        """Set values of a car without a command, and publish that as an event."""
        car = self._cars[vin]
        detail = {**detail, "set": values} if values else detail
        event = car.vehicle.happens(kind, values, detail)
        await self._bus.publish_all(self._publications.events(car, [event]))

    async def let_drive(self, vin: str, on: bool, speed_factor: float = 1.0) -> None:
        """Let a car drive along its trip as its time runs, or brake and stand."""
        car = self._cars[vin]
        publications = self._until(car, self.now_ns(vin))
        car.vehicle.let_drive(on, speed_factor)
        await self._bus.publish_all(publications)

    def receive_clock(self, vin: str, message: Message, *, busy: bool) -> list[Publication]:
        """What happened to a car until the time that a clock says.

        For a car that is `busy` with a long search, `catch_up` returns it afterwards.
        """
        car, clock = self._cars.get(vin), _decoded(Clock, message)
        if car is None or clock is None:
            return []
        car.pending_clock = _reachable(car, clock, "t_ns")
        return [] if busy else self.catch_up(car)

    def catch_up(self, car: HostedCar) -> list[Publication]:
        """What happened until the last clock, unless it is published already."""
        clock, car.pending_clock = car.pending_clock, None
        if clock is None:
            return []
        car.set_clock(clock)
        events = self._until(car, car.car_ns(clock.t_ns))
        return [*events, *self._publications.time(car, clock.t_ns)]

    def tick(self, busy: Callable[[str], bool]) -> list[Publication]:
        """What has happened to cars whose time runs by itself."""
        publications: list[Publication] = []
        for vin, car in self._cars.items():
            now_ns = car.now_ns
            changes = car.vehicle.changes_by_itself or car.faults.changes_by_itself
            if now_ns is not None and changes and not busy(vin):
                publications += self._until(car, now_ns)
        return publications

    def _until(self, car: HostedCar, now_ns: int) -> list[Publication]:
        """What has happened until now by the car's own time; an absent car publishes it later."""
        publications = self._absences(car, now_ns)
        if not car.faults.away(now_ns):
            publications += self._publications.events(car, car.advance(now_ns))
        return publications

    def receive_fault(self, vin: str, message: Message) -> list[Publication]:
        """Plan a fault of a car for an operator, or clear them; its `at_s` counts from now."""
        car, order = self._cars.get(vin), _decoded(FaultOrder, message)
        if car is None or order is None:
            return []
        try:
            faults = CarSetup.model_validate({"faults": [order.fault] if order.fault else []})
        except ValidationError as error:
            log.warning("dropped a message on %s: %s", message.topic, first_problem(error))
            return []
        if order.clear:
            car.faults.clear()
        return self._plan_from_now(car, *faults.faults)

    async def plan(self, vin: str, *faults: Fault) -> None:
        """Plan more faults of a car; `at_s` counts from now."""
        await self._bus.publish_all(self._plan_from_now(self._cars[vin], *faults))

    async def clear_faults(self, vin: str) -> None:
        """No more faults of a car; one that is away is back at once."""
        car = self._cars[vin]
        car.faults.clear()
        await self._bus.publish_all(self._plan_from_now(car))

    def _plan_from_now(self, car: HostedCar, *faults: Fault) -> list[Publication]:
        now_ns = car.car_ns(car.latest_ns)
        for fault in faults:
            at_s = None if fault.at_s is None else fault.at_s + now_ns / SECOND
            self._plan(car, fault.model_copy(update={"at_s": at_s}))
        return self._until(car, now_ns)

    def _plan(self, car: HostedCar, *faults: Fault) -> None:
        car.faults.plan(*faults)
        for fault in faults:
            if fault.kind == "knob" and fault.at_s is not None:
                car.vehicle.plan(car.faults.hand(fault, fault.at_s))

    def _absences(self, car: HostedCar, to_ns: int) -> list[Publication]:
        return absences(self._publications, car, to_ns, self._later.put_nowait)

    def command(self, message: Message) -> CarCommand | Publication | None:
        """The command in a message, or the answer if it cannot be read; None if no car is here."""
        vin, rest = self.topics.split(message.topic) or ("", "")
        car = self._cars.get(vin)
        if car is None:
            return None
        try:
            payload = _reachable(car, decode(Command, message.payload), "at_ns")
        except ValidationError as error:
            problem = first_problem(error)
            log.warning("cannot read a command on %s: %s", message.topic, problem)
            return self._publications.unread(car, message, problem)
        tool = rest.removeprefix("command/")
        fault = None
        if car.vehicle.offers(tool):
            fault = car.faults.next(tool, BY_NAME[tool].kind, car.car_ns(payload.at_ns))
        return CarCommand(car, tool, payload, message, fault)

    def answer(self, command: CarCommand, outcome: Outcome) -> list[Publication]:
        """What has to be published about a command carried out, in this order."""
        car, payload = command.car, command.payload
        if self._cars.get(car.vin) is not car:
            return []  # taken off the bus meanwhile
        car.saw(payload.n, payload.at_ns)
        before = [
            *self._absences(car, car.car_ns(payload.at_ns)),
            *self._publications.events(car, outcome.events),
        ]
        if outcome.fault is not None:
            put_off = self._later.put_nowait
            return [
                *before,
                *faulty_reply(self._publications, command, outcome, outcome.fault, put_off),
            ]
        if command.fault is not None:
            car.faults.uncount(command.fault)
        return [*before, *self._publications.burst(command, outcome)]

    def _introduction(self, car: HostedCar) -> list[Publication]:
        return self._publications.introduction(car, signals=self._every_signal)

    async def publish_later(self) -> None:
        """Publish what a fault has put off, each at its time."""

        async def publish(later: Later) -> None:
            await asyncio.sleep(later.after_s)
            if self._cars.get(later.car.vin) is later.car:
                await _publish(self._bus, later.publications())

        async with asyncio.TaskGroup() as tasks:
            while True:
                later = await self._later.get()
                tasks.create_task(publish(later), name=f"put off for {later.car.vin}")


@asynccontextmanager
async def vehicle_host(
    bus: Bus,
    topics: Topics,
    *,
    signals: Literal["changes", "all"] = "changes",
    keep_retained: bool = False,
    motion_hz: int = 1,
) -> AsyncIterator[VehicleHost]:
    """Serve cars on `bus` while the block runs; leaving takes the remaining ones off the bus.

    With `signals="all"` a car also publishes every signal when it is placed. Cars whose time runs
    by itself publish their events `motion_hz` times per second.
    """
    host = VehicleHost(bus, topics, signals, keep_retained)
    async with (
        bus.subscribe(topics.command("+", "+"), topics.clock("+"), topics.fault("+")) as messages,
        asyncio.TaskGroup() as tasks,
    ):
        await bus.publish(_presence(topics, bus.client_id, online=True))

        async def answer(command: CarCommand, outcome: Outcome) -> None:
            await _publish(bus, [*host.answer(command, outcome), *host.catch_up(command.car)])

        worker = WorkerThread(answer)
        running = (
            tasks.create_task(_receive(host, bus, messages, worker), name="vehicle host"),
            tasks.create_task(worker.work(), name="vehicle host, heavy tools"),
            tasks.create_task(_tick(host, bus, worker, motion_hz), name="vehicle host, time"),
            tasks.create_task(host.publish_later(), name="vehicle host, put off"),
            tasks.create_task(_come_back(host, bus, topics), name="vehicle host, after an outage"),
        )
        try:
            yield host
        finally:
            for task in running:
                task.cancel()
            try:
                for vin in host.vins():
                    await host.remove(vin)
                await bus.publish(Publication(host_status(topics, bus.client_id), b"", retain=True))
            except BusError as error:
                log.warning("left cars on a bus that does not answer: %s", error)


def host_status(topics: Topics, client_id: str) -> str:
    """The status topic of a host. A connection has one Last Will, its cars are many."""
    return topics.status(f"host-{client_id}")


def last_will(topics: Topics, client_id: str) -> Publication:
    """What the broker publishes for a host that vanished: every car of it is offline."""
    return _presence(topics, client_id, online=False)


def _presence(topics: Topics, client_id: str, *, online: bool) -> Publication:
    payload = encode(CarStatus(src="host", online=online))
    return Publication(host_status(topics, client_id), payload, retain=True)


def _decoded(model: type[Payload], message: Message) -> Payload | None:
    """The payload of a message; one that cannot be read is logged and dropped."""
    try:
        return decode(model, message.payload)
    except ValidationError as error:
        log.warning("dropped a message on %s: %s", message.topic, first_problem(error))
        return None


def _reachable(car: HostedCar, payload: Payload, stamp: str) -> Payload:
    """The payload, with a stamp that is too far ahead put where the car can go at once."""
    asked_ns: int = getattr(payload, stamp)
    reachable_ns = car.reachable_ns(asked_ns)
    if reachable_ns == asked_ns:
        return payload
    log.warning("%s is asked to jump to %d ns and goes to %d ns", car.vin, asked_ns, reachable_ns)
    return payload.model_copy(update={stamp: reachable_ns})


async def _receive(
    host: VehicleHost, bus: Bus, messages: Subscription, worker: WorkerThread
) -> None:
    while True:
        bursts: list[Publication] = []
        heavy: list[CarCommand] = []
        for message in await messages.batch():
            vin, rest = host.topics.split(message.topic) or ("", "")
            if rest == "fault":
                bursts += host.receive_fault(vin, message)
            elif rest == "clock":
                bursts += host.receive_clock(vin, message, busy=worker.busy(vin))
            elif not isinstance(command := host.command(message), CarCommand):
                bursts += [] if command is None else [command]
            elif worker.takes(command):
                heavy.append(command)
            else:
                bursts += host.answer(command, command.carry_out())
        if bursts:
            await _publish(bus, bursts)
        for command in heavy:  # after the lighter ones of the same car are out
            await worker.put(command)


async def _tick(host: VehicleHost, bus: Bus, worker: WorkerThread, per_second: int) -> None:
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        due = max(due + 1 / per_second, loop.time())
        await asyncio.sleep(due - loop.time())
        if bursts := host.tick(worker.busy):
            await _publish(bus, bursts)


async def _publish(bus: Bus, bursts: list[Publication]) -> None:
    try:
        await bus.publish_all(bursts)
    except BusError as error:
        log.warning("replies lost with the bus, those who asked will time out: %s", error)


async def _come_back(host: VehicleHost, bus: Bus, topics: Topics) -> None:
    """Whenever the broker was lost and is back, introduce host and cars again."""
    outages = bus.reconnects
    while True:
        outages = await bus.reconnected(outages)
        try:
            await bus.publish(_presence(topics, bus.client_id, online=True))
            await host.place_again()
        except BusError as error:
            log.warning("the bus does not take the cars back: %s", error)
