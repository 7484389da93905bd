"""Seats agents that are not external at the gateway: as many sockets as asked for."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from assistant_gateway.agents.client import Seat
from assistant_gateway.server import Gateway
from evaluator.agents import EXTERNAL, AgentChoice, served


@asynccontextmanager
async def seated(
    choice: AgentChoice, gate: Gateway, seat_for: Callable[[str], Seat], sockets: int
) -> AsyncIterator[None]:
    """Entered means that an agent takes sessions; one that is external may be still on its way."""
    if choice.kind in EXTERNAL:
        yield
        return
    async with served(choice, seat_for) as serve, asyncio.TaskGroup() as tasks:
        agents = [
            tasks.create_task(serve(gate.url, gate.tokens.agent), name=f"agent {number}")
            for number in range(sockets)
        ]
        await gate.agent_connected()
        yield
        for agent in agents:
            agent.cancel()
