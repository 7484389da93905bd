"""What `serve` and `play` are told alike: who drives in what car."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from evaluator.cli.options import (
    AgentBaseUrl,
    AgentTimeout,
    AgentToken,
    Broker,
    BudgetProfile,
    ExtraBody,
    Faults,
    GatewayPort,
    Latency,
    MotionHz,
    Moving,
    OnHardLimit,
    Prices,
    ReasoningEffort,
    Seed,
    SpeechProfile,
    StartOfTask,
    TasksFrom,
    Temperature,
    WorldFrom,
)

if TYPE_CHECKING:  # heavy, and not needed to tell what the options are
    from evaluator.live.settings import CarRequest, LiveSettings
    from evaluator.run.models import ModelOptions
    from vehicle_bus.world.world import World

TalkingAgent = Annotated[
    str,
    typer.Option(
        "--agent",
        envvar="CODRIVER_AGENT",
        help="Who answers: rules, null, claims, refuse, or ws: your own; openai:MODEL, "
        "realtime:MODEL, a2a:URL, replay:RUN#UNIT; reference with --task.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkOptions:
    """The options, each a field, in the order of `--help`."""

    agent: TalkingAgent = "rules"
    task: StartOfTask = None
    tasks_from: TasksFrom = None
    world: WorldFrom = None
    broker: Broker = "embedded"
    latency_profile: Latency = "lpu_fast"
    speech_profile: SpeechProfile = "constant"
    budget_profile: BudgetProfile = "default"
    on_hard_limit: OnHardLimit = "record"
    faults: Faults = "none"
    seed: Seed = 10
    gateway_port: GatewayPort = 0
    agent_token: AgentToken = field(default=None, repr=False)
    agent_timeout: AgentTimeout = 240.0
    base_url: AgentBaseUrl = None
    reasoning_effort: ReasoningEffort = None
    temperature: Temperature = None
    extra_body: ExtraBody = None
    prices: Prices = None
    motion: Moving = False
    motion_hz: MotionHz = 1

    def settings(self) -> "LiveSettings":
        """Raises `UsageProblem` for what no bench can be."""
        from assistant_gateway.conversation.turn_timeouts import OnHardLimit
        from assistant_gateway.server import AccessTokens
        from assistant_gateway.timing.budgets import Budgets, budget_profile
        from assistant_gateway.timing.latency import latency_profile
        from assistant_gateway.timing.speech import Speech, speech_profile
        from evaluator.live.settings import LiveSettings
        from evaluator.option_values import broker_option, one_of, profile_of
        from evaluator.task.fault_sets import fault_set

        profile_of("--latency-profile", self.latency_profile, latency_profile)
        one_of("--on-hard-limit", self.on_hard_limit, get_args(OnHardLimit))
        speech = profile_of("--speech-profile", self.speech_profile, speech_profile)
        budgets = profile_of("--budget-profile", self.budget_profile, budget_profile)
        broker = broker_option(self.broker)
        return LiveSettings(
            agent=self._models().agent(self.agent, self.agent_timeout),
            latency_profile=self.latency_profile,
            seed=self.seed,
            typed=True,
            speech=Speech(speech),
            budgets=Budgets(budgets),
            on_hard_limit=self.on_hard_limit,  # type: ignore[arg-type]  # checked above
            faults=fault_set(self.faults),
            broker_url=broker.url,
            broker_kind=broker.kind,
            gateway_port=self.gateway_port,
            tokens=AccessTokens(agent=self.agent_token) if self.agent_token else AccessTokens(),
            motion=self.motion,
            motion_hz=self.motion_hz,
        )

    def _models(self) -> "ModelOptions":
        from evaluator.run.models import ModelOptions, agent_options

        options = agent_options(self.reasoning_effort, self.temperature, self.extra_body)
        return ModelOptions(prices=self.prices, agent_base_url=self.base_url, agent_options=options)

    def wish_and_world(self) -> "tuple[CarRequest, World]":
        """The car to drive and where; raises `UsageProblem`."""
        from evaluator.live.settings import CarRequest
        from evaluator.problems import UsageProblem
        from evaluator.task.selection import Selection, load, load_world

        if self.task is None and self.agent == "reference":
            raise UsageProblem("--agent reference follows the plan of a task; name one with --task")
        if self.task is None:
            return CarRequest(), load_world(self.tasks_from, self.world)
        tasks, _, world = load(Selection(self.tasks_from, task_ids=(self.task,)), self.world)
        return CarRequest(task=tasks[0]), world


def with_talk_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes a `Talking`, with all options of it before those of its own."""

    def told(**given: Any) -> None:
        talking = {each.name: given.pop(each.name) for each in fields(TalkOptions)}
        command(TalkOptions(**talking), **given)

    _, *own = inspect.signature(command).parameters.values()
    shared = inspect.signature(TalkOptions).parameters.values()
    as_options = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*shared, *own)]
    told.__signature__ = inspect.Signature(as_options)  # type: ignore[attr-defined]  # for typer
    told.__doc__ = command.__doc__
    return told
