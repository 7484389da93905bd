"""A databroker made of the servicer classes that the wheel of kuksa-client ships, on port 0.

It keeps values, forwards actuations to the provider, and answers the versions 1 and 2 of the
interface as far as the client needs them. What it knows of VSS is in the signals that it is given.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import grpc  # type: ignore[import-untyped]  # none of these ships types
from kuksa.val.v1 import types_pb2 as types_v1  # type: ignore[import-untyped]
from kuksa.val.v1 import val_pb2 as val_v1
from kuksa.val.v1 import val_pb2_grpc as grpc_v1
from kuksa.val.v2 import (  # type: ignore[import-untyped]
    types_pb2,
    val_pb2,
    val_pb2_grpc,
)

from vehicle_bus.car.signals import Signal

DATA_TYPES: Mapping[str, int] = {
    "boolean": types_pb2.DATA_TYPE_BOOLEAN,
    "uint8": types_pb2.DATA_TYPE_UINT8,
    "int8": types_pb2.DATA_TYPE_INT8,
    "uint16": types_pb2.DATA_TYPE_UINT16,
    "uint32": types_pb2.DATA_TYPE_UINT32,
    "float": types_pb2.DATA_TYPE_FLOAT,
    "double": types_pb2.DATA_TYPE_DOUBLE,
    "string": types_pb2.DATA_TYPE_STRING,
    "string[]": types_pb2.DATA_TYPE_STRING_ARRAY,
}


class Databroker(val_pb2_grpc.VALServicer, grpc_v1.VALServicer):  # type: ignore[misc]
    """Values of signals by path; `answers` are what the provider said of actuations."""

    def __init__(self, signals: Mapping[str, Signal], actuators: frozenset[str]) -> None:
        self._ids = {path: number for number, path in enumerate(signals, start=1)}
        self._paths = {number: path for path, number in self._ids.items()}
        self._signals = signals
        self._actuators = actuators
        self.values: dict[str, Any] = {}
        self.changed = asyncio.Condition()
        self.provided: frozenset[str] = frozenset()
        self.answers: asyncio.Queue[Any] = asyncio.Queue()
        self._orders: asyncio.Queue[Any] = asyncio.Queue()
        self.tokens: list[str | None] = []

    async def ListMetadata(self, request: Any, context: Any) -> Any:
        self.tokens.append(dict(context.invocation_metadata()).get("authorization"))
        return val_pb2.ListMetadataResponse(
            metadata=[
                types_pb2.Metadata(
                    path=path,
                    id=self._ids[path],
                    data_type=DATA_TYPES[signal.datatype],
                    entry_type=types_pb2.ENTRY_TYPE_ACTUATOR
                    if path in self._actuators
                    else types_pb2.ENTRY_TYPE_SENSOR,
                )
                for path, signal in self._signals.items()
            ]
        )

    async def Subscribe(self, request: Any, context: Any) -> AsyncIterator[Any]:
        last: dict[str, Any] = {}
        while True:
            async with self.changed:
                wanted = request.signal_paths
                now = {path: self.values[path] for path in wanted if path in self.values}
                if now == last:
                    await self.changed.wait()
                    continue
            entries = {path: value for path, value in now.items() if last.get(path) != value}
            last = now
            yield val_pb2.SubscribeResponse(entries=entries)

    async def Actuate(self, request: Any, context: Any) -> Any:
        if request.signal_id.path not in self.provided:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "no provider")
        await self.actuate(request)
        return val_pb2.ActuateResponse()

    async def actuate(self, *requests: Any) -> None:
        """Forward them to the provider, all at once."""
        asked = val_pb2.BatchActuateStreamRequest(actuate_requests=requests)
        await self._orders.put(
            val_pb2.OpenProviderStreamResponse(batch_actuate_stream_request=asked)
        )

    async def OpenProviderStream(self, requests: Any, context: Any) -> AsyncIterator[Any]:
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(self._read(requests))
            try:
                while (response := await self._orders.get()) is not None:
                    yield response
            finally:
                reading.cancel()

    async def _read(self, requests: Any) -> None:
        async for request in requests:
            match request.WhichOneof("action"):
                case "provide_actuation_request":
                    listed = request.provide_actuation_request.actuator_identifiers
                    assert {one.path for one in listed} <= self._actuators
                    self.provided = frozenset(one.path for one in listed)
                case "publish_values_request":
                    points = request.publish_values_request.data_points
                    async with self.changed:
                        self.values |= {self._paths[number]: points[number] for number in points}
                        self.changed.notify_all()
                case "batch_actuate_stream_response":
                    await self.answers.put(request.batch_actuate_stream_response)
        await self._orders.put(None)

    def hang_up(self) -> None:
        """End the provider's stream."""
        self._orders.put_nowait(None)

    async def Get(self, request: Any, context: Any) -> Any:
        """Version 1, which the client still uses to read."""
        entries = []
        for asked in request.entries:
            signal = self._signals[asked.path]
            entry = types_v1.DataEntry(path=asked.path)
            entry.metadata.data_type = DATA_TYPES[signal.datatype]
            if (point := self.values.get(asked.path)) is not None:
                name = point.value.WhichOneof("typed_value")
                setattr(entry.value, name, getattr(point.value, name))
                entry.value.timestamp.CopyFrom(point.timestamp)
            entries.append(entry)
        return val_v1.GetResponse(entries=entries)

    async def Set(self, request: Any, context: Any) -> Any:
        """Version 1, which the client still uses to actuate."""
        for update in request.updates:
            target = update.entry.actuator_target
            name = target.WhichOneof("value")
            await self.actuate(
                val_pb2.ActuateRequest(
                    signal_id=types_pb2.SignalID(path=update.entry.path),
                    value=types_pb2.Value(**{name: getattr(target, name)}),
                )
            )
        return val_v1.SetResponse()


@asynccontextmanager
async def serving(databroker: Databroker) -> AsyncIterator[str]:
    """Serve it on loopback while the block runs; yields HOST:PORT."""
    server = grpc.aio.server()
    val_pb2_grpc.add_VALServicer_to_server(databroker, server)
    grpc_v1.add_VALServicer_to_server(databroker, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)
