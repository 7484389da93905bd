"""How a live bench is set up, and which car is placed on it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.conversation.timeouts import OnHardLimit
from assistant_gateway.sound.live_input import LiveInput
from assistant_gateway.sound.utterances import Listener
from assistant_gateway.timing.budgets import (
    DEFAULT_BUDGETS,
    Budgets,
    Limit,
    Measured,
    TurnClass,
    budget_profile,
)
from assistant_gateway.timing.speech import Speech, constant_speech, speech_profile
from assistant_gateway.timing.timeline import SECOND
from evaluator.allowed_values import check_vin
from evaluator.options import RunOptions, Signals, TalkOptions
from evaluator.problems import UsageProblem
from evaluator.run.agents import AgentChoice
from evaluator.run.servers import ServerSettings
from evaluator.run.settings import check_session, settings_of
from evaluator.run.sound import RunSound
from evaluator.task.selection import load_task, load_world
from evaluator.task.task import Task
from vehicle_bus.car.fault import Fault
from vehicle_bus.car.state import CarSetup
from vehicle_bus.validation_problem import first_problem
from vehicle_bus.world.world import World

RULES = AgentChoice("rules")
TOOL_TIMEOUT_S = SessionPlan("", "").tool_timeout_ns / SECOND  # as long as in a run
CHARGED = {"state_of_charge": 80.0}  # the start of a free drive; that of a car is nearly empty
UNENDING = 1_000_000  # agent messages; nobody counts the steps of a person who just talks


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSettings(ServerSettings):
    """A bench for talking. `sockets` is how many cars can talk to an agent of ours at once.

    With `typed`, the driver's text arrives whole; else speaking it takes time, and with `sound` it
    is spoken. `faults` are added to those of each car.
    """

    agent: AgentChoice = RULES
    pace: Literal["live", "fast"] = "live"
    latency_profile: str = RunOptions.latency_profile
    seed: int = RunOptions.seed
    sockets: int = 1
    typed: bool = False
    speech: Speech = field(default_factory=constant_speech)
    budgets: Budgets = DEFAULT_BUDGETS
    on_hard_limit: OnHardLimit = RunOptions.on_hard_limit
    faults: tuple[Fault, ...] = ()
    tool_timeout_s: float = TOOL_TIMEOUT_S
    max_steps: int = UNENDING
    signals: Signals = "all"
    sound: RunSound | None = None

    def budgets_in(self, request: "CarRequest") -> Budgets:
        """The budgets of the turns in a car: a task may set limits of its own."""
        return replace(self.budgets, own=request.limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class CarRequest:
    """The car of a task, or one with defaults; `start` overrides single values of either.

    Each conversation in it is heard by a new `listener`; a `person` may speak besides.
    """

    task: Task | None = None
    start: dict[str, Any] = field(default_factory=dict)
    turn_classes: tuple[TurnClass, ...] = ("A",)
    vin: str | None = None
    listener: Callable[[], Listener] | None = None
    person: LiveInput | None = None

    @property
    def setup(self) -> CarSetup:
        """What the car is made of; raises `UsageProblem` for values no car has."""
        base = self.task.car if self.task else CarSetup()
        try:
            return CarSetup(**{**dict(base), "start": base.start | self.start})
        except ValidationError as error:
            raise UsageProblem(
                f"the start values do not fit the car: {first_problem(error)}"
            ) from error

    @property
    def limits(self) -> Mapping[Measured, Limit]:
        """Limits of the task, which replace those of the budgets."""
        return self.task.expect.limits if self.task else {}

    @property
    def effective_turn_classes(self) -> tuple[TurnClass, ...]:
        """The turn class of each turn; the last one holds for all that follow."""
        return self.task.expect.turn_classes if self.task else self.turn_classes


def task_named(task_id: str, world: Path | None = None) -> Task:
    """One of the tasks that come with codriver, read in a world; raises `UsageProblem`."""
    return load_task(task_id, None, load_world(None, world))


def talk_setup(options: TalkOptions) -> tuple[LiveSettings, World, CarRequest]:
    """The bench, the world and the car of `serve` and `play`; raises `UsageProblem`."""
    settings = talk_settings(options)
    world = load_world(options.tasks_from, options.world)
    return settings, world, car_request(options, world)


def talk_settings(options: TalkOptions) -> LiveSettings:
    """A bench for a driver who types; raises `UsageProblem`."""
    check_session(options)
    if options.broker_port is not None and "://" in options.broker:
        raise UsageProblem("--broker-port is for a broker of our own, --broker names another one")
    return settings_of(
        options,
        LiveSettings,
        typed=True,
        speech=Speech(speech_profile(options.speech_profile)),
        budgets=Budgets(budget_profile(options.budget_profile)),
    )


def car_request(options: TalkOptions, world: World) -> CarRequest:
    """The car that options ask for; raises `UsageProblem`."""
    if options.vin is not None:
        check_vin(options.vin)
    if options.task is None:
        if options.agent == "reference":
            raise UsageProblem("--agent reference follows the plan of a task; name one with --task")
        return CarRequest(start=CHARGED, vin=options.vin)
    return CarRequest(task=load_task(options.task, options.tasks_from, world), vin=options.vin)
