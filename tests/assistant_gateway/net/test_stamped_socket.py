"""When a message arrived, as stamped by the socket that received it."""

import asyncio

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from assistant_gateway.net.stamped_socket import StampedSocket
from assistant_gateway.timing.timeline import wall_ns


@pytest.mark.malformed("plain words are no frames")
async def test_a_message_bears_the_time_it_came_however_late_it_is_read() -> None:
    read = asyncio.Event()
    received: asyncio.Queue[tuple[str | bytes, int]] = asyncio.Queue()

    async def slow_reader(socket: ServerConnection) -> None:
        assert isinstance(socket, StampedSocket)
        await read.wait()
        async for message in socket:
            received.put_nowait((message, socket.arrived_ns()))

    async with serve(slow_reader, "127.0.0.1", 0, create_connection=StampedSocket) as server:
        port = server.sockets[0].getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}") as peer:
            began_ns = wall_ns()
            await peer.send("one")
            await peer.send(["in ", "three ", "pieces"])
            await (await peer.ping())  # answered once all before it is there
            arrived_ns = wall_ns()
            read.set()
            first, first_ns = await received.get()
            second, second_ns = await received.get()
            await peer.send("two")
            third, third_ns = await received.get()

    assert (first, second, third) == ("one", "in three pieces", "two")
    assert began_ns <= first_ns <= second_ns <= arrived_ns <= third_ns
