"""Plays units over a real broker and real sockets, scores each and stores it before the next line.

A unit is one task in one trial. A unit the bench itself spoilt is played again, at most
`ATTEMPTS` times, and is never the agent's failure.
"""

import asyncio
import hashlib
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sized
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from assistant_gateway.agents.client import PacedAgent
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.conversation.timeouts import OnHardLimit
from assistant_gateway.hearing.recogniser import Recogniser, recogniser_profile
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.models.spending import Prices, Usage
from assistant_gateway.net.gc_pauses import MANY, YOUNG, without_long_pauses
from assistant_gateway.protocol import Pace
from assistant_gateway.recording.recording import Recording
from assistant_gateway.server import Gateway
from assistant_gateway.sound.utterances import DriverSound
from assistant_gateway.timing.budgets import Budgets, budget_profile
from assistant_gateway.timing.latency import LatencyModel, latency_profile
from assistant_gateway.timing.speech import Speech, speech_profile
from evaluator.options import MOST_SESSIONS, RunOptions
from evaluator.problems import InfraProblem
from evaluator.record.record import Record
from evaluator.record.recorder import GAP_TIMEOUT_S, Recorder, recorder
from evaluator.reference.driver_brief import driver_brief
from evaluator.results.store import DriverChecks
from evaluator.run.agent_connections import connected_agents, plan_for
from evaluator.run.agents import BY_PERSON, REFERENCE, AgentChoice, agents_for, replayed_words
from evaluator.run.costs import Costs, added, agent_usage
from evaluator.run.drivers import DriverFor, checks_of, drivers, script_of, usage_of
from evaluator.run.servers import ServerSettings, servers
from evaluator.run.sound import RunSound, lines_of, voice_of
from evaluator.scoring.conversation_end import driver_unavailable
from evaluator.scoring.policies.instructions import instructions
from evaluator.scoring.scores import Profile, Score, score
from evaluator.task.task import Task
from user_sim.driver import Driver, connect_driver
from user_sim.human import DriverDesk
from user_sim.persona_voice import other_voices
from user_sim.script import ScriptOrigin
from user_sim.scripted import look_up_words
from vehicle_bus.broker.address import BrokerAddress
from vehicle_bus.bus import Bus, Publication
from vehicle_bus.car.fault import Fault
from vehicle_bus.contract import Verdict, encode
from vehicle_bus.host.host import VehicleHost
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

log = logging.getLogger(__name__)

ATTEMPTS = 3
MOST_SPOILT = 10  # units in a row
MOST_VERDICTS = 1000  # kept on the bus; a run of any length must not fill a broker
BEGIN_APART_S = 0.04  # who begins at the same time delays each other for turns to come
SPOILT_GAP_S = 0.5  # what is missing from a unit that is played again anyway may stay missing


class DrivesSessions(Protocol):
    """A connected driver, in this process or another."""

    async def drive(self, sid: str, driver: Driver) -> str: ...


Drivers = Callable[[], AbstractAsyncContextManager[DrivesSessions]]


@dataclass(frozen=True, slots=True)
class RunSettings(ServerSettings):
    """How units are played; with the tasks, everything that a result depends on.

    `faults` are added to those of each car. `user_model` plays the driver if it is given,
    or a person at the `user_desk`. With `sound` drivers are heard.
    """

    run_id: str
    agent: AgentChoice = REFERENCE
    user: str = RunOptions.user
    user_model: ModelChoice | None = None
    prices: Prices = field(default_factory=Prices)
    pace: Pace = RunOptions.pace
    latency_profile: str = RunOptions.latency_profile
    profile: Profile = RunOptions.profile
    seed: int = RunOptions.seed
    faults: tuple[Fault, ...] = ()
    speech_profile: str = RunOptions.speech_profile
    recogniser: str = RunOptions.recogniser
    budget_profile: str = RunOptions.budget_profile
    on_hard_limit: OnHardLimit = RunOptions.on_hard_limit
    max_concurrency: int = MOST_SESSIONS
    max_steps: int = RunOptions.max_steps
    user_desk: DriverDesk | None = None
    sound: RunSound | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """One task in one trial; `lease` counts the workers that were lost with it."""

    task: Task
    trial: int
    lease: int = 0

    def seed(self, settings: RunSettings, stream: str) -> str:
        return f"{settings.seed}/{self.task.task_id}/{self.trial}/{stream}"

    def words(self, settings: RunSettings) -> dict[str, str]:
        """The lines of the driver that are chosen for this trial; trials in a row say others."""
        script = self.task.driver.script
        seed = f"{settings.seed}/{self.task.task_id}/words"
        return script.words(self.trial, seed) if script else {}

    def vin(self, settings: RunSettings, attempt: int) -> str:
        again = f"-again{attempt}" if attempt else ""
        moved = f"-moved{self.lease}" if self.lease else ""
        return f"{settings.run_id}-{self.task.task_id}-{self.trial}{moved}{again}"


