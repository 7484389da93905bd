"""Which agents there are, by the name used on the command line, and who serves their sockets."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from assistant_gateway.agents.agent import Agent
from assistant_gateway.agents.claims import ClaimsAgent
from assistant_gateway.agents.client import Seat, serve_agent
from assistant_gateway.agents.null import NullAgent
from assistant_gateway.agents.reference import ReferenceAgent
from assistant_gateway.agents.refuse import RefuseAgent
from assistant_gateway.model import ModelChoice
from evaluator.limit_wording import cannot_tell, could_not
from evaluator.plan import reference_plan
from evaluator.task import Task
from vehicle_bus.world import World

IN_PROCESS = frozenset({"reference", "null", "claims", "refuse"})
EXTERNAL = frozenset({"ws"})
WITH_MODEL = frozenset({"openai", "realtime"})
WITH_URL = frozenset({"a2a"})

Serve = Callable[[str, str], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class AgentChoice:
    """An agent as named on the command line: `KIND` or `KIND:TARGET`."""

    kind: str
    target: str = ""
    model: ModelChoice | None = None

    @property
    def name(self) -> str:
        """As it was named."""
        return f"{self.kind}:{self.target}" if self.target else self.kind

    @property
    def in_process(self) -> bool:
        """Whether it is pure and keeps lockstep, so that a latency model paces it."""
        return self.kind in IN_PROCESS


def named(agent: str) -> tuple[str, str]:
    """Kind and target of what was named; raises `ValueError` saying what there is."""
    kind, _, target = agent.partition(":")
    if kind in IN_PROCESS | EXTERNAL and not target:
        return kind, ""
    if kind in WITH_MODEL | WITH_URL and target:
        return kind, target
    with_target = [*(f"{kind}:MODEL" for kind in sorted(WITH_MODEL)), "a2a:URL"]
    raise ValueError(", ".join([*sorted(IN_PROCESS | EXTERNAL), *with_target]))


REFERENCE = AgentChoice("reference")


@asynccontextmanager
async def served(choice: AgentChoice, seat_for: Callable[[str], Seat]) -> AsyncIterator[Serve]:
    """What takes sessions at a gateway, given its URL and token, until the gateway closes.

    It may be called several times at once, once per socket. `seat_for` seats in-process agents by
    session id.
    """
    match choice.kind:
        case kind if kind in IN_PROCESS:
            yield partial(serve_agent, seat_for=seat_for)
        case _:
            raise ValueError(f"{choice.kind!r} serves itself")


def agent_for(kind: str, task: Task, world: World) -> Agent:
    """A fresh agent for one session of a task."""
    match kind:
        case "reference":
            return ReferenceAgent(reference_plan(task, world), could_not, cannot_tell)
        case "null":
            return NullAgent()
        case "claims":
            return ClaimsAgent()
        case "refuse":
            return RefuseAgent()
    raise ValueError(f"{kind!r} is no agent that ships with the bench")
