"""`codriver agent`: one agent alone at a gateway, until the gateway closes or it is interrupted."""

import asyncio
import sys
from dataclasses import dataclass, field

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

from assistant_gateway.agents.client import AgentOf, PacedAgent
from assistant_gateway.timing.latency import LatencyModel, latency_profile
from evaluator.option_values import profile_of
from evaluator.problems import InfraProblem, UsageProblem, first_cause
from evaluator.run.agents import (
    EXTERNAL,
    AgentChoice,
    Serve,
    agents_for,
    check_simulated,
    served,
)
from evaluator.run.models import AGENT_TIMEOUT_S, ModelOptions
from evaluator.run_async import run_async


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """An agent and the gateway it serves, as asked for on the command line."""

    agent: str
    gateway: str
    token: str | None = field(default=None, repr=False)
    sockets: int = 1
    latency_profile: str = "zero"
    seed: int = 10
    models: ModelOptions = field(default_factory=ModelOptions)
    agent_timeout_s: float = AGENT_TIMEOUT_S

    @property
    def url(self) -> str:
        """Where the gateway is, without the endpoint that may have been named too."""
        return self.gateway.rstrip("/").removesuffix("/agent")

    @property
    def choice(self) -> AgentChoice:
        """The agent; raises `UsageProblem`."""
        choice = self.models.agent(self.agent, self.agent_timeout_s)
        if choice.kind in EXTERNAL:
            told = f"{choice.name} is a program of your own; connect it to {self.url}/agent"
            raise UsageProblem(told)
        return choice


def attend(lone: AgentOptions) -> None:
    """Serve until the gateway closes; raises `Problem`."""
    choice = lone.choice
    if not lone.token:
        raise UsageProblem("a gateway wants a token; put it into CODRIVER_TOKEN")
    try:
        run_async(_attend(lone, choice))
    except KeyboardInterrupt:
        return


async def _attend(lone: AgentOptions, choice: AgentChoice) -> None:
    agent_of = await _agents(lone, choice)
    async with served(choice, agent_of) as serve, asyncio.TaskGroup() as sockets:
        sys.stderr.write(f"{choice.name} serves {lone.url}/agent; Ctrl-C ends it\n")
        for number in range(lone.sockets):
            sockets.create_task(_socket(lone, serve), name=f"agent socket {number}")
    sys.stderr.write("the gateway closed the connection\n")


async def _agents(lone: AgentOptions, choice: AgentChoice) -> AgentOf:
    profile = profile_of("--latency-profile", lone.latency_profile, latency_profile)
    check_simulated(choice.name, lone.latency_profile)
    fresh = await agents_for(choice, None, None) if choice.in_process else None

    def agent_of(sid: str) -> PacedAgent:
        assert fresh is not None
        return PacedAgent(fresh(), LatencyModel(profile, f"{lone.seed}/{sid}/latency"))

    return agent_of


async def _socket(lone: AgentOptions, serve: Serve) -> None:
    """One connection; what keeps it from serving is told as a `Problem`."""
    assert lone.token is not None
    try:
        await serve(lone.url, lone.token)
    except (BaseExceptionGroup, InvalidURI, InvalidHandshake, ConnectionClosed, OSError) as error:
        match first_cause(error):
            case ConnectionClosed():
                return
            case InvalidURI():
                message = f"--gateway is ws://HOST:PORT, not {lone.gateway!r}"
                raise UsageProblem(message) from error
            case InvalidStatus(response=response) if response.status_code == 401:
                message = f"{lone.url} refused the token; it wants its own agent token"
                raise InfraProblem(f"{message} in CODRIVER_TOKEN") from error
            case InvalidHandshake() as refused:
                message = f"{lone.url}/agent is no endpoint of a gateway: {refused}"
                raise InfraProblem(message) from error
            case OSError():
                message = f"no gateway answers at {lone.url}; start it first"
                raise InfraProblem(message) from error
        raise
