"""What breaks on the way is never the agent's failure."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.client import ClientConnection

from assistant_gateway.agents.reference import ReferenceAgent
from assistant_gateway.protocol import Frame, InputTranscriptFinal
from evaluator.problems import InfraProblem, first_cause
from evaluator.reference.plan import reference_plan
from evaluator.run import servers
from evaluator.run.units import MOST_SPOILT, Played, Unit, bench, opaque, play_all
from tests.conftest import Serve, free_port
from tests.evaluator.runs import BY_ID, SOME, TASKS, WORLD, guest, outcomes, play_units, settings
from vehicle_bus.bus import BusUnreachable

TASK = BY_ID["base_fog_lights"]


class Restarted:
    """A broker on one port that can be stopped and started again."""

    def __init__(self, serve: Serve) -> None:
        self.port = free_port()
        self.times = 0
        self._serve = serve
        self._up = asyncio.Event()
        self._down = asyncio.Event()
        self._stop = asyncio.Event()
        self._start = asyncio.Event()

    async def stop(self) -> None:
        self.times += 1
        self._stop.set()
        await self._down.wait()

    def start(self) -> None:
        self._start.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """Yields the URL; the broker lives in a task of its own, because others stop it."""
        async with asyncio.TaskGroup() as tasks:
            living = tasks.create_task(self._live(), name="broker")
            await self._up.wait()
            try:
                yield f"mqtt://127.0.0.1:{self.port}"
            finally:
                living.cancel()

    async def _live(self) -> None:
        async with self._serve(port=self.port):
            self._up.set()
            await self._stop.wait()
        self._down.set()
        await self._start.wait()
        async with self._serve(port=self.port):
            await asyncio.Event().wait()


def reference(sid: str) -> ReferenceAgent:
    """The session id is opaque, so try the cars of all tasks."""
    cars = ((task, Unit(task, 0).vin(settings(), again)) for task in TASKS for again in range(3))
    [task] = [task for task, vin in cars if opaque(vin) == sid]
    return ReferenceAgent(reference_plan(task, WORLD))


async def test_a_unit_that_loses_the_broker_is_played_again(serve: Serve) -> None:
    broker = Restarted(serve)

    async def before(_socket: ClientConnection, _raw: str, frame: Frame) -> None:
        if isinstance(frame.body, InputTranscriptFinal) and not broker.times:
            await broker.stop()
            broker.start()
            for bus in up.buses:
                await bus.reconnected(0)

    async with (
        asyncio.timeout(100),
        broker.running() as url,
        bench(settings(agent="ws", pace="fast", broker_url=url), WORLD) as up,
        guest(up, reference, before),
    ):
        spoilt, again = await play_units(up, [TASK])
    assert spoilt.score.outcome == "infra_error"
    assert "broker" in spoilt.score.reason
    assert spoilt.score.reward is None
    assert (again.attempt, again.score.outcome) == (1, "success")


async def test_a_broker_that_stops_in_the_middle_of_a_run_fails_no_unit(serve: Serve) -> None:
    broker = Restarted(serve)
    attempts: list[Played] = []

    async def keep(played: Played) -> None:
        attempts.append(played)
        if len(attempts) == 3:
            await broker.stop()
            broker.start()

    async with (
        asyncio.timeout(150),
        broker.running() as url,
        bench(settings(broker_url=url), WORLD) as up,
    ):
        await play_all(up, [Unit(task, 0) for task in SOME.tasks], keep)
    assert outcomes(attempts) == dict.fromkeys(
        (f"{task.task_id}:0" for task in SOME.tasks), "success"
    )
    assert {played.score.outcome for played in attempts} == {"success", "infra_error"}


async def test_a_broker_that_never_comes_back_ends_the_run(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "GIVE_UP_S", 0.2)
    broker = Restarted(serve)

    async def keep(_played: Played) -> None:
        await broker.stop()

    with pytest.raises(ExceptionGroup) as raised:
        async with (
            asyncio.timeout(60),
            broker.running() as url,
            bench(settings(broker_url=url), WORLD) as up,
        ):
            await play_all(up, [Unit(task, 0) for task in TASKS[:12]], keep)
    gone = first_cause(raised.value)
    assert isinstance(gone, BusUnreachable), raised.value
    assert "did not come back within 0.2 s" in str(gone)


async def test_a_run_in_which_nothing_can_be_played_gives_up() -> None:
    async def before(socket: ClientConnection, _raw: str, frame: Frame) -> None:
        if isinstance(frame.body, InputTranscriptFinal):
            socket.transport.abort()

    async with (
        asyncio.timeout(100),
        bench(settings(agent="ws", pace="fast", max_concurrency=1), WORLD) as up,
        guest(up, reference, before),
    ):
        with pytest.raises(ExceptionGroup) as raised:
            await play_units(up, SOME.tasks)
    problem = first_cause(raised.value)
    assert isinstance(problem, InfraProblem)
    assert str(problem).startswith(f"{MOST_SPOILT} units in a row could not be played")
    assert "the agent left" in str(problem)


async def test_an_agent_that_vanishes_leaves_a_record_and_no_failure() -> None:
    vanished = asyncio.Event()

    async def before(socket: ClientConnection, _raw: str, frame: Frame) -> None:
        if isinstance(frame.body, InputTranscriptFinal) and not vanished.is_set():
            vanished.set()
            socket.transport.abort()

    async with (
        asyncio.timeout(100),
        bench(settings(agent="ws", pace="fast"), WORLD) as up,
        guest(up, reference, before),
    ):
        spoilt, again = await play_units(up, [TASK])
    assert (spoilt.score.outcome, spoilt.score.reward) == ("infra_error", None)
    assert "the agent left" in spoilt.score.reason
    types = [frame.body.TYPE for frame in spoilt.record.frames]
    assert "input.transcript.final" in types
    assert spoilt.record.end is not None
    assert spoilt.record.end.reason == "infra_error"
    assert again.score.outcome == "success"
