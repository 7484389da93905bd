"""Options of `serve` and `play`: what a live bench is made of, as told on the command line."""

from dataclasses import dataclass, field
from pathlib import Path

from assistant_gateway.latency import latency_profile
from assistant_gateway.server import Tokens
from evaluator.asked import broker_option, profile_of
from evaluator.live.settings import CarWish, LiveSettings
from evaluator.models import ModelOptions
from evaluator.selection import Selection, load, load_world
from vehicle_bus.world import World


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """Who drives in what car, as asked for on the command line."""

    agent: str = "rules"
    task: str | None = None
    tasks_from: Path | None = None
    world: Path | None = None
    broker: str = "embedded"
    latency_profile: str = "zero"
    seed: int = 10
    gateway_port: int = 0
    agent_token: str | None = field(default=None, repr=False)
    models: ModelOptions = field(default_factory=ModelOptions)
    motion: bool = False
    motion_hz: int = 1

    def settings(self) -> LiveSettings:
        """Raises `UsageProblem` for what no bench can be."""
        profile_of("--latency-profile", self.latency_profile, latency_profile)
        broker = broker_option(self.broker)
        return LiveSettings(
            agent=self.models.agent(self.agent),
            latency_profile=self.latency_profile,
            seed=self.seed,
            typed=True,
            broker_url=broker.url,
            broker_kind=broker.kind,
            gateway_port=self.gateway_port,
            tokens=Tokens(agent=self.agent_token) if self.agent_token else Tokens(),
            motion=self.motion,
            motion_hz=self.motion_hz,
        )

    def wish_and_world(self) -> tuple[CarWish, World]:
        """The car to drive and where."""
        if self.task is None:
            return CarWish(), load_world(self.tasks_from, self.world)
        tasks, _, world = load(Selection(self.tasks_from, task_ids=(self.task,)), self.world)
        return CarWish(task=tasks[0]), world
