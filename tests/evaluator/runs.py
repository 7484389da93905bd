"""Runs over a real broker and real sockets, for tests that look at what comes out."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from assistant_gateway.agents.agent import Agent
from assistant_gateway.agents.client import AgentSession
from assistant_gateway.peer import Peer, PeerSocket
from assistant_gateway.protocol import (
    AGENT_PROTOCOL,
    TO_AGENT,
    Frame,
    SessionReady,
    SessionStart,
    decode,
)
from assistant_gateway.timing.latency import LatencyModel, latency_profile
from evaluator.record.digest import digest
from evaluator.run.agents import AgentChoice, named
from evaluator.run.servers import Servers
from evaluator.run.units import Bench, Played, RunSettings, Unit, bench, play_and_collect
from evaluator.task.files import own_tasks
from evaluator.task.public_tasks import public_tasks, unsupported
from evaluator.task.task import Task
from evaluator.task.worlds import own_world, world_for
from vehicle_bus.world.world import World

PUBLIC_FOLDER = os.environ.get("CODRIVER_CAR_BENCH", "")
published = pytest.mark.skipif(
    not PUBLIC_FOLDER, reason="CODRIVER_CAR_BENCH names no folder with the public tasks"
)
WORLD = own_world()
TASKS = own_tasks()
SIMPLE_TASKS = own_tasks(Path(__file__).parent / "simple_tasks")  # small ones, one way of each line
BY_ID = {task.task_id: task for task in (*SIMPLE_TASKS, *TASKS)}


@dataclass(frozen=True)
class TaskSet:
    """Tasks this car can play, and the world they play in."""

    tasks: list[Task]
    world: World


OWN = TaskSet(TASKS, WORLD)
SOME = TaskSet(TASKS[::5], WORLD)


def public() -> TaskSet:
    folder = Path(PUBLIC_FOLDER)
    playable = [task for task in public_tasks(folder) if not unsupported(task)]
    return TaskSet(playable, world_for(folder))


def settings(*, agent: str = "reference", **chosen: Any) -> RunSettings:
    chosen["agent"] = AgentChoice(*named(agent))
    return RunSettings(**{"run_id": "run", "broker_kind": "embedded", "pace": "virtual"} | chosen)


async def play(played: TaskSet = SOME, *, trials: int = 1, **chosen: Any) -> list[Played]:
    """Every attempt at every unit, in the order in which they were finished."""
    async with asyncio.timeout(500), bench(settings(**chosen), played.world) as up:
        return await play_units(up, played.tasks, trials)


async def play_units(up: Bench, tasks: Iterable[Task], trials: int = 1) -> list[Played]:
    return await play_and_collect(
        up, [Unit(task, trial) for trial in range(trials) for task in tasks]
    )


def outcomes(attempts: Iterable[Played]) -> dict[str, str]:
    """How the last attempt at each unit ended, with the reason if it was no success."""
    return {_name(played): _outcome(played) for played in attempts if played.last}


def digests(attempts: Iterable[Played]) -> dict[str, str]:
    return {_name(played): digest(played.record) for played in attempts if played.last}


def _name(played: Played) -> str:
    return f"{played.unit.task.task_id}:{played.unit.trial}"


def _outcome(played: Played) -> str:
    score = played.score
    return score.outcome if score.outcome == "success" else f"{score.outcome}: {score.reason}"


# --- an agent that comes from outside

Before = Callable[[ClientConnection, str, Frame], Awaitable[None]]


@asynccontextmanager
async def guest(
    up: Bench | Servers, agent_for: Callable[[str], Agent], before: Before
) -> AsyncIterator[None]:
    """An agent at the socket, with `before` awaited for each frame as it came.

    When `before` breaks its connection it comes back on a new one.
    """

    async def attend() -> None:
        while True:
            with suppress(ConnectionClosed):
                await _attend(up, agent_for, before)

    async with asyncio.TaskGroup() as tasks:
        attending = tasks.create_task(attend(), name="guest")
        try:
            yield
        finally:
            attending.cancel()


async def _attend(up: Bench | Servers, agent_for: Callable[[str], Agent], before: Before) -> None:
    async with connect(
        f"{up.gateway.url}/agent",
        additional_headers={"Authorization": f"Bearer {up.gateway.tokens.agent}"},
        subprotocols=[Subprotocol(AGENT_PROTOCOL)],
        compression=None,
        proxy=None,
        close_timeout=0.5,
        create_connection=PeerSocket,
    ) as socket:
        assert isinstance(socket, PeerSocket)
        peer = Peer(socket, TO_AGENT)
        talk: AgentSession | None = None
        async for raw in socket:
            assert isinstance(raw, str)
            frame = decode(raw, TO_AGENT)
            await before(socket, raw, frame)
            if isinstance(frame.body, SessionStart):
                peer.sid = frame.sid
                talk = AgentSession(
                    agent_for(frame.sid), LatencyModel(latency_profile("zero"), "guest")
                )
                talk.agent.begin(frame.body, frame.sid)
                await peer.send(SessionReady(name="guest"))
            elif talk and (message := talk.answer_to(frame.body, frame.cid)) is not None:
                for planned in talk.plan(message):
                    await peer.send(planned.body, rid=f"r{talk.messages}", cid=planned.cid)
