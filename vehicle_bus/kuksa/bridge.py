"""A car as a provider of an Eclipse KUKSA databroker.

All signals that the databroker knows are published there, at first and whenever they change. What
others actuate there becomes a command with the tool that owns the signal.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc  # type: ignore[import-untyped]  # it ships no types

from vehicle_bus.background_tasks import alone
from vehicle_bus.bus import BusError
from vehicle_bus.kuksa.val_v2 import (
    ACTUATOR,
    INVALID_ARGUMENT,
    MESSAGES,
    NOT_FOUND,
    OK,
    PERMISSION_DENIED,
    VALUE_FIELDS,
    list_metadata,
    open_provider_stream,
)
from vehicle_bus.remote_car.remote_car import (
    Reading,
    ReadOnlySignal,
    RemoteCar,
    SignalProblem,
    UnknownSignal,
)
from vehicle_bus.remote_car.setters import SIGNALS_BY_PATH, BadValue

log = logging.getLogger(__name__)

ANSWER_WITHIN_S = 10.0
MOST_ACTUATING = 100  # at a time; the databroker waits for more
# The fields of `Value` that a datatype fits in; a number fits in any field of numbers.
FITTING = {"boolean": {"bool"}, "string": {"string"}, "string[]": {"string_array"}}
NO_NUMBERS = frozenset.union(*map(frozenset, FITTING.values()))


class DatabrokerError(Exception):
    """The databroker is not there, or refuses us; the text says what to check."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A signal in the databroker: its number there, and how it is written."""

    number: int
    value_field: str
    is_actuator: bool


@dataclass(slots=True)
class KuksaBridge:
    """The signals of one car in one databroker; `entries` are by path, those that both know."""

    car: RemoteCar
    entries: Mapping[str, Entry]
    left_out: tuple[str, ...]
    actuators: tuple[str, ...] = ()
    _changed: dict[str, Reading] = field(default_factory=dict)
    _answers: "asyncio.Queue[Any]" = field(default_factory=lambda: asyncio.Queue(MOST_ACTUATING))
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_ACTUATING))
    _unfit: set[str] = field(default_factory=set)
    _requests: int = 0

    def take(self, path: str, reading: Reading) -> None:
        """A signal has a new value; a slow databroker gets the latest of each."""
        if path in self.entries and reading.value is not None:
            self._changed[path] = reading
            self._news.set()

    async def requests(self) -> AsyncIterator[Any]:
        """What is sent on the provider stream: what we actuate, all values, then what changes."""
        identifiers = [MESSAGES["SignalID"](path=path) for path in self.actuators]
        if identifiers:
            provided = MESSAGES["ProvideActuationRequest"](actuator_identifiers=identifiers)
            yield MESSAGES["OpenProviderStreamRequest"](provide_actuation_request=provided)
        while True:
            await self._news.wait()
            self._news.clear()
            while not self._answers.empty():
                answer = self._answers.get_nowait()
                yield MESSAGES["OpenProviderStreamRequest"](batch_actuate_stream_response=answer)
            changed, self._changed = self._changed, {}
            if points := self._points(changed):
                self._requests += 1
                yield MESSAGES["OpenProviderStreamRequest"](
                    publish_values_request=MESSAGES["PublishValuesRequest"](
                        request_id=self._requests, data_points=points
                    )
                )

    def _points(self, changed: Mapping[str, Reading]) -> dict[int, Any]:
        """By number, without what the databroker's datatype cannot hold."""
        points = {}
        for path, reading in changed.items():
            entry = self.entries[path]
            try:
                points[entry.number] = datapoint(entry, reading)
            except (TypeError, ValueError) as error:
                if path not in self._unfit:
                    self._unfit.add(path)
                    log.warning("%s is not published: %s", path, error)
        return points

    async def answer(self, responses: AsyncIterator[Any]) -> None:
        """Carry out what others actuate, until the databroker ends the stream."""
        paths = {entry.number: path for path, entry in self.entries.items()}
        async with asyncio.TaskGroup() as tasks:
            async for response in responses:
                match response.WhichOneof("action"):
                    case "batch_actuate_stream_request":
                        for request in response.batch_actuate_stream_request.actuate_requests:
                            await self._free.acquire()
                            tasks.create_task(self._actuate(request, paths), name="actuate")
                    case "publish_values_response":
                        for number, error in response.publish_values_response.status.items():
                            if error.code != OK:
                                path = paths.get(number, number)
                                log.warning("the databroker refuses %s: %s", path, error.message)

    async def _actuate(self, request: Any, paths: Mapping[int, str]) -> None:
        signal = request.signal_id
        path = signal.path or paths.get(signal.id, "")
        try:
            code, text = await self._set(path, value_of(request.value))
            if code != OK:
                log.warning("%s is not set: %s", path or signal.id, text)
            error = MESSAGES["Error"](code=code, message=text)
            answer = MESSAGES["BatchActuateStreamResponse"](signal_id=signal, error=error)
            await self._answers.put(answer)
            self._news.set()
        finally:
            self._free.release()

    async def _set(self, path: str, value: Any) -> tuple[int, str]:
        try:
            await self.car.set(path, value)
        except UnknownSignal as problem:
            return NOT_FOUND, str(problem)
        except ReadOnlySignal as problem:
            return PERMISSION_DENIED, str(problem)
        except (SignalProblem, BadValue, BusError) as problem:
            return INVALID_ARGUMENT, str(problem)
        return OK, ""


