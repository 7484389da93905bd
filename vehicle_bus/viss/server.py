"""A car at a WebSocket as the vehicle information service, VISS version 2.

Signals are read and subscribed to by their VSS paths; setting one becomes a command with the tool
that owns it, so the rules of the car hold. Without TLS, on loopback. Pages in a browser are
refused: else any page of the web could drive the car.
"""

import asyncio
import errno
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from vehicle_bus.bus import BusError
from vehicle_bus.remote_car.remote_car import RemoteCar
from vehicle_bus.viss.connection import VissConnection

SUBPROTOCOL = Subprotocol("VISSv2")
LARGEST_REQUEST = 64 * 1024


@asynccontextmanager
async def viss_server(car: RemoteCar, *, port: int = 0) -> AsyncIterator[str]:
    """Serve a car on 127.0.0.1 while the block runs; yields the address.

    A `BusError` says when the port is taken.
    """

    async def connected(socket: ServerConnection) -> None:
        async with asyncio.TaskGroup() as tasks:
            connection = VissConnection(car, socket, tasks)
            sending = tasks.create_task(connection.send_events(), name="VISS events")
            try:
                with car.watched(connection.take):
                    await connection.answer()
            finally:
                sending.cancel()
                connection.close()

    async def handled(socket: ServerConnection) -> None:
        try:
            await connected(socket)
        except* ConnectionClosed:
            pass

    try:
        server = await serve(
            handled,
            "127.0.0.1",
            port,
            origins=[None],
            subprotocols=[SUBPROTOCOL],
            select_subprotocol=_subprotocol,
            max_size=LARGEST_REQUEST,
            compression=None,
        )
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        raise BusError(
            f"VISS cannot use port {port}: {error.strerror}; choose another --viss, or 0 for any"
        ) from error
    async with server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def _subprotocol(_socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Clients that offer none are spoken to in the same way."""
    return SUBPROTOCOL if SUBPROTOCOL in offered else None