@dataclass(frozen=True, slots=True)
class Played:
    """One unit as it was played last: its record, its score and what all its attempts used."""

    unit: Unit
    attempt: int
    record: Record
    score: Score
    started_at: str
    words: dict[str, str]
    script: ScriptOrigin | None
    driver: DriverChecks | None
    spent: Costs
    recording: Recording | None

    @property
    def last(self) -> bool:
        """Whether this attempt stands; one the bench spoilt is played again."""
        return self.score.outcome != "infra_error" or self.attempt == ATTEMPTS - 1


@dataclass(slots=True)
class Bench:
    """Everything that is up while units are played."""

    settings: RunSettings
    world: World
    address: BrokerAddress
    buses: tuple[Bus, ...]
    cars: VehicleHost
    recorder: Recorder
    gateway: Gateway
    driver_for: DriverFor
    agents: dict[str, PacedAgent] = field(default_factory=dict)
    verdict_topics: deque[str] = field(default_factory=deque)
    spoilt_in_a_row: int = 0

    @property
    def outages(self) -> int:
        return sum(bus.reconnects for bus in self.buses)


@asynccontextmanager
async def bench(settings: RunSettings, world: World) -> AsyncIterator[Bench]:
    """Broker, car, gateway and evaluator, up and subscribed."""
    async with (
        servers(settings) as shared,
        recorder(shared.evaluator_bus, settings.topics) as records,
        drivers(settings.user_model, settings.patience_s, settings.user_desk) as driver_for,
    ):
        up = Bench(
            settings,
            world,
            shared.address,
            shared.buses,
            shared.cars,
            records,
            shared.gateway,
            driver_for,
        )
        try:
            yield up
        finally:
            if not settings.keep_retained:
                clear = [Publication(topic, b"", retain=True) for topic in up.verdict_topics]
                await shared.evaluator_bus.publish_all(clear)


async def play_all(
    up: Bench,
    units: Iterable[Unit] | AsyncIterator[Unit],
    done: Callable[[Played], Awaitable[None]],
    drivers: Drivers | None = None,
) -> None:
    """Play units concurrently; `done` is awaited for each as soon as it is scored.

    Units that come by and by are asked for by all sessions at once. Drivers connect from this
    process unless `drivers` brings them.

    Raises `NoAgent` when an external agent does not show up, and `InfraProblem` when nothing can be
    played any more.
    """
    waiting = units if isinstance(units, AsyncIterator) else _one_by_one(units)
    workers = up.settings.max_concurrency
    if isinstance(units, Sized):
        workers = max(1, min(workers, len(units)))
    connect = drivers or partial(connect_driver, up.gateway.url, up.gateway.tokens.user)
    measured = up.settings.pace != "virtual"
    apart_s = BEGIN_APART_S if measured and drivers is None else 0.0
    async with connected_agents(up.settings.agent, up.gateway, up.agents.__getitem__, workers):
        await up.gateway.agents_connected()
        if measured:
            look_up_words()
        with without_long_pauses(YOUNG if measured else MANY):
            async with asyncio.TaskGroup() as working:
                for number in range(workers):
                    work = _work(up, waiting, done, connect, number * apart_s)
                    working.create_task(work, name=f"driver {number}")


