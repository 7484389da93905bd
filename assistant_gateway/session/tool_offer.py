"""The tools of a car as an agent sees them; cars with the same tools share one copy."""

from functools import lru_cache
from typing import Any, NamedTuple

from vehicle_bus.contract import Capabilities, apart, decode

MOST_SHARED = 256


class ToolOffer(NamedTuple):
    """Declarations for the agent, and the tools that end the conversation; never changed."""

    tools: list[dict[str, Any]]
    ends: frozenset[str]
    changes_by_itself: bool


def tool_offer(capabilities: bytes) -> ToolOffer:
    """Read the `Capabilities` of a car; raises `ValidationError`.

    Thousands of small objects per session would make every garbage collection a long one.
    """
    _, tools = apart(capabilities)
    return _offer(tools)


@lru_cache(maxsize=MOST_SHARED)
def _offer(capabilities: bytes) -> ToolOffer:
    car = decode(Capabilities, capabilities)
    ends = frozenset(
        tool["function"]["name"] for tool in car.tools if tool.get("ends_conversation")
    )
    declared_tools = [
        {key: tool[key] for key in tool if key != "ends_conversation"} for tool in car.tools
    ]
    return ToolOffer(declared_tools, ends, car.changes_by_itself)
