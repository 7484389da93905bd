"""A text is written at once, or waits for the other end as `send` does."""

import asyncio

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from assistant_gateway.net.stamped_socket import StampedSocket

LONG = "x" * 1_000_000
AT_MOST_S = 0.2


@pytest.mark.malformed("long words are no frames")
async def test_a_text_waits_for_one_who_does_not_read_and_comes_in_its_order() -> None:
    timed_out, may_read = asyncio.Event(), asyncio.Event()
    sent: list[str] = []

    async def writer(socket: ServerConnection) -> None:
        assert isinstance(socket, StampedSocket)
        try:
            for number in range(100):
                sent.append(f"{number} {LONG}")
                await socket.send_text(sent[-1], AT_MOST_S)
        except TimeoutError:
            timed_out.set()
            await may_read.wait()
            sent.append("last")
            await socket.send_text(sent[-1])

    async with (
        asyncio.timeout(60),
        serve(writer, "127.0.0.1", 0, create_connection=StampedSocket, compression=None) as server,
    ):
        port = server.sockets[0].getsockname()[1]
        address = f"ws://127.0.0.1:{port}"
        async with connect(address, max_queue=1, max_size=None, compression=None) as peer:
            await timed_out.wait()
            may_read.set()
            received = [message async for message in peer]

    assert received == sent


@pytest.mark.malformed("plain words are no frames")
async def test_a_text_to_one_who_has_gone_is_refused() -> None:
    refused = asyncio.Event()

    async def writer(socket: ServerConnection) -> None:
        assert isinstance(socket, StampedSocket)
        await socket.wait_closed()
        with pytest.raises(ConnectionClosed):
            await socket.send_text("too late")
        refused.set()

    async with (
        asyncio.timeout(60),
        serve(writer, "127.0.0.1", 0, create_connection=StampedSocket) as server,
    ):
        port = server.sockets[0].getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}"):
            pass
        await refused.wait()
