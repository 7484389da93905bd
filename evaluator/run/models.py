"""Models named on the command line: where they are, with which key and at which price."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

from assistant_gateway.agents.chat.request_options import (
    BadOptions,
    RequestOptions,
    read_extra_body,
)
from assistant_gateway.models.access import NoAccess, access, agent_access, environment
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.models.spending import Prices, PricesError, read_prices
from evaluator.judge.phase import Judging
from evaluator.options import ModelOptions
from evaluator.problems import UsageProblem
from evaluator.results.manifest import OFF
from evaluator.run.agents import (
    WITH_MODEL,
    WITH_OPTIONS,
    WITH_SOUND,
    WITH_URL,
    AgentChoice,
    is_spoken,
    named,
)

Role = Literal["agent", "user", "judge"]


def model_at(
    role: Role,
    name: str,
    base_url: str | None,
    prices: Path | None,
    patience_s: float | None = None,
) -> ModelChoice:
    """The model for a role; raises `UsageProblem` without a key or with bad prices."""
    try:
        reached = access(role, base_url, environment())
    except NoAccess as error:
        raise UsageProblem(str(error)) from error
    return ModelChoice(name, reached, price_list(prices), patience_s)


def agent_choice(options: ModelOptions) -> AgentChoice:
    """The agent and how it or its model is reached; raises `UsageProblem`."""
    kind, target = named(options.agent)
    patience_s = options.patience_s
    choice = AgentChoice(
        kind,
        target,
        options=request_options(options),
        patience_s=patience_s,
        spoken=is_spoken(options.agent),
        lead_in_ms=options.lead_in_ms,
        turn_detection=options.turn_detection,
        backend_model=options.backend_model,
    )
    if kind in WITH_MODEL:
        model = model_at("agent", target, options.base_url, options.prices, patience_s)
        return replace(choice, model=model)
    if kind not in WITH_URL:
        return choice
    try:
        reached = agent_access(target, environment())
    except NoAccess as error:
        raise UsageProblem(str(error)) from error
    return replace(choice, access=reached, timeout_s=options.agent_timeout_s)


def hears(options: ModelOptions) -> bool:
    """Whether the agent is a model that listens and speaks by itself, where there is sound."""
    return named(options.agent)[0] in WITH_SOUND and not is_spoken(options.agent)


def request_options(options: ModelOptions) -> RequestOptions:
    """More fields of the agent's requests.

    Raises `UsageProblem` if they cannot be read, or if this agent makes no such requests.
    """
    try:
        body = read_extra_body(options.extra_body)
    except BadOptions as error:
        raise UsageProblem(f"--extra-body: {error}") from error
    found = RequestOptions(options.reasoning_effort, options.temperature, body)
    if found.fields and named(options.agent)[0] not in WITH_OPTIONS:
        raise UsageProblem(
            "--reasoning-effort, --temperature and --extra-body are for --agent openai:MODEL, "
            f"not for {options.agent}"
        )
    return found


def judging(
    judge: str | None,
    base_url: str | None,
    prices: Path | None,
    concurrency: int,
    patience_s: float | None = None,
    *,
    quiet: bool = False,
) -> Judging | None:
    """How to judge; None stands for what was judged before."""
    if judge is None:
        return None
    model = None if judge == OFF else model_at("judge", judge, base_url, prices, patience_s)
    return Judging(model, concurrency, quiet)


def price_list(prices: Path | None) -> Prices:
    """What tokens cost; raises `UsageProblem`."""
    try:
        return read_prices(prices)
    except PricesError as error:
        raise UsageProblem(f"--prices: {error}") from error
