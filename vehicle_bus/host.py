"""Many cars on one bus connection: commands in, changed signals, snapshot and reply out."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Literal

from pydantic import ValidationError

from vehicle_bus.bus import Bus, BusError, Message, Publication, Subscription
from vehicle_bus.contract import CarStatus, Clock, Command, Topics, decode, encode
from vehicle_bus.faults import DelayReply, Faults, LoseReply
from vehicle_bus.happenings import Happened
from vehicle_bus.heavy_lane import MOST_WAITING, HeavyLane
from vehicle_bus.order import Done, Order, Placed
from vehicle_bus.vehicle import Handled, Vehicle

log = logging.getLogger(__name__)


class VehicleHost:
    """Cars by vin, answering commands for as long as `vehicle_host` is entered."""

    def __init__(
        self, bus: Bus, topics: Topics, signals: Literal["changes", "all"], keep_retained: bool
    ) -> None:
        self._bus = bus
        self.topics = topics
        self._signals = signals
        self._keep_retained = keep_retained
        self._placed: dict[str, Placed] = {}
        self._late: asyncio.Queue[tuple[float, Order, Done]] = asyncio.Queue(MOST_WAITING)

    async def place(self, vin: str, vehicle: Vehicle) -> None:
        """Bring a car onto the bus; returns once status, capabilities and snapshot are there."""
        placed = self._placed[vin] = Placed(vin, vehicle)
        await self._bus.publish_all(self._introduction(placed))

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
        await self._bus.publish_all([each for car in placed for each in self._introduction(car)])

    def vehicle(self, vin: str) -> Vehicle:
        return self._placed[vin].vehicle

    def vins(self) -> tuple[str, ...]:
        return tuple(self._placed)

    def faults(self, vin: str) -> Faults:
        """What is to go wrong at the door of a car."""
        return self._placed[vin].faults

    async def happen(
        self, vin: str, kind: str, values: dict[str, Any], detail: dict[str, Any]
    ) -> None:
        """Something happens in a car that nobody asked for: tell it on the bus."""
        placed = self._placed[vin]
        happened = placed.vehicle.happens(kind, values, detail)
        await self._bus.publish_all(self._events(placed, [happened]))

    def passing(self, vin: str, message: Message) -> list[Publication]:
        """What happens to a car because session time has passed: a clock was told."""
        placed = self._placed.get(vin)
        if placed is None:
            return []
        try:
            clock = decode(Clock, message.payload)
        except ValidationError as error:
            log.warning("dropped a clock on %s that is none: %s", message.topic, error)
            return []
        placed.heard(clock.n)
        return self._events(placed, placed.vehicle.advance(clock.t_ns))

    def _events(self, placed: Placed, happened: Iterable[Happened]) -> list[Publication]:
        """What is told about what happened: signals, snapshot, event."""
        publications = []
        for each in happened:
            told = {"revision": each.revision, "cause": None}
            for path, value in each.changes:
                topic = self.topics.signal(placed.vin, path)
                body = {"value": value, **told}
                publications.append(placed.publication(topic, each.at_ns, body, retain=True))
            if each.state is not None:
                topic = self.topics.snapshot(placed.vin)
                body = {"state": each.state, **told}
                publications.append(placed.publication(topic, each.at_ns, body, retain=True))
            topic = self.topics.event(placed.vin, each.kind)
            publications.append(placed.publication(topic, each.at_ns, {"detail": each.detail}))
        return publications

    def order(self, message: Message) -> Order | None:
        """The command in a message; None if it is for no car here or cannot be read."""
        vin, rest = self.topics.split(message.topic) or ("", "")
        placed = self._placed.get(vin)
        if placed is None:
            log.debug("command for %s, which is not here", vin)
            return None
        try:
            command = decode(Command, message.payload)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]["msg"]
            log.warning("dropped a command on %s: %s", message.topic, first)
            return None
        tool = rest.removeprefix("command/")
        return Order(placed, tool, command, message, placed.faults.next(tool))

    def answer(self, order: Order, done: Done) -> list[Publication]:
        """What has to be published about a command carried out, in this order."""
        if self._placed.get(order.placed.vin) is not order.placed:
            return []  # taken off the bus meanwhile
        order.placed.heard(order.command.n)
        changes = [
            *self._events(order.placed, done.happened),
            *self._changes(order.placed, order.command, done.handled),
        ]
        match order.fault:
            case LoseReply():
                return changes
            case DelayReply(delay_ms):
                self._late.put_nowait((delay_ms / 1000, order, done))
                return changes
        return [*changes, self._reply(order, done)]

    async def answer_late(self) -> None:
        """Deliver the replies that a fault holds back, each at its time."""

        async def deliver(delay_s: float, order: Order, done: Done) -> None:
            await asyncio.sleep(delay_s)
            if self._placed.get(order.placed.vin) is order.placed:
                await _publish(self._bus, [self._reply(order, done)])

        async with asyncio.TaskGroup() as tasks:
            while True:
                late = await self._late.get()
                tasks.create_task(deliver(*late), name=f"late reply of {late[1].placed.vin}")

    def _introduction(self, placed: Placed) -> list[Publication]:
        vin, vehicle, topics = placed.vin, placed.vehicle, self.topics
        publications = [
            placed.publication(topics.status(vin), 0, {"online": True}, retain=True),
            placed.publication(
                topics.capabilities(vin), 0, {"tools": vehicle.declarations()}, retain=True
            ),
        ]
        if self._signals == "all":
            publications += [
                self._signal(placed, 0, path, value, None)
                for path, value in vehicle.signals().items()
            ]
        return [*publications, self._snapshot(placed, 0, None)]

    def _changes(self, placed: Placed, command: Command, handled: Handled) -> list[Publication]:
        t_ns, call_id = command.at_ns, command.call_id
        publications = [
            self._signal(placed, t_ns, path, value, call_id) for path, value in handled.changes
        ]
        if handled.revision_after != handled.revision_before:
            publications.append(self._snapshot(placed, t_ns, call_id))
        return publications

    def _reply(self, order: Order, done: Done) -> Publication:
        placed, command, handled = order.placed, order.command, done.handled
        reply = placed.publication(
            self._reply_topic(placed.vin, command, order.message),
            command.at_ns,
            {
                "call_id": command.call_id,
                "status": handled.status,
                "output": handled.output,
                "revision_before": handled.revision_before,
                "revision_after": handled.revision_after,
                "took_ns": done.took_ns,
                "error": handled.error,
                "logged": handled.logged,
                "fault": order.fault.fault_id if order.fault else None,
            },
        )
        return replace(reply, correlation=order.message.correlation)

    def _reply_topic(self, vin: str, command: Command, message: Message) -> str:
        """Always below the replies of this car: it may write where those who ask may not."""
        replies = self.topics.reply(vin, "")
        asked = message.response_topic
        if asked and asked.startswith(replies) and _is_level(asked.removeprefix(replies)):
            return asked
        return replies + (command.src if _is_level(command.src) else "anonymous")

    def _signal(
        self, placed: Placed, t_ns: int, path: str, value: Any, cause: str | None
    ) -> Publication:
        revision = placed.vehicle.revision
        body = {"value": value, "revision": revision, "cause": cause}
        return placed.publication(self.topics.signal(placed.vin, path), t_ns, body, retain=True)

    def _snapshot(self, placed: Placed, t_ns: int, cause: str | None) -> Publication:
        vehicle = placed.vehicle
        body = {"revision": vehicle.revision, "state": vehicle.snapshot(), "cause": cause}
        return placed.publication(self.topics.snapshot(placed.vin), t_ns, body, retain=True)


@asynccontextmanager
async def vehicle_host(
    bus: Bus,
    topics: Topics,
    *,
    signals: Literal["changes", "all"] = "changes",
    keep_retained: bool = False,
) -> AsyncIterator[VehicleHost]:
    """Serve cars on `bus` while the block runs; leaving takes the remaining ones off the bus.

    With `signals="all"` a car also publishes every signal when it is placed.
    """
    host = VehicleHost(bus, topics, signals, keep_retained)
    async with (
        bus.subscribe(topics.command("+", "+"), topics.clock("+")) as commands,
        asyncio.TaskGroup() as tasks,
    ):
        await bus.publish(_presence(topics, bus.client_id, online=True))

        async def answer(order: Order, done: Done) -> None:
            await _publish(bus, host.answer(order, done))

        lane = HeavyLane(answer)
        running = (
            tasks.create_task(_answer_all(host, bus, commands, lane), name="vehicle host"),
            tasks.create_task(lane.work(), name="vehicle host, heavy tools"),
            tasks.create_task(host.answer_late(), name="vehicle host, late replies"),
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


def _is_level(text: str) -> bool:
    """Whether a text can stand between two slashes of a topic."""
    return bool(text) and not set(text) & set("/+#\0")


async def _answer_all(host: VehicleHost, bus: Bus, commands: Subscription, lane: HeavyLane) -> None:
    while True:
        bursts: list[Publication] = []
        heavy: list[Order] = []
        for message in await commands.batch():
            if message.topic.endswith("/clock"):
                vin, _ = host.topics.split(message.topic) or ("", "")
                if not lane.busy(vin):  # its next command will tell it the time
                    bursts += host.passing(vin, message)
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
