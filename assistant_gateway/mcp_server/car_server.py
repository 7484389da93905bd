"""A car alone as an MCP server: its tools, as it offers them now."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp_types import CallToolResult, Tool

from assistant_gateway.mcp_server.answers import car_result, text_result, tools_of
from assistant_gateway.mcp_server.serving import ToolServer, http_servers
from vehicle_bus.background_tasks import background
from vehicle_bus.bus import BusError
from vehicle_bus.remote_car.remote_car import RemoteCar

PATH = "/mcp"
INSTRUCTIONS = (
    "The tools of a simulated car. Each call is a command on its bus; what the car refuses is an "
    "error in the result of the tool."
)


@asynccontextmanager
async def car_mcp_server(car: RemoteCar, *, port: int = 0) -> AsyncIterator[str]:
    """Serve a car on 127.0.0.1 while the block runs; yields the address. Raises `PortTaken`."""

    async def list_tools() -> list[Tool]:
        return tools_of(car.declarations)

    async def call(name: str, arguments: dict[str, Any]) -> CallToolResult:
        try:
            return car_result((await car.call(name, arguments)).output)
        except BusError as error:
            return text_result(f"Error: {error}", is_error=True)

    tools = ToolServer(INSTRUCTIONS, {}, list_tools, call)
    async with (
        http_servers({PATH: tools}, port=port, option="--mcp") as address,
        background(_tell_changes(car, tools), "MCP tools of the car"),
    ):
        yield f"{address}{PATH}"


async def _tell_changes(car: RemoteCar, tools: ToolServer) -> None:
    told = car.tools
    while True:
        async with car.changed:
            while car.tools == told:
                await car.changed.wait()
        told = car.tools
        await tools.tell_tools_changed()
