"""A car alone behind MCP, asked by the client of the official SDK."""

import asyncio
from typing import Any

import pytest
from mcp import Client

from assistant_gateway.mcp_server import serving
from assistant_gateway.mcp_server.car_server import car_mcp_server
from assistant_gateway.net.ports import PortTaken
from tests.vehicle_bus.cars import car
from tests.vehicle_bus.remote_car.running import VIN, followed


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_tools_of_a_car_are_called_and_its_refusals_are_results(mode: Any) -> None:
    async with followed() as rig, car_mcp_server(rig.remote) as url, Client(url, mode=mode) as mcp:
        tools = {tool.name: tool for tool in (await mcp.list_tools()).tools}
        offered = rig.host.vehicle(VIN).declarations()
        assert list(tools) == [one["function"]["name"] for one in offered]
        assert tools["set_fan_speed"].input_schema["required"] == ["level"]
        done = await mcp.call_tool("set_fan_speed", {"level": 3})
        assert not done.is_error
        assert rig.host.vehicle(VIN).state.fan_speed == 3
        refused = await mcp.call_tool("set_fan_speed", {"level": 9})
        assert refused.is_error
        assert "SetFanSpeed_001" in str(refused.content)
        assert (await mcp.call_tool("fly", {})).is_error


async def test_a_car_without_a_tool_does_not_list_it_and_another_car_is_told() -> None:
    changed = asyncio.Event()

    async def on_message(message: Any) -> None:
        if "tools/list_changed" in str(getattr(message, "method", "")):
            changed.set()

    async with (
        followed(car("codriver", "set_fan_speed")) as rig,
        car_mcp_server(rig.remote) as url,
        Client(url, mode="legacy", message_handler=on_message) as mcp,
    ):
        names = {tool.name for tool in (await mcp.list_tools()).tools}
        assert "set_fan_speed" not in names
        await rig.host.place(VIN, car(), running=True)
        await asyncio.wait_for(changed.wait(), 10)
        listed = (await mcp.list_tools(cache_mode="bypass")).tools
        assert {tool.name for tool in listed} == names | {"set_fan_speed"}


async def test_only_the_latest_clients_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MOST_SESSIONS", 1)
    told: asyncio.Queue[str] = asyncio.Queue()

    def listener(name: str) -> Any:
        async def on_message(message: Any) -> None:
            if "tools/list_changed" in str(getattr(message, "method", "")):
                told.put_nowait(name)

        return on_message

    async with (
        followed(car("codriver", "set_fan_speed")) as rig,
        car_mcp_server(rig.remote) as url,
        Client(url, mode="legacy", message_handler=listener("first")) as first,
        Client(url, mode="legacy", message_handler=listener("second")) as second,
    ):
        await first.list_tools()
        await second.list_tools()
        await rig.host.place(VIN, car(), running=True)
        assert await asyncio.wait_for(told.get(), 10) == "second"
        assert told.empty()


async def test_a_port_that_is_taken_is_said() -> None:
    async with followed() as rig, car_mcp_server(rig.remote) as url:
        with pytest.raises(PortTaken, match="another --mcp,"):
            async with car_mcp_server(rig.remote, port=int(url.split(":")[2].split("/")[0])):
                pass
