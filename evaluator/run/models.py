"""Models named on the command line: where they are, with which key and at which price."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from assistant_gateway.agents.chat.request_options import (
    BadOptions,
    RequestOptions,
    read_extra_body,
)
from assistant_gateway.models.access import Access, NoAccess, access, agent_access, environment
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.models.spending import Prices, PricesError, read_prices
from evaluator.judge.phase import Judging
from evaluator.problems import UsageProblem
from evaluator.results.manifest import OFF
from evaluator.run.agents import WITH_MODEL, WITH_OPTIONS, WITH_URL, AgentChoice, named

Role = Literal["agent", "user", "judge"]
AGENT_TIMEOUT_S = 240.0


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What was said about models; keys come from the environment alone."""

    user_base_url: str | None = None
    judge_base_url: str | None = None
    prices: Path | None = None
    agent_base_url: str | None = None
    agent_options: RequestOptions = field(default_factory=RequestOptions)

    def choice(self, role: Role, name: str) -> ModelChoice:
        """The model for a role; raises `UsageProblem` without a key or with bad prices."""
        given = {
            "agent": self.agent_base_url,
            "user": self.user_base_url,
            "judge": self.judge_base_url,
        }
        try:
            reached = access(role, given[role], environment())
        except NoAccess as error:
            raise UsageProblem(str(error)) from error
        return ModelChoice(name, reached, self.price_list())

    def agent_at(self, url: str) -> Access:
        """How an agent with an address of its own is reached; raises `UsageProblem`."""
        try:
            return agent_access(url, environment())
        except NoAccess as error:
            raise UsageProblem(str(error)) from error

    def agent(self, name: str, timeout_s: float = AGENT_TIMEOUT_S) -> AgentChoice:
        """An agent and how it or its model is reached; raises `UsageProblem`."""
        kind, target = named(name)
        self.check_options(name)
        model = self.choice("agent", target) if kind in WITH_MODEL else None
        choice = AgentChoice(kind, target, model, self.agent_options)
        if kind not in WITH_URL:
            return choice
        return replace(choice, access=self.agent_at(target), timeout_s=timeout_s)

    def check_options(self, agent: str) -> None:
        """Raises `UsageProblem` if this agent makes no requests that options could change."""
        if self.agent_options.fields and named(agent)[0] not in WITH_OPTIONS:
            raise UsageProblem(
                "--reasoning-effort, --temperature and --extra-body are for --agent openai:MODEL, "
                f"not for {agent}"
            )

    def judging(
        self, judge: str | None, concurrency: int, *, quiet: bool = False
    ) -> Judging | None:
        """How to judge; None stands for what was judged before."""
        if judge is None:
            return None
        model = None if judge == OFF else self.choice("judge", judge)
        return Judging(model, concurrency, quiet)

    def price_list(self) -> Prices:
        try:
            return read_prices(self.prices)
        except PricesError as error:
            raise UsageProblem(f"--prices: {error}") from error


def agent_options(
    reasoning_effort: str | None, temperature: float | None, extra_body: str | None
) -> RequestOptions:
    """What was said about the agent's requests; raises `UsageProblem`."""
    try:
        return RequestOptions(reasoning_effort, temperature, read_extra_body(extra_body))
    except BadOptions as error:
        raise UsageProblem(f"--extra-body: {error}") from error
