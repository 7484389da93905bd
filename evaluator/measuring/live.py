"""Whether time passes as it should in many sessions at once: whole episodes in real time.

Gateway, car, bus and evaluator are this process; agents and drivers are two others. How long an
episode should take is known from playing it in virtual time before.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from assistant_gateway.agents.client import PacedAgent
from assistant_gateway.timing.timeline import MS, SECOND
from evaluator.measuring.rig.percentiles import Percentiles, percentiles
from evaluator.measuring.rig.players import RemoteDrivers, remote_players
from evaluator.problems import InfraProblem
from evaluator.reference.driver_brief import driver_brief
from evaluator.run.agents import AgentChoice, agent_for
from evaluator.run.units import (
    Bench,
    Played,
    RunSettings,
    Unit,
    bench,
    latency_of,
    opaque,
    play_and_collect,
)
from evaluator.task.selection import Selection, load
from evaluator.task.task import Task
from evaluator.task.worlds import own_world
from user_sim.driver import Driver
from user_sim.scripted import ScriptedDriver, look_up_words
from vehicle_bus.world.world import World

LATENCY = "cloud_fast"
BEGIN_WITHIN_S = 3.0


@dataclass(frozen=True, slots=True)
class Live:
    """Figures of many sessions at once, each one episode.

    `jitter_ms` is how late what the gateway paces was, the latest of each turn.
    """

    sessions: int
    turns: int
    harness_error_ms_p50: float | None
    harness_error_ms_p99: float | None
    excluded_turns: int
    jitter_ms: Percentiles
    wall_per_simulated: float
    spoilt: int


@dataclass(slots=True)
class ReferencePlayers:
    """Reference agents and scripted drivers of a run, by session id, in another process."""

    settings: RunSettings
    tasks_from: Path | None
    world: Path | None
    trials: int
    _units: dict[str, Unit] = field(default_factory=dict)
    _world: World | None = None

    def prepare(self) -> None:
        tasks, _, self._world = load(Selection(self.tasks_from), self.world)
        units = [Unit(task, trial) for task in tasks for trial in range(1, self.trials + 1)]
        self._units = {opaque(unit.vin(self.settings, 0)): unit for unit in units}
        look_up_words()

    def agent(self, sid: str) -> PacedAgent:
        unit = self._units[sid]
        agent = agent_for("reference", self._task(sid), self._world)
        return PacedAgent(agent, latency_of(unit, self.settings))

    def driver(self, sid: str) -> Driver:
        return ScriptedDriver(driver_brief(self._task(sid), self._world or own_world()))

    def _task(self, sid: str) -> Task:
        """The task of a session, in the words of its trial."""
        unit = self._units[sid]
        return unit.task.saying(unit.words(self.settings))


async def live(
    settings: RunSettings,
    world: World,
    tasks: Sequence[Task],
    *,
    tasks_from: Path | None,
    world_from: Path | None,
    sessions: int,
) -> Live:
    """Play the shortest third of the tasks at once, as often as it takes for so many sessions."""
    virtual = replace(settings, latency_profile=LATENCY, pace="virtual", max_concurrency=8)
    settings = replace(virtual, pace="live", agent=AgentChoice("ws"), max_concurrency=sessions)
    trials = -(-sessions // _shortest(tasks))
    players = ReferencePlayers(settings, tasks_from, world_from, trials)
    async with bench(settings, world) as up, asyncio.TaskGroup() as learning:
        lengths = learning.create_task(_lengths(virtual, world, tasks, sessions), name="lengths")
        async with remote_players(up, players, sessions) as remote:  # they start meanwhile
            units, simulated_s = await lengths
            connections = count()

            @asynccontextmanager
            async def connected() -> AsyncIterator[RemoteDrivers]:
                await asyncio.sleep(next(connections) * BEGIN_WITHIN_S / sessions)
                yield remote

            attempts = await play_and_collect(up, units, connected)
    ended = [played for played in attempts if played.last and not played.attempt]
    if not ended:
        raise InfraProblem("no live session came to its end")
    walls_ns = [remote.wall_ns[opaque(played.unit.vin(settings, 0))] for played in ended]
    planned_s = sum(simulated_s[_name(played.unit)] for played in ended)
    return _figures(attempts, sum(walls_ns) / SECOND / planned_s)


def _shortest(tasks: Sequence[Task]) -> int:
    """How many of the tasks are played."""
    return max(1, len(tasks) // 3)


async def _lengths(
    virtual: RunSettings, world: World, tasks: Sequence[Task], sessions: int
) -> tuple[list[Unit], dict[tuple[str, int], float]]:
    """What to play, and how long each unit of it takes when nothing in the world is late."""
    async with bench(virtual, world) as up:
        every = await _simulated_s(up, [Unit(task, 1) for task in tasks])
        short = sorted(tasks, key=lambda task: every[task.task_id, 1])[: _shortest(tasks)]
        trials = range(1, -(-sessions // len(short)) + 1)
        units = [Unit(task, trial) for trial in trials for task in short][:sessions]
        return units, every | await _simulated_s(up, units[len(short) :])


async def _simulated_s(up: Bench, units: Sequence[Unit]) -> dict[tuple[str, int], float]:
    attempts = await play_and_collect(up, units)
    ends = {_name(played.unit): played.record.end for played in attempts}
    return {name: end.t_ns / SECOND for name, end in ends.items() if end is not None}


def _name(unit: Unit) -> tuple[str, int]:
    return unit.task.task_id, unit.trial


def _figures(played: Sequence[Played], wall_per_simulated: float) -> Live:
    turns = [turn for each in played for turn in each.score.turns]
    errors_ns = [round(turn.harness_error_ms * MS) for turn in turns]
    late_ns = [
        round(turn.harness.get("late_ms", 0.0) * MS)
        for each in played for turn in each.record.turns
    ]  # fmt: skip
    errors_ms = percentiles(errors_ns, MS)
    return Live(
        sessions=len(played),
        turns=len(turns),
        harness_error_ms_p50=errors_ms["p50"],
        harness_error_ms_p99=errors_ms["p99"],
        excluded_turns=sum(turn.excluded for turn in turns),
        jitter_ms=percentiles(late_ns, MS),
        wall_per_simulated=round(wall_per_simulated, 4),
        spoilt=sum(each.score.outcome == "infra_error" for each in played),
    )