async def speak_ahead(settings: RunSettings, units: Iterable[Unit]) -> None:
    """What the drivers of these units may say is made into sound, if they are to be heard."""
    if settings.sound is not None:
        for unit in units:
            driver = unit.task.saying(unit.words(settings)).driver
            lines = lines_of(driver, partial(unit.seed, settings))
            await settings.sound.speak_ahead(lines)


async def play_and_collect(
    up: Bench, units: Iterable[Unit], drivers: Drivers | None = None
) -> list[Played]:
    """Every attempt at every unit, in the order in which they were finished."""
    attempts: list[Played] = []

    async def keep(played: Played) -> None:
        attempts.append(played)

    await play_all(up, units, keep, drivers)
    return attempts


async def _one_by_one(units: Iterable[Unit]) -> AsyncIterator[Unit]:
    for unit in units:
        yield unit


async def _work(
    up: Bench,
    waiting: AsyncIterator[Unit],
    done: Callable[[Played], Awaitable[None]],
    connect: Drivers,
    after_s: float,
) -> None:
    async with connect() as connected:
        await asyncio.sleep(after_s)
        async for unit in waiting:
            spent: Costs = {}
            for attempt in range(ATTEMPTS):
                played = await _play(up, unit, attempt, connected)
                spent = added(spent, played.spent) if spent else played.spent
                await done(replace(played, spent=spent))
                if played.last:
                    _give_up_after_too_many(up, played)
                    break
                log.warning("playing %s again: %s", unit.task.task_id, played.score.reason)


def _give_up_after_too_many(up: Bench, played: Played) -> None:
    """Whatever spoils unit after unit will not stop by itself."""
    spoilt = played.score.outcome == "infra_error"
    up.spoilt_in_a_row = up.spoilt_in_a_row + 1 if spoilt else 0
    if up.spoilt_in_a_row == MOST_SPOILT:
        raise InfraProblem(
            f"{MOST_SPOILT} units in a row could not be played, the last one because "
            f"{played.score.reason}; fix that first"
        )


async def _play(up: Bench, unit: Unit, attempt: int, connected: DrivesSessions) -> Played:
    """One attempt at one unit: place the car, talk, fetch the record, score it."""
    settings = up.settings
    replayed = await replayed_words(settings.agent, unit.task.task_id, unit.trial)
    words = unit.words(settings) if replayed is None else replayed
    asked, task = unit, unit.task.saying(words)
    unit = replace(unit, task=task)
    vin = unit.vin(settings, attempt)
    sid = opaque(vin)
    outages = up.outages
    started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
    up.recorder.expect(vin)
    vehicle = _vehicle(settings, unit, up.world)
    recording = Recording() if settings.sound else None
    up.gateway.announce(_session_plan(settings, unit, vin, sid, recording))
    await up.cars.place(vin, vehicle, faults=settings.faults, seed=unit.seed(settings, "faults"))
    if settings.agent.in_process:
        faulty = with_faults(task, settings.faults)
        chance = unit.seed(settings, "course")
        fresh = await agents_for(settings.agent, faulty, up.world, unit.trial, chance)
        up.agents[sid] = PacedAgent(fresh(), latency_of(unit, settings))
    driver = up.driver_for(driver_brief(task, up.world))
    try:
        await connected.drive(sid, driver)
        result = await up.gateway.result(sid)
        spoilt = result.infra is not None or up.outages != outages
        record = await up.recorder.finished(vin, SPOILT_GAP_S if spoilt else GAP_TIMEOUT_S)
        up.agents.pop(sid, None)  # kept if we are cancelled: the agent may be about to take it
    finally:
        up.recorder.forget(vin)
        await up.cars.remove(vin)
        up.gateway.forget(vin)
    infra = result.infra or driver_unavailable(record)
    if infra is None and up.outages != outages:
        infra = "the connection to the broker was lost on the way"
    verdict = await _score(up, record, task, infra)
    await _publish(up, vin, verdict)
    spent: Costs = {"agent": _used_by_agent(settings, record), "user": usage_of(driver)}
    script = script_of(driver, task.driver)
    checks = checks_of(driver)
    return Played(
        asked,
        attempt,
        record,
        verdict,
        started_at,
        words,
        script,
        checks,
        spent,
        recording,
    )


