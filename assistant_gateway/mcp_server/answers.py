"""Tools of the car as MCP has them, and what their results look like."""

from collections.abc import Iterable
from typing import Any

from mcp_types import CallToolResult, ContentBlock, TextContent, Tool

from vehicle_bus.car.tool import is_failure

Json = dict[str, Any]


def tools_of(declarations: Iterable[Json]) -> list[Tool]:
    """The tools of a car from its declarations, in their order."""
    functions = [declaration["function"] for declaration in declarations]
    return [
        Tool(name=one["name"], description=one["description"], input_schema=one["parameters"])
        for one in functions
    ]


def text_result(
    *texts: str, is_error: bool = False, structured: Json | None = None
) -> CallToolResult:
    """A result of texts, one block each."""
    blocks: list[ContentBlock] = [TextContent(text=text) for text in texts]
    return CallToolResult(content=blocks, is_error=is_error, structured_content=structured)


def car_result(output: str, *more: str) -> CallToolResult:
    """The exact text of a tool; a failure of the car is a result, not an error of the protocol."""
    return text_result(output, *more, is_error=is_failure(output))
