"""Connects agents to the gateway: as many sockets as asked for, and a plan that suits them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from assistant_gateway.agents.client import AgentOf
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.server import Gateway
from assistant_gateway.timing.timeline import SECOND
from evaluator.run.agents import EXTERNAL, AgentChoice, served

LEEWAY_S = 10.0  # an agent's own limit comes before the driver's patience ends


def plan_for(plan: SessionPlan, agent: AgentChoice) -> SessionPlan:
    """The plan as this agent needs it: how it is heard, and how long it is waited for."""
    plan = replace(
        plan,
        speak_progress=plan.speak_progress and not agent.answers_whole,
        simulated=agent.in_process,
    )
    if agent.timeout_s is None:
        return plan
    patience_s = agent.timeout_s + LEEWAY_S
    # How much too late an answer was, the budgets tell; whether it was right at all, the reward.
    return replace(
        plan,
        budgets=replace(plan.budgets, patience_s=patience_s),
        longest_turn_ns=max(plan.longest_turn_ns, int(patience_s * SECOND)),
    )


@asynccontextmanager
async def connected_agents(
    choice: AgentChoice, gate: Gateway, agent_of: AgentOf, sockets: int
) -> AsyncIterator[None]:
    """Entered means that an agent takes sessions; one that is external may be still on its way."""
    if choice.kind in EXTERNAL:
        yield
        return
    async with served(choice, agent_of) as serve, asyncio.TaskGroup() as tasks:
        agents = [
            tasks.create_task(serve(gate.url, gate.tokens.agent), name=f"agent {number}")
            for number in range(sockets)
        ]
        await gate.agents_connected()
        yield
        for agent in agents:
            agent.cancel()
