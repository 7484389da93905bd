"""Agents and drivers of many sessions, in this process or each role in a process of its own."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from assistant_gateway.agents.client import PacedAgent, serve_agent
from assistant_gateway.net.gc_pauses import without_long_pauses
from assistant_gateway.timing.timeline import wall_ns
from evaluator.measuring.rig.own_process import own_process, print_line
from evaluator.problems import InfraProblem
from evaluator.run.agent_connections import connected_agents
from evaluator.run.agents import REFERENCE
from evaluator.run.units import Bench
from user_sim.driver import Driver, connect_driver

READY = b"ready"
PlaysAgents = Callable[..., Coroutine[Any, Any, None]]


class Players(Protocol):
    """Agents and drivers of sessions by their ids; made here and used in other processes."""

    def prepare(self) -> None:
        """Load what is needed, before anybody connects."""
        ...

    def agent(self, sid: str) -> PacedAgent: ...

    def driver(self, sid: str) -> Driver: ...


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """What the process of the drivers reports of a session: why it ended, how long it took."""

    sid: str
    reason: str
    wall_ns: int


class RemoteDrivers:
    """Drivers of all sessions at once: these are opened by the process of the drivers."""

    def __init__(self, orders: asyncio.StreamWriter) -> None:
        self.wall_ns: dict[str, int] = {}
        self._orders = orders
        self._waiting: dict[str, asyncio.Future[str]] = {}

    async def drive(self, sid: str, driver: Driver | None = None) -> str:
        """Have a session driven by the other process; `driver` is not used."""
        over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[sid] = over
        self._orders.write(f"{sid}\n".encode())
        await self._orders.drain()
        return await over

    async def listen(self, lines: asyncio.StreamReader) -> None:
        """Read which sessions are over; raises `InfraProblem` at the end of the stream."""
        async for line in lines:
            end = SessionEnd(**orjson.loads(line))
            self.wall_ns[end.sid] = end.wall_ns
            self._waiting.pop(end.sid).set_result(end.reason)
        raise InfraProblem("the process of the drivers has ended")


class LocalDrivers:
    """Drivers of all sessions at once, in this process."""

    def __init__(self, players: Players, url: str, token: str) -> None:
        self._players = players
        self._url = url
        self._token = token

    async def drive(self, sid: str, driver: Driver | None = None) -> str:
        async with connect_driver(self._url, self._token) as connected:
            return await connected.drive(sid, driver or self._players.driver(sid))


@asynccontextmanager
async def local_players(up: Bench, players: Players, sockets: int) -> AsyncIterator[LocalDrivers]:
    """So many agents in this process, and drivers as they are needed."""
    gate = up.gateway
    async with connected_agents(REFERENCE, gate, players.agent, sockets):
        yield LocalDrivers(players, gate.url, gate.tokens.user)


@asynccontextmanager
async def remote_players(
    up: Bench,
    players: Players,
    sockets: int,
    agents: PlaysAgents | None = None,
    note: Callable[[bytes], None] | None = None,
) -> AsyncIterator[RemoteDrivers]:
    """So many agents and drivers of two other processes at the gateway.

    `note` gets each line that the process of the agents prints.
    """
    gate = up.gateway
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        serving = (agents or play_agents, players, gate.url, gate.tokens.agent, sockets)
        speaking = await enter(own_process(*serving))
        playing = (players, gate.url, gate.tokens.user, sockets)
        process = await enter(own_process(play_drivers, *playing))
        assert process.stdin is not None
        assert process.stdout is not None
        await gate.agents_connected(sockets)
        if (await process.stdout.readline()).strip() != READY:
            raise InfraProblem("the process of the drivers did not start")
        drivers = RemoteDrivers(process.stdin)
        tasks = await enter(asyncio.TaskGroup())
        listening = [tasks.create_task(drivers.listen(process.stdout), name="drivers elsewhere")]
        if note is not None:
            listening.append(tasks.create_task(_noted(speaking, note), name="agents elsewhere"))
        try:
            yield drivers
        finally:
            for each in listening:
                each.cancel()


async def _noted(process: Process, note: Callable[[bytes], None]) -> None:
    assert process.stdout is not None
    async for line in process.stdout:
        note(line)


async def play_agents(
    orders: asyncio.StreamReader, players: Players, url: str, token: str, sockets: int
) -> None:
    """The process of the agents."""
    players.prepare()
    with without_long_pauses():
        await serve_until_end(orders, lambda: serve_agent(url, token, players.agent), sockets)


async def serve_until_end(
    orders: asyncio.StreamReader, serve: Callable[[], Coroutine[Any, Any, None]], sockets: int
) -> None:
    """Serve so many sockets until the stream of orders ends."""
    async with asyncio.TaskGroup() as tasks:
        serving = [tasks.create_task(serve(), name=f"agent {number}") for number in range(sockets)]
        await orders.read()
        for agent in serving:
            agent.cancel()


async def play_drivers(
    orders: asyncio.StreamReader, players: Players, url: str, token: str, sockets: int
) -> None:
    """The process of the drivers: reads session ids, tells how each ended."""
    players.prepare()
    waiting: asyncio.Queue[str] = asyncio.Queue()

    async def drive() -> None:
        async with connect_driver(url, token) as connected:
            ready.release()
            while True:
                sid = await waiting.get()
                driver, began_ns = players.driver(sid), wall_ns()
                reason = await connected.drive(sid, driver)
                end = SessionEnd(sid, reason, wall_ns() - began_ns)
                print_line(orjson.dumps(end))

    ready = asyncio.Semaphore(0)
    with without_long_pauses():
        async with asyncio.TaskGroup() as tasks:
            driving = [
                tasks.create_task(drive(), name=f"driver {number}") for number in range(sockets)
            ]
            for _ in driving:
                await ready.acquire()
            print_line(READY)
            while line := await orders.readline():
                waiting.put_nowait(line.decode().strip())
            for driver in driving:
                driver.cancel()
