"""Many cars on one bus connection: commands in, changed signals, snapshot and reply out."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal

from pydantic import ValidationError

from vehicle_bus.bus import Bus, BusError, Message, Publication, Subscription
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import CarSetup, PlannedEvent
from vehicle_bus.contract import CarStatus, Clock, Command, FaultOrder, Topics, decode, encode
from vehicle_bus.first_problem import first_problem
from vehicle_bus.host.command import CarCommand, HostedCar, Outcome
from vehicle_bus.host.fault_plan import SECOND, FaultPlan
from vehicle_bus.host.faulty_reply import Later, absences, faulty_reply
from vehicle_bus.host.heavy_lane import MOST_WAITING, HeavyLane
from vehicle_bus.host.publications import CarPublications
from vehicle_bus.tools import BY_NAME
from vehicle_bus.vehicle import Vehicle

log = logging.getLogger(__name__)


class VehicleHost:
    """Cars by vin, answering commands for as long as `vehicle_host` is entered."""

    def __init__(
        self, bus: Bus, topics: Topics, signals: Literal["changes", "all"], keep_retained: bool
    ) -> None:
        self._bus = bus
        self.topics = topics
        self._tell = CarPublications(topics)
        self._every_signal = signals == "all"
        self._keep_retained = keep_retained
        self._placed: dict[str, HostedCar] = {}
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
        the session somebody holds in it, or runs by itself from now on.
        """
        placed = self._placed[vin] = HostedCar(vin, vehicle, FaultPlan(seed))
        self._plan(placed, *vehicle.setup.faults, *faults)
        placed.stirs = vehicle.stirs or placed.faults.stir
        if running:
            placed.run()
        await self._bus.publish_all(self._introduced(placed))

    async def remove(self, vin: str) -> None:
        """Take a car off the bus, and its retained topics with it unless they are to be kept."""
        placed = self._placed.pop(vin)
        if self._keep_retained:
            offline = {"online": False}
            status = self.topics.status(vin)
            await self._bus.publish(placed.publication(status, 0, offline, retain=True))
        else:
            await self._bus.publish_all(
                [Publication(topic, b"", retain=True) for topic in sorted(placed.retained)]
            )

    async def place_again(self) -> None:
        """Retain once more what a restarted broker has forgotten: where every car stands now."""
        placed = tuple(self._placed.values())
        await self._bus.publish_all([each for car in placed for each in self._introduced(car)])

    def vehicle(self, vin: str) -> Vehicle:
        return self._placed[vin].vehicle

    def vins(self) -> tuple[str, ...]:
        return tuple(self._placed)

    def faults(self, vin: str) -> FaultPlan:
        """What is to go wrong with a car."""
        return self._placed[vin].faults

    async def happen(
        self, vin: str, kind: str, values: dict[str, Any], detail: dict[str, Any]
    ) -> None:
        """Something happens in a car that nobody asked for: tell it on the bus."""
        placed = self._placed[vin]
        turned = {"set": values} if values else {}
        happened = placed.vehicle.happens(kind, values, detail | turned)
        await self._bus.publish_all(self._tell.events(placed, [happened]))

    def passing(self, vin: str, message: Message, *, busy: bool = False) -> list[Publication]:
        """What happens to a car because session time has passed: a clock was told.

        A car that is `busy` with a long search hears of it afterwards.
        """
        placed = self._placed.get(vin)
        if placed is None:
            return []
        try:
            clock = decode(Clock, message.payload)
        except ValidationError as error:
            log.warning("dropped a clock on %s: %s", message.topic, first_problem(error))
            return []
        placed.waiting = clock
        return [] if busy else self.catch_up(placed)

    def catch_up(self, placed: HostedCar) -> list[Publication]:
        """What the last clock brings about that was not heard yet."""
        clock, placed.waiting = placed.waiting, None
        if clock is None:
            return []
        placed.told(clock)
        told = self._passed(placed, placed.car_ns(clock.t_ns))
        return [*told, *self._tell.time(placed, clock.t_ns)]

    def tick(self, busy: Callable[[str], bool]) -> list[Publication]:
        """What has happened to cars whose time runs by itself."""
        publications: list[Publication] = []
        for vin, placed in self._placed.items():
            now_ns, stirs = placed.now_ns, placed.vehicle.stirs or placed.faults.stir
            if now_ns is not None and stirs and not busy(vin):
                publications += self._passed(placed, now_ns)
        return publications

    def _passed(self, placed: HostedCar, now_ns: int) -> list[Publication]:
        """What has happened until now by the car's own time; one that is away tells it later."""
        told = self._presences(placed, now_ns)
        if not placed.faults.away(now_ns):
            told += self._tell.events(placed, placed.advance(now_ns))
        return told

    def sabotage(self, vin: str, message: Message) -> list[Publication]:
        """An operator plans a fault of a car, or clears them; its `at_s` counts from now."""
        placed = self._placed.get(vin)
        if placed is None:
            return []
        try:
            ordered = decode(FaultOrder, message.payload)
            faults = CarSetup.model_validate({"faults": [ordered.fault] if ordered.fault else []})
        except ValidationError as error:
            log.warning("dropped a fault on %s: %s", message.topic, first_problem(error))
            return []
        if ordered.clear:
            placed.faults.clear()
        return self._plan_from_now(placed, *faults.faults)

    async def plan(self, vin: str, *faults: Fault) -> None:
        """More that is to go wrong with a car; `at_s` counts from now."""
        await self._bus.publish_all(self._plan_from_now(self._placed[vin], *faults))

    def _plan_from_now(self, placed: HostedCar, *faults: Fault) -> list[Publication]:
        now_ns = placed.car_ns(placed.told_ns)
        for fault in faults:
            at_s = None if fault.at_s is None else fault.at_s + now_ns / SECOND
            self._plan(placed, fault.model_copy(update={"at_s": at_s}))
        return self._passed(placed, now_ns)

    def _plan(self, placed: HostedCar, *faults: Fault) -> None:
        placed.faults.plan(*faults)
        for fault in faults:
            if fault.kind == "knob" and fault.at_s is not None:
                happening = PlannedEvent(at_s=fault.at_s, set=fault.set, by=fault.by)
                placed.vehicle.plan(happening)

    def _presences(self, placed: HostedCar, to_ns: int) -> list[Publication]:
        told = absences(self._tell, placed, to_ns)
        self._put_off(told.later)
        return told.now

    def _put_off(self, later: Iterable[Later]) -> None:
        for each in later:
            self._later.put_nowait(each)

    def order(self, message: Message) -> CarCommand | None:
        """The command in a message; None if it is for no car here or cannot be read."""
        vin, rest = self.topics.split(message.topic) or ("", "")
        placed = self._placed.get(vin)
        if placed is None:
            log.debug("command for %s, which is not here", vin)
            return None
        try:
            command = decode(Command, message.payload)
        except ValidationError as error:
            log.warning("dropped a command on %s: %s", message.topic, first_problem(error))
            return None
        tool = rest.removeprefix("command/")
        fault = None
        if placed.vehicle.offers(tool):
            fault = placed.faults.next(tool, BY_NAME[tool].kind, placed.car_ns(command.at_ns))
        return CarCommand(placed, tool, command, message, fault)

    def answer(self, order: CarCommand, done: Outcome) -> list[Publication]:
        """What has to be published about a command carried out, in this order."""
        if self._placed.get(order.placed.vin) is not order.placed:
            return []  # taken off the bus meanwhile
        placed, at_ns = order.placed, order.command.at_ns
        placed.heard(order.command.n, at_ns)
        told = [
            *self._presences(placed, placed.car_ns(at_ns)),
            *self._tell.events(placed, done.happened),
        ]
        if done.fault is not None:
            spoilt = faulty_reply(self._tell, order, done, done.fault)
            self._put_off(spoilt.later)
            return [*told, *spoilt.now]
        if order.fault is not None:
            placed.faults.missed(order.fault)
        return [*told, *self._tell.burst(order, done)]

    def _introduced(self, placed: HostedCar) -> list[Publication]:
        return self._tell.introduction(placed, signals=self._every_signal)

    async def tell_later(self) -> None:
        """Publish what a fault has put off, each at its time."""

        async def tell(later: Later) -> None:
            await asyncio.sleep(later.after_s)
            if self._placed.get(later.placed.vin) is later.placed:
                await _publish(self._bus, later.publications())

        async with asyncio.TaskGroup() as tasks:
            while True:
                later = await self._later.get()
                tasks.create_task(tell(later), name=f"put off for {later.placed.vin}")


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
    by itself are looked after `motion_hz` times per second.
    """
    host = VehicleHost(bus, topics, signals, keep_retained)
    async with (
        bus.subscribe(topics.command("+", "+"), topics.clock("+"), topics.fault("+")) as commands,
        asyncio.TaskGroup() as tasks,
    ):
        await bus.publish(_presence(topics, bus.client_id, online=True))

        async def answer(order: CarCommand, done: Outcome) -> None:
            await _publish(bus, [*host.answer(order, done), *host.catch_up(order.placed)])

        lane = HeavyLane(answer)
        running = (
            tasks.create_task(_answer_all(host, bus, commands, lane), name="vehicle host"),
            tasks.create_task(lane.work(), name="vehicle host, heavy tools"),
            tasks.create_task(_tick(host, bus, lane, motion_hz), name="vehicle host, time"),
            tasks.create_task(host.tell_later(), name="vehicle host, put off"),
            tasks.create_task(_return(host, bus, topics), name="vehicle host, after an outage"),
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
    """Where a host says that it is there. A connection has one Last Will, its cars are many."""
    return topics.status(f"host-{client_id}")


def last_will(topics: Topics, client_id: str) -> Publication:
    """What the broker says for a host that vanished: every car of it is offline."""
    return _presence(topics, client_id, online=False)


def _presence(topics: Topics, client_id: str, *, online: bool) -> Publication:
    payload = encode(CarStatus(src="host", online=online))
    return Publication(host_status(topics, client_id), payload, retain=True)


async def _answer_all(host: VehicleHost, bus: Bus, commands: Subscription, lane: HeavyLane) -> None:
    while True:
        bursts: list[Publication] = []
        heavy: list[CarCommand] = []
        for message in await commands.batch():
            vin, rest = host.topics.split(message.topic) or ("", "")
            if rest == "fault":
                bursts += host.sabotage(vin, message)
                continue
            if rest == "clock":
                bursts += host.passing(vin, message, busy=lane.busy(vin))
                continue
            order = host.order(message)
            if order is None:
                continue
            if lane.takes(order):
                heavy.append(order)
            else:
                bursts += host.answer(order, order.carry_out())
        if bursts:
            await _publish(bus, bursts)
        for order in heavy:  # after the lighter ones of the same car are out
            await lane.put(order)


async def _tick(host: VehicleHost, bus: Bus, lane: HeavyLane, per_second: int) -> None:
    loop = asyncio.get_running_loop()
    due = loop.time()
    while True:
        due = max(due + 1 / per_second, loop.time())
        await asyncio.sleep(due - loop.time())
        if bursts := host.tick(lane.busy):
            await _publish(bus, bursts)


async def _publish(bus: Bus, bursts: list[Publication]) -> None:
    try:
        await bus.publish_all(bursts)
    except BusError as error:
        log.warning("answers lost with the bus, those who asked will time out: %s", error)


async def _return(host: VehicleHost, bus: Bus, topics: Topics) -> None:
    """Whenever the broker was lost and is back, be on it as before."""
    outages = bus.reconnects
    while True:
        outages = await bus.reconnected(outages)
        try:
            await bus.publish(_presence(topics, bus.client_id, online=True))
            await host.place_again()
        except BusError as error:
            log.warning("the bus does not take the cars back: %s", error)
