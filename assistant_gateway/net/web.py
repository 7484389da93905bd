"""Serves an HTTP application in the caller's event loop, for as long as a block runs."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

from assistant_gateway.net.ports import PortTaken
from assistant_gateway.net.stamped_http import StampedHttp

KEPT_OPEN_S = 900  # longer than our clients keep one: a request never meets its connection's end


def listening(host: str, port: int, option: str = "--port") -> socket.socket:
    """A socket that accepts connections from now on; raises `PortTaken` with the option."""
    try:
        made = socket.create_server((host, port))
    except OSError as error:
        raise PortTaken(host, port, error, option) from error
    # Inherited by connections; asyncio only sets it on sockets it has made itself.
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


class _Server(uvicorn.Server):
    """Handles no signals, and stops at once when `stop` is set."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.stop = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def main_loop(self) -> None:
        await self.stop.wait()


@asynccontextmanager
async def serving(app: ASGIApp, at: socket.socket, name: str) -> AsyncIterator[None]:
    """Serve an application at a listening socket, which is closed at the end of the block."""
    config = uvicorn.Config(
        app,
        http=StampedHttp,
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        lifespan="off",
        date_header=False,
        timeout_graceful_shutdown=1,
        timeout_keep_alive=KEPT_OPEN_S,
    )
    # Connections that were cut off are no errors of the server.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    server = _Server(config)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve(sockets=[at]), name=name)
        try:
            yield
        finally:
            server.stop.set()
