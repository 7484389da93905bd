"""Which agents ship with the bench, by the name used on the command line."""

from assistant_gateway.agents.agent import Agent
from assistant_gateway.agents.claims import ClaimsAgent
from assistant_gateway.agents.null import NullAgent
from assistant_gateway.agents.reference import ReferenceAgent
from assistant_gateway.agents.refuse import RefuseAgent
from evaluator.plan import reference_plan
from evaluator.task import Task
from vehicle_bus.world import World

IN_PROCESS = frozenset({"reference", "null", "claims", "refuse"})
EXTERNAL = frozenset({"ws"})


def agent_for(kind: str, task: Task, world: World) -> Agent:
    """A fresh agent for one session of a task."""
    match kind:
        case "reference":
            return ReferenceAgent(reference_plan(task, world))
        case "null":
            return NullAgent()
        case "claims":
            return ClaimsAgent()
        case "refuse":
            return RefuseAgent()
    raise ValueError(f"{kind!r} is no agent that ships with the bench")
