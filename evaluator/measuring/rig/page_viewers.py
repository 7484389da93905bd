"""Processes around a page: an assistant whose words are stamps of the clock, and many viewers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import orjson
from websockets.asyncio.client import ClientConnection, connect

from assistant_gateway.peer import Peer, agent_peer
from assistant_gateway.protocol import (
    InputTranscriptFinal,
    ResponseDone,
    ResponseTextDelta,
    SessionReady,
    SessionStart,
)
from assistant_gateway.timing.timeline import MS, sleep_until, wall_ns
from evaluator.measuring.rig.own_process import own_process, print_line
from evaluator.problems import InfraProblem
from vehicle_bus.background_tasks import background

TOKENS = 8  # of an answer
TOKEN_EVERY_MS = 25


async def serve_stamps(orders: asyncio.StreamReader, url: str, token: str) -> None:
    """The process of the assistant: each token of its answers is the moment it is sent, in ns."""
    async with agent_peer(url, token) as peer, background(_answer(peer), "assistant"):
        await orders.read()


async def _answer(peer: Peer) -> None:
    async for frame in peer.frames():
        match frame.body:
            case SessionStart():
                peer.sid = frame.sid
                await peer.send(SessionReady(name="stamps"))
            case InputTranscriptFinal():
                began_ns = wall_ns()
                for number in range(TOKENS):
                    await sleep_until(began_ns + number * TOKEN_EVERY_MS * MS)
                    stamp = ResponseTextDelta(delta=f"{wall_ns()} ")
                    await peer.send(stamp, turn=frame.turn, rid=f"r{frame.turn}")
                await peer.send(ResponseDone(), turn=frame.turn, rid=f"r{frame.turn}")


@dataclass(slots=True)
class PageViewers:
    """Sockets of a page in another process, opened and closed on demand."""

    _orders: asyncio.StreamWriter
    _answers: asyncio.StreamReader

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[list[int]]:
        """All of them watch; after the block the list has the delay of each token in ns."""
        late_ns: list[int] = []
        await self._order(b"open\n")
        yield late_ns
        late_ns += orjson.loads(await self._order(b"close\n"))

    async def _order(self, order: bytes) -> bytes:
        self._orders.write(order)
        await self._orders.drain()
        if not (answer := await self._answers.readline()):
            raise InfraProblem("the process of the viewers has ended")
        return answer


@asynccontextmanager
async def page_viewers(feed: str, number: int) -> AsyncIterator[PageViewers]:
    """So many viewers of a page, by the address of its socket."""
    async with own_process(view, feed, number) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield PageViewers(process.stdin, process.stdout)


async def view(orders: asyncio.StreamReader, feed: str, number: int) -> None:
    """The process of the viewers: opens all sockets, closes them, and tells what they saw."""
    while await orders.readline():
        late_ns: list[int] = []
        async with AsyncExitStack() as stack:
            for _ in range(number):
                socket = await stack.enter_async_context(connect(feed, max_size=None, proxy=None))
                await _greeted(socket)
                await stack.enter_async_context(background(_read(socket, late_ns), "viewer"))
            print_line(b"open")
            await orders.readline()
        print_line(orjson.dumps(late_ns))


async def _greeted(socket: ClientConnection) -> None:
    """Wait for the catalog: it comes last, since it is read when the first page is opened."""
    while not any("catalog" in message for message in orjson.loads(await socket.recv())):
        pass


async def _read(socket: ClientConnection, late_ns: list[int]) -> None:
    async for frame in socket:
        arrived_ns = wall_ns()
        messages = orjson.loads(frame)
        late_ns += [arrived_ns - int(m["text"]) for m in messages if m["kind"] == "words"]
