"""Peers that do not read, or are no longer there without having said so."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve

from assistant_gateway.net.stamped_socket import StampedSocket
from assistant_gateway.protocol import FROM_AGENT, ToolResult
from assistant_gateway.session.arrivals import Gone, Inbox
from assistant_gateway.session.peer_link import PeerLink, PeerStalled

LONG = ToolResult(output="x" * 900_000)
SMALL = 65_536


@asynccontextmanager
async def linked(ping_s: float | None = None) -> AsyncIterator[tuple[PeerLink, ClientConnection]]:
    """The gateway's end of a socket with small buffers, and the peer's."""
    loop = asyncio.get_running_loop()
    made: asyncio.Future[PeerLink] = loop.create_future()
    over = asyncio.Event()

    async def handle(connection: ServerConnection) -> None:
        assert isinstance(connection, StampedSocket)
        made.set_result(PeerLink(connection, "agent", FROM_AGENT))
        await over.wait()

    listening = socket.create_server(("127.0.0.1", 0))
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SMALL)
    peer = socket.create_connection(listening.getsockname())
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
    async with (
        asyncio.timeout(20),
        serve(
            handle,
            sock=listening,
            compression=None,
            create_connection=StampedSocket,
            ping_interval=ping_s,
            ping_timeout=ping_s,
            close_timeout=0.1,
        ),
        connect("ws://gateway/agent", sock=peer, compression=None, close_timeout=0.1) as socket_,
    ):
        try:
            yield await made, socket_
        finally:
            over.set()


async def endlessly(link: PeerLink) -> None:
    while True:
        await link.send(LONG, timeout_s=0.1)


async def test_a_peer_that_does_not_read_is_given_up() -> None:
    async with linked() as (link, peer):
        peer.transport.pause_reading()
        with pytest.raises(PeerStalled, match=r"the agent has not read for 0\.1 s"):
            await endlessly(link)
        peer.transport.resume_reading()


async def test_a_peer_that_reads_slowly_is_waited_for() -> None:
    async with linked() as (link, peer):
        peer.transport.pause_reading()
        async with asyncio.TaskGroup() as tasks:
            sending = tasks.create_task(link.send(LONG), name="send")
            await asyncio.wait([sending], timeout=0.05)
            peer.transport.resume_reading()
            assert len(await peer.recv()) > len(LONG.output)
        assert sending.result().seq == 1


async def test_a_connection_that_closed_with_much_to_write_is_just_gone() -> None:
    async with linked() as (link, peer):
        peer.transport.pause_reading()
        server_end = link._socket
        server_end.transport.write(b"x" * (8 * SMALL))
        server_end.transport.close()
        peer.transport.resume_reading()
        await server_end.wait_closed()
        await link.send(LONG)
        assert link.gone.is_set()


async def test_a_connection_of_which_the_other_end_is_lost_is_noticed() -> None:
    async with linked(ping_s=0.1) as (link, peer):
        inbox = Inbox()
        link.attach("s", inbox)
        peer.transport.pause_reading()  # no pong any more, and no goodbye either
        await link.read()
        assert isinstance(inbox.get_nowait().item, Gone)
        assert link.gone.is_set()
        peer.transport.abort()
