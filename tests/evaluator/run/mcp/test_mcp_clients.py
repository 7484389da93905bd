"""Seats of a run, and the programs that are started for them."""

import sys
from pathlib import Path

import pytest
from mcp import Client

from assistant_gateway.agents.mcp import seat as module
from assistant_gateway.agents.mcp.seat import NONE_YET, McpSeat
from evaluator.options import RunOptions
from evaluator.problems import AgentCrashed
from evaluator.run.mcp_clients import ended, mcp_clients
from vehicle_bus.child_process import child_process


async def end_program(seat: McpSeat, folder: Path) -> None:
    """A program for the seat ends with 0."""
    log = folder / "agent.log"
    with log.open("ab") as output:
        async with child_process([sys.executable, "-c", ""], output) as process:
            await ended(process, seat, log)


async def test_a_program_for_which_no_conversation_waited_may_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "NEXT_WITHIN_S", 0.01)
    seat = McpSeat()
    async with Client(seat.tools.server) as client:
        result = await client.call_tool("start_conversation", {})
        assert NONE_YET in str(result.content)
    await end_program(seat, tmp_path)
    await seat.leave()
    with pytest.raises(AgentCrashed, match="ended too early"):  # it did not even ask
        await end_program(seat, tmp_path)


def test_there_are_no_more_seats_than_units() -> None:
    clients = mcp_clients(RunOptions(agent="mcp", max_concurrency=3))
    assert [len(clients.for_units(units).seats) for units in (2, 5)] == [2, 3]
