"""Connects agents to the gateway: as many sockets as asked for, and a plan that suits them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from assistant_gateway.agents.client import AgentOf
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.server import Gateway
from assistant_gateway.timing.timeline import SECOND
from evaluator.run.agents import EXTERNAL, SEATED, AgentChoice, served
from evaluator.run.drivers import turn_within_s

SEAT_READY_S = 70.0  # longer than a seat waits for its client
LEEWAY_S = 10.0  # an agent's own limit comes before the driver's patience ends


def plan_for(plan: SessionPlan, agent: AgentChoice, patience_s: float | None = None) -> SessionPlan:
    """The plan as this agent needs it: how it is heard, and how long it is waited for.

    With `patience_s` each answer of agent and driver is waited for so long, and no latency judged.
    """
    plan = replace(
        plan,
        speak_progress=plan.speak_progress and not agent.answers_whole,
        simulated=agent.in_process,
        ready_within_s=SEAT_READY_S if agent.kind in SEATED else plan.ready_within_s,
    )
    if agent.timeout_s is None and patience_s is None:
        return plan
    word_s = max(agent.timeout_s or 0.0, patience_s or 0.0) + LEEWAY_S
    turn_s = word_s if patience_s is None else word_s * plan.max_steps
    # How much too late an answer was, the budgets tell; whether it was right at all, the reward.
    return replace(
        plan,
        budgets=replace(plan.budgets, patience_s=word_s, judged=patience_s is None),
        longest_turn_ns=max(plan.longest_turn_ns, int(turn_s * SECOND)),
        patience_s=plan.patience_s and turn_within_s(patience_s) + LEEWAY_S,
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
