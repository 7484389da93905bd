"""Where tests listen to the bus and to sockets, in their own process and in commands they start.

A command writes what it hears to a file of its own, which the test then holds against the contract.
"""

import functools
import json
import os
import sys
from collections.abc import Awaitable, Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any, Protocol

FOLDER = "CONTRACT_TAP"  # variable of a command that is followed: where its file goes


class Listener(Protocol):
    """Who is told of every payload, by the place where it was heard."""

    def bus(self, place: str, topic: str, payload: bytes) -> None: ...

    def socket(self, place: str, path: str, raw: str | bytes) -> None: ...


def _tap_routing(tap: Listener) -> None:
    from vehicle_bus.broker.routing import Routing

    @_instead_of(Routing, "publish")
    def publish(usual: Callable[..., Any], self: Any, message: Any, *rest: Any) -> Any:
        tap.bus("routed", message.packet.topic, message.packet.payload or b"")
        return usual(self, message, *rest)


def _tap_clients(tap: Listener) -> None:
    from vehicle_bus.client.publishing import PublishQueue

    @_instead_of(PublishQueue, "add")
    def add(usual: Callable[..., Any], self: Any, publications: Any) -> Any:
        publications = tuple(publications)
        for publication in publications:
            tap.bus("published", publication.topic, publication.payload)
        return usual(self, publications)


def _tap_sockets(tap: Listener) -> None:
    from assistant_gateway.net.stamped_socket import StampedSocket

    @_instead_of(StampedSocket, "send")
    def send(usual: Callable[..., Any], self: Any, message: str, **more: Any) -> Awaitable[None]:
        tap.socket("sent", self.request.path, message)
        sending: Awaitable[None] = usual(self, message, **more)
        return sending

    @_instead_of(StampedSocket, "recv")
    async def recv(usual: Callable[..., Any], self: Any, decode: bool | None = None) -> Any:
        raw = await usual(self, decode)
        tap.socket("received", self.request.path, raw)
        return raw


def _instead_of(owner: type, name: str) -> Callable[[Callable[..., Any]], None]:
    """Call the decorated function with the usual method and its arguments."""
    usual = getattr(owner, name)

    def put(function: Callable[..., Any]) -> None:
        @functools.wraps(usual)
        def method(self: Any, *arguments: Any, **more: Any) -> Any:
            return function(usual, self, *arguments, **more)

        setattr(owner, name, method)

    return put


TAPS = {
    "vehicle_bus.broker.routing": _tap_routing,
    "vehicle_bus.client.publishing": _tap_clients,
    "assistant_gateway.net.stamped_socket": _tap_sockets,
}


def listen(tap: Listener) -> None:
    """Listen in this process."""
    for put_up in TAPS.values():
        put_up(tap)


class ToFile:
    """Writes down what is heard: a line for each payload."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("a", encoding="utf-8")

    def bus(self, place: str, topic: str, payload: bytes) -> None:
        self._write("bus", place, topic, payload)

    def socket(self, place: str, path: str, raw: str | bytes) -> None:
        self._write("socket", place, path, raw)

    def _write(self, kind: str, place: str, where: str, raw: str | bytes) -> None:
        text = raw.decode(errors="replace") if isinstance(raw, bytes) else raw
        self._file.write(json.dumps([kind, place, where, text]) + "\n")
        self._file.flush()


class _OnImport(MetaPathFinder):
    """Listens in a module once somebody imports it, so that commands stay as quick as they are."""

    def __init__(self, tap: Listener) -> None:
        self._tap = tap

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name not in TAPS:
            return None
        spec = PathFinder.find_spec(name, path, target)
        assert spec is not None
        loader: Any = spec.loader
        usual = loader.exec_module

        def run(module: Any) -> None:
            usual(module)
            TAPS[name](self._tap)

        loader.exec_module = run
        return spec


def follow() -> None:
    """Called in a command that a test starts."""
    if folder := os.environ.get(FOLDER):
        sys.meta_path.insert(0, _OnImport(ToFile(Path(folder, str(os.getpid())))))
