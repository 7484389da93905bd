"""A run as asked for on the command line, and what it means for bench, models and tasks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assistant_gateway.server import AccessTokens
from evaluator.option_values import broker_option
from evaluator.results.manifest import OFF
from evaluator.run.agents import WITH_MODEL, AgentChoice, named
from evaluator.run.drivers import BY_MODEL
from evaluator.run.models import AGENT_TIMEOUT_S, ModelOptions, Role
from evaluator.run.units import RunSettings
from evaluator.task.fault_sets import NONE, fault_set
from evaluator.task.selection import Selection, TypeSelection


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of `codriver run`; whether they make sense, `campaign_checks` says."""

    agent: str = "reference"
    user: str = "scripted"
    tasks_from: Path | None = None
    world: Path | None = None
    task_type: str = "all"
    task_split: str = "all"
    task_ids: tuple[str, ...] = ()
    num_tasks: int = -1
    shares: Mapping[str, TypeSelection] = field(default_factory=dict)
    num_trials: int = 1
    max_concurrency: int = 8
    pace: str = "fast"
    latency_profile: str = "zero"
    speech_profile: str = "typical"
    budget_profile: str = "default"
    on_hard_limit: str = "record"
    motion: bool = False
    motion_hz: int = 1
    faults: str = NONE
    profile: str = "codriver"
    broker: str = "auto"
    seed: int = 10
    max_steps: int = 40
    agent_wait_s: float = 60.0
    agent_timeout_s: float = AGENT_TIMEOUT_S
    agent_command: str = ""
    gateway_port: int = 0
    agent_token: str | None = field(default=None, repr=False)
    uvloop: bool = False
    signals: str = "changes"
    keep_retained: bool = False
    out: Path | None = None
    resume: bool = False
    gate: bool = True
    judge: str = OFF
    models: ModelOptions = field(default_factory=ModelOptions)

    def settings(self, run_id: str) -> RunSettings:
        """How its units are played; raises `UsageProblem`."""
        broker = broker_option(self.broker)
        return RunSettings(
            run_id=run_id,
            agent=self.agent_choice(),
            user=self.user,
            user_model=self.models.choice("user", self.user_model) if self.user_model else None,
            prices=self.models.price_list(),
            pace=self.pace,  # type: ignore[arg-type]  # checked by `check`
            latency_profile=self.latency_profile,
            speech_profile=self.speech_profile,
            budget_profile=self.budget_profile,
            on_hard_limit=self.on_hard_limit,  # type: ignore[arg-type]  # checked by `check`
            motion=self.motion,
            motion_hz=self.motion_hz,
            faults=fault_set(self.faults),
            profile=self.profile,  # type: ignore[arg-type]  # checked by `check`
            seed=self.seed,
            max_concurrency=self.max_concurrency,
            max_steps=self.max_steps,
            agent_wait_s=self.agent_wait_s,
            broker_url=broker.url,
            broker_kind=broker.kind,
            signals=self.signals,  # type: ignore[arg-type]  # checked by `check`
            keep_retained=self.keep_retained,
            gateway_port=self.gateway_port,
            tokens=AccessTokens(agent=self.agent_token) if self.agent_token else AccessTokens(),
        )

    @property
    def agent_kind(self) -> str:
        """Which sort of agent was named; raises `UsageProblem`."""
        return named(self.agent)[0]

    def agent_choice(self) -> AgentChoice:
        """The agent and how it or its model is reached; raises `UsageProblem`."""
        return self.models.agent(self.agent, self.agent_timeout_s)

    @property
    def models_at(self) -> dict[str, str]:
        """Where the models of this run are, by role, without anything secret."""
        asked: dict[Role, str | None] = {
            "agent": self.agent.partition(":")[2] if self.agent_kind in WITH_MODEL else None,
            "user": self.user_model,
            "judge": None if self.judge == OFF else self.judge,
        }
        return {
            role: self.models.choice(role, name).access.place
            for role, name in asked.items()
            if name is not None
        }

    @property
    def user_model(self) -> str | None:
        """The model that plays the driver, if one does."""
        _, by_model, name = self.user.partition(BY_MODEL)
        return name if by_model and name else None

    @property
    def selection(self) -> Selection:
        return Selection(
            self.tasks_from,
            self.task_type,
            self.task_split,
            self.task_ids,
            self.num_tasks,
            self.shares,
        )
