"""A car as it shows itself on the bus: its signals and tools, and commands to it."""

import asyncio
import itertools
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, NamedTuple

import orjson
from pydantic import ValidationError

from vehicle_bus.background_tasks import background
from vehicle_bus.bus import Bus, BusError, BusTimeout, Message, Publication, Subscription
from vehicle_bus.contract import (
    Capabilities,
    Command,
    Payload,
    Reply,
    SignalChanged,
    Snapshot,
    Topics,
    decode,
    encode,
)
from vehicle_bus.remote_car.setters import SETTERS, SIGNALS_BY_PATH, call_for, read_value
from vehicle_bus.validation_problem import first_problem

log = logging.getLogger(__name__)

ANSWER_WITHIN_S = 5.0
CAR_WITHIN_S = 10.0


class SignalProblem(Exception):
    """A signal cannot be set or read; the text says why."""


class UnknownSignal(SignalProblem):
    """This car does not show such a signal."""

    def __init__(self, path: str) -> None:
        super().__init__(f"this car has no signal {path}")


class ReadOnlySignal(SignalProblem):
    """No tool of this car sets the signal."""

    def __init__(self, path: str) -> None:
        super().__init__(f"no tool of this car sets {path}")


class CarRefused(SignalProblem):
    """The car answered that it does not do it; the text is its own."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(_reason(reply.output))
        self.status = reply.status
        self.error = reply.error


class Reading(NamedTuple):
    """A value of a signal, and when it was received, in ns since 1970 (UTC)."""

    value: Any
    utc_ns: int


Watcher = Callable[[str, Reading], None]


class RemoteCar:
    """One car on a bus, for as long as `remote_car` is entered."""

    def __init__(self, bus: Bus, topics: Topics, vin: str) -> None:
        self._bus = bus
        self._topics = topics
        self.vin = vin
        self.readings: dict[str, Reading] = {}
        self.declarations: list[dict[str, Any]] = []
        self.revision = 0
        self.changed = asyncio.Condition()  # of tools or revision
        self.introduced = asyncio.Event()
        self._watchers: set[Watcher] = set()
        self._origin = f"{bus.client_id}-{secrets.token_hex(3)}"
        self._numbers = itertools.count(1)

    @property
    def tools(self) -> frozenset[str]:
        return frozenset(one["function"]["name"] for one in self.declarations)

    def is_writable(self, path: str) -> bool:
        """Whether a tool that this car offers sets the signal."""
        return path in SETTERS and SETTERS[path].tool in self.tools

    def reading(self, path: str) -> Reading:
        """The latest value of a signal; raises `UnknownSignal`."""
        try:
            return self.readings[path]
        except KeyError as error:
            raise UnknownSignal(path) from error

    @contextmanager
    def watched(self, watcher: Watcher) -> Iterator[None]:
        """Call `watcher` with each new reading for as long as the block runs; it must not block."""
        self._watchers.add(watcher)
        try:
            yield
        finally:
            self._watchers.discard(watcher)

    async def set(self, path: str, given: Any) -> None:
        """Have the car give a signal a value, by the tool that owns it.

        Afterwards its reading is the new one. Raises `SignalProblem`, `BadValue`, or `BusError` as
        `call` does.
        """
        self.reading(path)
        if not self.is_writable(path):
            raise ReadOnlySignal(path)
        tool, arguments = call_for(path, read_value(SIGNALS_BY_PATH[path], given))
        reply = await self.call(tool, arguments)
        if reply.status != "SUCCESS":
            raise CarRefused(reply)
        await self._has_revision(reply.revision_after)

    async def call(self, tool: str, arguments: dict[str, Any]) -> Reply:
        """Run one tool; raises `BusError` without an answer that can be read."""
        call_id = f"{self._origin}-{next(self._numbers)}"
        command = Command(src=self._bus.client_id, call_id=call_id, arguments=arguments)
        asked = Publication(self._topics.command(self.vin, tool), encode(command))
        answer = await self._bus.request(
            asked,
            timeout_s=ANSWER_WITHIN_S,
            reply_topic=self._topics.reply(self.vin, self._bus.client_id),
        )
        try:
            return decode(Reply, answer.payload)
        except ValidationError as error:
            raise BusError(f"the car's answer cannot be read: {first_problem(error)}") from error

    async def _has_revision(self, revision: int) -> None:
        """Wait for the changes of a command; under a fault they may come late, or never."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_WITHIN_S), self.changed:
                await self.changed.wait_for(lambda: self.revision >= revision)

    async def follow(self, messages: Subscription) -> None:
        """Take over what the car publishes, until cancelled."""
        while True:
            for message in await messages.batch():
                _, rest = self._topics.split(message.topic) or ("", "")
                if rest == "capabilities":
                    await self._take_capabilities(message)
                elif rest == "snapshot":
                    await self._take_snapshot(message)
                else:
                    self._take_signal(rest.removeprefix("signal/").replace("/", "."), message)

    async def _take_capabilities(self, message: Message) -> None:
        capabilities = _decoded(Capabilities, message) if message.payload else None
        async with self.changed:
            self.declarations = [] if capabilities is None else capabilities.tools
            self.changed.notify_all()
        if capabilities is not None:
            self.introduced.set()

    async def _take_snapshot(self, message: Message) -> None:
        if message.payload and (snapshot := _decoded(Snapshot, message)):
            async with self.changed:
                self.revision = snapshot.revision
                self.changed.notify_all()

    def _take_signal(self, path: str, message: Message) -> None:
        if not message.payload:  # the car was taken off the bus
            self.readings.pop(path, None)
        elif (changed := _decoded(SignalChanged, message)) and path in SIGNALS_BY_PATH:
            reading = self.readings[path] = Reading(changed.value, time.time_ns())
            for watcher in tuple(self._watchers):
                watcher(path, reading)


@asynccontextmanager
async def remote_car(
    bus: Bus, topics: Topics, vin: str, *, within_s: float = CAR_WITHIN_S
) -> AsyncIterator[RemoteCar]:
    """Follow a car while the block runs; entered means its tools and retained signals are known.

    Raises `BusTimeout` if there is no such car.
    """
    car = RemoteCar(bus, topics, vin)
    # In this order: when its capabilities arrive, all that was retained before them has.
    filters = topics.signal(vin, "#"), topics.snapshot(vin), topics.capabilities(vin)
    async with (
        bus.subscribe(*filters) as messages,
        background(car.follow(messages), f"follow {vin}"),
    ):
        try:
            async with asyncio.timeout(within_s):
                await car.introduced.wait()
        except TimeoutError as error:
            raise BusTimeout(
                f"no car {vin} on this broker within {within_s:g} s; "
                f"start one (codriver vehicle --vin {vin}), or name another one with --vin"
            ) from error
        yield car


def _reason(output: str) -> str:
    """The sentences in the answer of a tool that failed."""
    try:
        errors = orjson.loads(output)["errors"]
        return "; ".join(map(str, errors.values()))
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        return output


def _decoded(model: type[Payload], message: Message) -> Payload | None:
    try:
        return decode(model, message.payload)
    except ValidationError as error:
        log.warning("dropped a message on %s: %s", message.topic, first_problem(error))
        return None
