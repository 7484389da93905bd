"""One client of a VISS server: its requests are answered in order, its events sent beside."""

import asyncio
import itertools
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import orjson
from websockets.asyncio.server import ServerConnection

from vehicle_bus.bus import BusError
from vehicle_bus.remote_car.remote_car import Reading, RemoteCar, SignalProblem
from vehicle_bus.remote_car.setters import SIGNALS_BY_PATH, BadValue
from vehicle_bus.viss.errors import VissError, viss_error
from vehicle_bus.viss.requests import (
    ChangeFilter,
    Filters,
    GetRequest,
    MetadataFilter,
    PathsFilter,
    RangeFilter,
    Request,
    SetRequest,
    SubscribeRequest,
    TimebasedFilter,
    UnsubscribeRequest,
    read_object,
    read_request,
)
from vehicle_bus.viss.subscription import VissSubscription
from vehicle_bus.viss.tree import found, metadata, normal

Json = dict[str, Any]
CAPABILITIES: Json = {
    "filter": ["paths", "timebased", "change", "range", "static-metadata", "dynamic-metadata"],
    "access_ctrl": [],
    "transport_protocol": ["ws"],
}
MOST_SUBSCRIPTIONS = 1000


class VissConnection:
    """Answers requests of one client about one car."""

    def __init__(self, car: RemoteCar, socket: ServerConnection, tasks: asyncio.TaskGroup) -> None:
        self._car = car
        self._socket = socket
        self._tasks = tasks
        self._numbers = itertools.count(1)
        self._subscriptions: dict[str, VissSubscription] = {}
        self._timers: dict[str, asyncio.Task[None]] = {}
        self._is_pending = asyncio.Event()

    async def answer(self) -> None:
        """Answer requests until the client goes."""
        async for raw in self._socket:
            await self._send(await self._answered(raw))

    async def send_events(self) -> None:
        """Send what is pending, until cancelled."""
        while True:
            await self._is_pending.wait()
            self._is_pending.clear()
            for subscription in tuple(self._subscriptions.values()):
                if subscription.pending:
                    readings = dict(subscription.pending)
                    subscription.pending.clear()
                    await self._send_event(subscription, readings)

    def take(self, path: str, reading: Reading) -> None:
        """A signal has a new value."""
        for subscription in self._subscriptions.values():
            if subscription.take(path, reading):
                self._is_pending.set()

    def close(self) -> None:
        """Stop its timers."""
        for timer in self._timers.values():
            timer.cancel()

    async def _answered(self, raw: str | bytes) -> Json:
        echoed: Json = {}
        try:
            fields = read_object(raw)
            echoed = {key: fields[key] for key in ("action", "requestId") if key in fields}
            return {**echoed, **await self._result(read_request(fields)), "ts": _text_of_now()}
        except VissError as error:
            return {**echoed, "error": error.fields(), "ts": _text_of_now()}

    async def _result(self, request: Request) -> Json:
        match request:
            case GetRequest(path=path, filters=filters):
                return self._got(normal(path), filters)
            case SetRequest(path=path, value=value):
                await self._set(normal(path), value)
                return {}
            case SubscribeRequest(path=path, filters=filters):
                return {"subscriptionId": self._subscribe(normal(path), filters)}
            case UnsubscribeRequest(subscription_id=subscription_id):
                self._unsubscribe(subscription_id)
                return {"subscriptionId": subscription_id}

    async def _set(self, path: str, value: Any) -> None:
        try:
            await self._car.set(path, value)
        except (SignalProblem, BadValue, BusError) as problem:
            raise viss_error(problem) from problem

    def _got(self, path: str, filters: Filters) -> Json:
        for each in filters:
            match each:
                case MetadataFilter(type="dynamic-metadata"):
                    if each.parameter != "server_capabilities":
                        raise VissError("filter_invalid", "known: server_capabilities")
                    return {"metadata": CAPABILITIES}
                case PathsFilter() | MetadataFilter():
                    pass
                case _:
                    raise VissError("filter_invalid", f"{each.type} is for subscriptions")
        paths = self._named(path, filters)
        static = next((each for each in filters if isinstance(each, MetadataFilter)), None)
        if static is not None:
            return {"metadata": self._metadata(path, paths, static)}
        readings = {each: self._car.readings[each] for each in paths}
        points = _points(readings.items())
        if not points:
            raise VissError("unavailable_data", f"{path} has no value now")
        return {"data": points[0] if paths == [path] else points}

    def _metadata(self, path: str, paths: list[str], wanted: MetadataFilter) -> Json:
        keys = (wanted.parameter,) if isinstance(wanted.parameter, str) else wanted.parameter
        writable = {each for each in paths if self._car.is_writable(each)}
        signals = [SIGNALS_BY_PATH[each] for each in paths]
        return metadata(path, signals, writable, tuple(filter(None, keys)))

    def _named(self, path: str, filters: Filters) -> list[str]:
        """The signals that a path and its paths filters name; raises `VissError`."""
        patterns = [path]
        for each in filters:
            if isinstance(each, PathsFilter):
                below = (each.parameter,) if isinstance(each.parameter, str) else each.parameter
                patterns = [f"{path}.{normal(one)}" for one in below]
        named: dict[str, None] = {}
        for pattern in patterns:
            paths = found(self._car.readings, pattern)
            if not paths:
                raise VissError("invalid_path", f"this car has no signal {pattern}")
            named |= dict.fromkeys(paths)
        return list(named)

    def _subscribe(self, path: str, filters: Filters) -> str:
        if len(self._subscriptions) >= MOST_SUBSCRIPTIONS:
            raise VissError("service_unavailable", f"{MOST_SUBSCRIPTIONS} subscriptions at most")
        paths = self._named(path, filters)
        subscription = VissSubscription(
            str(next(self._numbers)), frozenset(paths), is_single=paths == [path]
        )
        for each in filters:
            match each:
                case TimebasedFilter(parameter=wanted):
                    subscription.period_s = wanted.period / 1000
                case ChangeFilter() | RangeFilter():
                    subscription.trigger = each
                case MetadataFilter():
                    raise VissError("filter_invalid", f"{each.type} is for get")
        subscription.begin(self._car.readings)
        self._subscriptions[subscription.subscription_id] = subscription
        if subscription.period_s is not None:
            self._timers[subscription.subscription_id] = self._tasks.create_task(
                self._repeat(subscription, subscription.period_s),
                name=f"VISS subscription {subscription.subscription_id}",
            )
        return subscription.subscription_id

    def _unsubscribe(self, subscription_id: str) -> None:
        if self._subscriptions.pop(subscription_id, None) is None:
            raise VissError("invalid_subscriptionId", f"there is no subscription {subscription_id}")
        if (timer := self._timers.pop(subscription_id, None)) is not None:
            timer.cancel()

    async def _repeat(self, subscription: VissSubscription, period_s: float) -> None:
        while True:
            await asyncio.sleep(period_s)
            readings = self._car.readings
            now = {path: readings[path] for path in subscription.paths if path in readings}
            await self._send_event(subscription, now)

    async def _send_event(
        self, subscription: VissSubscription, readings: dict[str, Reading]
    ) -> None:
        points = _points(sorted(readings.items()))
        if points:
            await self._send(
                {
                    "action": "subscription",
                    "subscriptionId": subscription.subscription_id,
                    "data": points[0] if subscription.is_single else points,
                    "ts": _text_of_now(),
                }
            )

    async def _send(self, message: Json) -> None:
        await self._socket.send(orjson.dumps(message).decode())


def _points(readings: Iterable[tuple[str, Reading]]) -> list[Json]:
    """Data points of all signals that have a value."""
    return [
        {"path": path, "dp": {"value": _text(reading.value), "ts": _utc(reading.utc_ns)}}
        for path, reading in readings
        if reading.value is not None
    ]


def _text(value: Any) -> str | list[str]:
    """Every value of VISS is a text, or a list of them."""
    if isinstance(value, list):
        return [str(_text(each)) for each in value]
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _text_of_now() -> str:
    return _utc(time.time_ns())


def _utc(ns: int) -> str:
    moment = datetime.fromtimestamp(ns / 1e9, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
