"""`codriver agent`: one agent at a remote gateway, until the gateway closes."""

import asyncio
import sys

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

from assistant_gateway.agents.client import AgentOf, PacedAgent
from assistant_gateway.timing.latency import LatencyModel, latency_profile
from evaluator.allowed_values import profile_of
from evaluator.event_loop import run_until_interrupted
from evaluator.options import AgentOptions
from evaluator.problems import InfraProblem, UsageProblem, first_cause
from evaluator.run.agents import (
    EXTERNAL,
    AgentChoice,
    Serve,
    agents_for,
    check_simulated,
    served,
)
from evaluator.run.models import agent_choice


def serve(options: AgentOptions) -> None:
    """Serve until the gateway closes; raises `Problem`."""
    choice = agent_choice(options)
    if choice.kind in EXTERNAL:
        raise UsageProblem(
            f"{choice.name} is a program of your own; connect it to {options.url}/agent"
        )
    if not options.token:
        raise UsageProblem("a gateway needs a token; set CODRIVER_TOKEN")
    run_until_interrupted(_serve(options, choice))


async def _serve(options: AgentOptions, choice: AgentChoice) -> None:
    agent_of = await _agents(options, choice)
    async with served(choice, agent_of) as connect, asyncio.TaskGroup() as sockets:
        sys.stderr.write(f"{choice.name} serves {options.url}/agent; Ctrl-C ends it\n")
        for number in range(options.sockets):
            sockets.create_task(_socket(options, connect), name=f"agent socket {number}")
    sys.stderr.write("the gateway closed the connection\n")


async def _agents(options: AgentOptions, choice: AgentChoice) -> AgentOf:
    profile = profile_of("--latency-profile", options.latency_profile, latency_profile)
    check_simulated(choice.name, options.latency_profile)
    fresh = await agents_for(choice, None, None) if choice.in_process else None

    def agent_of(sid: str) -> PacedAgent:
        assert fresh is not None
        return PacedAgent(fresh(), LatencyModel(profile, f"{options.seed}/{sid}/latency"))

    return agent_of


async def _socket(options: AgentOptions, connect: Serve) -> None:
    """One connection; raises `Problem` if it cannot be made or is refused."""
    assert options.token is not None
    try:
        await connect(options.url, options.token)
    except (BaseExceptionGroup, InvalidURI, InvalidHandshake, ConnectionClosed, OSError) as error:
        match first_cause(error):
            case ConnectionClosed():
                return
            case InvalidURI():
                message = f"--gateway is ws://HOST:PORT, not {options.gateway!r}"
                raise UsageProblem(message) from error
            case InvalidStatus(response=response) if response.status_code == 401:
                message = f"{options.url} refused the token; give its own agent token"
                raise InfraProblem(f"{message} in CODRIVER_TOKEN") from error
            case InvalidHandshake() as refused:
                message = f"{options.url}/agent is no endpoint of a gateway: {refused}"
                raise InfraProblem(message) from error
            case OSError():
                message = f"no gateway answers at {options.url}; start it first"
                raise InfraProblem(message) from error
        raise