def datapoint(entry: Entry, reading: Reading) -> Any:
    """A reading as the databroker has it, in the datatype that it has for the signal."""
    value, made = reading.value, MESSAGES["Value"]()
    if entry.value_field == "string_array":
        made.string_array.values.extend(value)
        made.string_array.SetInParent()
    else:
        whole = entry.value_field not in ("float", "double", "string", "bool")
        setattr(made, entry.value_field, round(value) if whole else value)
    point = MESSAGES["Datapoint"](value=made)
    point.timestamp.FromNanoseconds(reading.utc_ns)
    return point


def value_of(value: Any) -> Any:
    """What a `Value` holds."""
    name = value.WhichOneof("typed_value")
    held: Any = getattr(value, name) if name else None
    return list(held.values) if name == "string_array" else held


@asynccontextmanager
async def kuksa_bridge(
    car: RemoteCar, address: str, *, token: str | None = None
) -> AsyncIterator[KuksaBridge]:
    """Provide a car's signals to the databroker at HOST:PORT while the block runs; without TLS.

    Raises `DatabrokerError` if it is not there, refuses us, or goes away.
    """
    credentials = (("authorization", f"Bearer {token}"),) if token else ()
    with alone():
        async with grpc.aio.insecure_channel(address) as channel, asyncio.TaskGroup() as tasks:
            bridge = await _introduced(car, channel, address, credentials)
            with car.watched(bridge.take):
                for path, reading in car.readings.items():
                    bridge.take(path, reading)
                stream = open_provider_stream(channel)(bridge.requests(), metadata=credentials)
                answering = tasks.create_task(
                    _answer(bridge, stream, address), name="KUKSA provider stream"
                )
                try:
                    yield bridge
                finally:
                    answering.cancel()
                    stream.cancel()


async def _introduced(
    car: RemoteCar, channel: grpc.aio.Channel, address: str, credentials: Any
) -> KuksaBridge:
    """The signals that car and databroker both know."""
    request = MESSAGES["ListMetadataRequest"](root="Vehicle", filter="")
    try:
        listed = await list_metadata(channel)(
            request, metadata=credentials, timeout=ANSWER_WITHIN_S, wait_for_ready=True
        )
    except grpc.aio.AioRpcError as error:
        raise _failed(address, error) from error
    entries = {
        one.path: Entry(one.id, VALUE_FIELDS[one.data_type], one.entry_type == ACTUATOR)
        for one in listed.metadata
        if one.path in car.readings and _fits(one.path, VALUE_FIELDS.get(one.data_type))
    }
    left_out = tuple(sorted(car.readings.keys() - entries.keys()))
    actuators = tuple(
        path for path, entry in entries.items() if entry.is_actuator and car.is_writable(path)
    )
    return KuksaBridge(car, entries, left_out, actuators)


def _fits(path: str, value_field: str | None) -> bool:
    """Whether the databroker has the signal in a datatype that can hold it."""
    datatype = SIGNALS_BY_PATH[path].datatype
    if datatype in FITTING:
        return value_field in FITTING[datatype]
    return value_field is not None and value_field not in NO_NUMBERS


async def _answer(bridge: KuksaBridge, stream: Any, address: str) -> None:
    answering = asyncio.current_task()
    assert answering is not None
    try:
        with alone():
            await bridge.answer(stream)
    except asyncio.CancelledError as error:
        if answering.cancelling() or not stream.done():
            raise
        # Of the call, not of us: grpc does so when it cannot write what we send.
        raise DatabrokerError(f"the stream to the databroker at {address} broke off") from error
    except grpc.aio.AioRpcError as error:
        raise _failed(address, error) from error
    raise DatabrokerError(f"the databroker at {address} has ended the stream")


def _failed(address: str, error: grpc.aio.AioRpcError) -> DatabrokerError:
    match error.code():
        case grpc.StatusCode.UNAVAILABLE | grpc.StatusCode.DEADLINE_EXCEEDED:
            return DatabrokerError(f"no databroker answers at {address}; start it first")
        case grpc.StatusCode.UNAUTHENTICATED | grpc.StatusCode.PERMISSION_DENIED:
            why = "give a token that may provide signals in CODRIVER_KUKSA_TOKEN"
            return DatabrokerError(f"the databroker at {address} refuses us; {why}")
        case code:
            return DatabrokerError(f"the databroker at {address}: {code.name}: {error.details()}")
