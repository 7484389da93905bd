"""The tools of a car as an agent sees them; cars with the same tools share one copy."""

from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from vehicle_bus.contract import Capabilities

MOST_SHARED = 256


class ToolOffer(NamedTuple):
    """Declarations for the agent, and the tools that end the conversation; never changed."""

    tools: list[dict[str, Any]]
    ends: frozenset[str]


def tool_offer(car: Capabilities) -> ToolOffer:
    """Thousands of small objects per session would make every garbage collection a long one."""
    return _offer(orjson.dumps(car.tools))


@lru_cache(maxsize=MOST_SHARED)
def _offer(declared: bytes) -> ToolOffer:
    tools = orjson.loads(declared)
    ends = frozenset(tool["function"]["name"] for tool in tools if tool.get("ends_conversation"))
    declared_tools = [
        {key: tool[key] for key in tool if key != "ends_conversation"} for tool in tools
    ]
    return ToolOffer(declared_tools, ends)