async def _score(up: Bench, record: Record, task: Task, infra: str | None) -> Score:
    """Judge an episode; where time is measured, in a thread, for the loop must not wait for it."""
    scored = partial(score, record, task, up.world, up.settings.profile, infra=infra)
    return scored() if up.settings.pace == "virtual" else await asyncio.to_thread(scored)


def latency_of(unit: Unit, settings: RunSettings) -> LatencyModel:
    """How fast an agent that ships answers in this unit."""
    profile = latency_profile(settings.latency_profile)
    return LatencyModel(profile, unit.seed(settings, "latency"))


def _vehicle(settings: RunSettings, unit: Unit, world: World) -> Vehicle:
    setup = settings.moving(unit.task.car)
    motion_hz = settings.motion_hz if settings.pace == "live" else 1
    return Vehicle(setup, world, seed=unit.seed(settings, "motion"), motion_hz=motion_hz)


def _used_by_agent(settings: RunSettings, record: Record) -> Usage | None:
    """Without a model nothing is used; of other agents it is known what they report."""
    free = settings.agent.in_process or settings.agent.kind in BY_PERSON
    return Usage() if free else agent_usage(record, settings.prices)


def with_faults(task: Task, more: tuple[Fault, ...]) -> Task:
    """The task with more that is to go wrong in its car; the same object if there is nothing."""
    if not more:
        return task
    faults = (*task.car.faults, *more)
    return task.model_copy(update={"car": task.car.model_copy(update={"faults": faults})})


def opaque(vin: str) -> str:
    """A session id that tells an agent nothing about the task it is tested with."""
    return f"s{hashlib.blake2s(vin.encode(), digest_size=6).hexdigest()}"


def _session_plan(
    settings: RunSettings, unit: Unit, vin: str, sid: str, recording: Recording | None
) -> SessionPlan:
    task = unit.task
    sound = _driver_sound(settings, unit, recording)
    plan = SessionPlan(
        sid=sid,
        vin=vin,
        pace=settings.pace,
        instructions=instructions(task.car.start, settings.profile, seats=_other_seats(task)),
        turn_classes=task.expect.turn_classes,
        max_steps=settings.max_steps,
        speak_progress=task.car.compat != "car-bench",
        speech=Speech(
            speech_profile(settings.speech_profile),
            unit.seed(settings, "speech"),
            sound.utterances if sound else None,
        ),
        budgets=Budgets(budget_profile(settings.budget_profile), task.expect.limits),
        on_hard_limit=settings.on_hard_limit,
        sound=sound,
        recogniser=Recogniser(
            recogniser_profile(settings.recogniser), unit.seed(settings, "recogniser")
        ),
    )
    if settings.user_desk is not None:  # a person may think as long as they like
        plan = replace(plan, patience_s=None)
    return plan_for(plan, settings.agent, settings.patience_s)


def _other_seats(task: Task) -> bool:
    script = task.driver.script
    return bool(script and script.speakers)


def _driver_sound(
    settings: RunSettings, unit: Unit, recording: Recording | None
) -> DriverSound | None:
    if settings.sound is None:
        return None
    seed = partial(unit.seed, settings)
    voice = voice_of(unit.task.driver, seed)
    others = other_voices(voice, seed("persona"))
    return settings.sound.of(voice, seed("noise"), recording, others=others)


async def _publish(up: Bench, vin: str, verdict: Score) -> None:
    topic = up.settings.topics.session(vin, opaque(vin), "verdict")
    payload = Verdict(src="evaluator", seq=1, reward=verdict.reward, components=verdict.components)
    burst = [Publication(topic, encode(payload), retain=True)]
    up.verdict_topics.append(topic)
    if len(up.verdict_topics) > MOST_VERDICTS and not up.settings.keep_retained:
        burst.append(Publication(up.verdict_topics.popleft(), b"", retain=True))
    await up.buses[2].publish_all(burst)
