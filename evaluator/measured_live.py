"""Whether time passes as it should when many talk at once: whole episodes at the pace of life.

Gateway, car, bus and evaluator are this process; agents and drivers sit in two others. How long an
episode should take is known from playing it in virtual time before.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from assistant_gateway.agents.client import Seat
from assistant_gateway.timeline import MS, SECOND
from evaluator.agents import AgentChoice, agent_for
from evaluator.crowd import Elsewhere, crowd
from evaluator.measured import Percentiles, percentiles
from evaluator.problems import InfraProblem
from evaluator.run import Played, RunSettings, Unit, bench, latency_of, opaque, play_all
from evaluator.selection import Selection, load
from evaluator.task import Task
from user_sim.driver import Driver
from user_sim.scripted import ScriptedDriver
from vehicle_bus.world import World

SESSIONS = 200
LATENCY = "cloud_fast"
BEGIN_WITHIN_S = 3.0


@dataclass(frozen=True, slots=True)
class Live:
    """What came of many sessions at once, each one episode.

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
class Reenacted:
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

    def seat(self, sid: str) -> Seat:
        unit = self._units[sid]
        agent = agent_for("reference", unit.task, self._world)
        return Seat(agent, latency_of(unit, self.settings))

    def driver(self, sid: str) -> Driver:
        return ScriptedDriver(self._units[sid].task.driver)


@dataclass(slots=True)
class Heard:
    """What is kept of units that were played."""

    played: list[Played] = field(default_factory=list)

    async def keep(self, played: Played) -> None:
        self.played.append(played)


async def live(
    settings: RunSettings,
    world: World,
    tasks: Sequence[Task],
    *,
    tasks_from: Path | None,
    world_from: Path | None,
    sessions: int = SESSIONS,
) -> Live:
    """Play the shortest third of the tasks at once, as often as it takes for so many sessions."""
    settings = replace(settings, latency_profile=LATENCY, max_concurrency=sessions)
    every = await _simulated_s(settings, world, [Unit(task, 1) for task in tasks])
    by_length = sorted(tasks, key=lambda task: every[task.task_id, 1])
    short = by_length[: max(1, len(tasks) // 3)]
    trials = -(-sessions // len(short))
    units = [Unit(task, trial) for trial in range(1, trials + 1) for task in short][:sessions]
    simulated_s = every | await _simulated_s(settings, world, units[len(short) :])
    settings = replace(settings, pace="live", agent=AgentChoice("ws"))
    cast = Reenacted(settings, tasks_from, world_from, trials)
    heard = Heard()
    async with bench(settings, world) as up, crowd(up, cast, sessions) as elsewhere:
        turns = count()

        @asynccontextmanager
        async def seated() -> AsyncIterator[Elsewhere]:
            await asyncio.sleep(next(turns) * BEGIN_WITHIN_S / sessions)
            yield elsewhere

        await play_all(up, units, heard.keep, seated)
    ended = [played for played in heard.played if played.last and not played.attempt]
    if not ended:
        raise InfraProblem("no live session came to its end")
    walls_ns = [elsewhere.wall_ns[opaque(played.unit.vin(settings, 0))] for played in ended]
    planned_s = sum(simulated_s[_name(played.unit)] for played in ended)
    return _told(heard.played, sum(walls_ns) / SECOND / planned_s)


async def _simulated_s(
    settings: RunSettings, world: World, units: Sequence[Unit]
) -> dict[tuple[str, int], float]:
    """How long each unit takes when nothing in the world is late."""
    heard = Heard()
    virtual = replace(settings, pace="virtual", max_concurrency=8)
    async with bench(virtual, world) as up:
        await play_all(up, units, heard.keep)
    ends = {_name(played.unit): played.record.end for played in heard.played}
    return {name: end.t_ns / SECOND for name, end in ends.items() if end is not None}


def _name(unit: Unit) -> tuple[str, int]:
    return unit.task.task_id, unit.trial


def _told(played: Sequence[Played], wall_per_simulated: float) -> Live:
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
