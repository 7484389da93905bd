"""Agents and drivers of many sessions, each role in a process of its own, as in life."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

import orjson

from assistant_gateway.agents.client import PacedAgent, serve_agent
from assistant_gateway.net.gc_pauses import without_long_pauses
from assistant_gateway.timing.timeline import wall_ns
from evaluator.measuring.rig.own_process import own_process
from evaluator.problems import InfraProblem
from evaluator.run.agent_connections import connected_agents
from evaluator.run.agents import REFERENCE
from evaluator.run.units import Bench
from user_sim.driver import Driver, connect_driver


class Players(Protocol):
    """Who plays a session, by its id; made here and used in other processes."""

    def prepare(self) -> None:
        """Load what is needed, before anybody connects."""
        ...

    def agent(self, sid: str) -> PacedAgent: ...

    def driver(self, sid: str) -> Driver: ...


@dataclass(frozen=True, slots=True)
class Told:
    """What the process of the drivers says about a session: why it ended, and how long it took."""

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
        """Have a session driven; its driver is in the other process, and ours is not asked."""
        over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[sid] = over
        self._orders.write(f"{sid}\n".encode())
        await self._orders.drain()
        return await over

    async def listen(self, lines: asyncio.StreamReader) -> None:
        """Hear of sessions that are over; raises `InfraProblem` when nobody tells any more."""
        async for line in lines:
            told = Told(**orjson.loads(line))
            self.wall_ns[told.sid] = told.wall_ns
            self._waiting.pop(told.sid).set_result(told.reason)
        raise InfraProblem("the process of the drivers has ended")


class LocalDrivers:
    """Drivers of all sessions at once, in this process."""

    def __init__(self, cast: Players, url: str, token: str) -> None:
        self._cast = cast
        self._url = url
        self._token = token

    async def drive(self, sid: str, driver: Driver | None = None) -> str:
        async with connect_driver(self._url, self._token) as connected:
            return await connected.drive(sid, driver or self._cast.driver(sid))


@asynccontextmanager
async def at_home(up: Bench, cast: Players, sockets: int) -> AsyncIterator[LocalDrivers]:
    """So many agents in this process, and drivers as they are needed."""
    gate = up.gateway
    async with connected_agents(REFERENCE, gate, cast.agent, sockets):
        yield LocalDrivers(cast, gate.url, gate.tokens.user)


@asynccontextmanager
async def crowd(up: Bench, cast: Players, sockets: int) -> AsyncIterator[RemoteDrivers]:
    """So many agents and drivers of two other processes at the gateway."""
    gate = up.gateway
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        agents = (cast, gate.url, gate.tokens.agent, sockets)
        await enter(own_process(play_agents, *agents))
        playing = (cast, gate.url, gate.tokens.user, sockets)
        process = await enter(own_process(play_drivers, *playing))
        assert process.stdin is not None
        assert process.stdout is not None
        await gate.agents_connected(sockets)
        if await process.stdout.readline() != b"ready\n":
            raise InfraProblem("the process of the drivers did not start")
        drivers = RemoteDrivers(process.stdin)
        tasks = await enter(asyncio.TaskGroup())
        listening = tasks.create_task(drivers.listen(process.stdout), name="drivers elsewhere")
        try:
            yield drivers
        finally:
            listening.cancel()


async def play_agents(
    orders: asyncio.StreamReader, cast: Players, url: str, token: str, sockets: int
) -> None:
    """The process of the agents."""
    cast.prepare()
    with without_long_pauses():
        async with asyncio.TaskGroup() as tasks:
            serving = [
                tasks.create_task(serve_agent(url, token, cast.agent), name=f"agent {number}")
                for number in range(sockets)
            ]
            await orders.read()
            for agent in serving:
                agent.cancel()


async def play_drivers(
    orders: asyncio.StreamReader, cast: Players, url: str, token: str, sockets: int
) -> None:
    """The process of the drivers: reads session ids, tells how each ended."""
    cast.prepare()
    waiting: asyncio.Queue[str] = asyncio.Queue()

    async def drive() -> None:
        async with connect_driver(url, token) as connected:
            ready.release()
            while True:
                sid = await waiting.get()
                driver, began_ns = cast.driver(sid), wall_ns()
                reason = await connected.drive(sid, driver)
                _tell(Told(sid, reason, wall_ns() - began_ns))

    ready = asyncio.Semaphore(0)
    with without_long_pauses():
        async with asyncio.TaskGroup() as tasks:
            driving = [
                tasks.create_task(drive(), name=f"driver {number}") for number in range(sockets)
            ]
            for _ in driving:
                await ready.acquire()
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            while line := await orders.readline():
                waiting.put_nowait(line.decode().strip())
            for driver in driving:
                driver.cancel()


def _tell(told: Told) -> None:
    sys.stdout.buffer.write(orjson.dumps(told) + b"\n")
    sys.stdout.flush()
