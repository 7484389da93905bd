"""Whole runs with MCP clients that others have written: those of the official SDKs."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp_types import CallToolResult

from evaluator.commands.run import run_to_end
from evaluator.options import RunOptions
from evaluator.task.showcase import SHOWCASE
from tests.conftest import EXAMPLES, need_node
from tests.evaluator.command_line import INFRA, PROGRAM, Running, codriver, environment, started

TEN = SHOWCASE[:6] + SHOWCASE[6:8] + SHOWCASE[9:10] + SHOWCASE[11:]
RUN = ("run", "--broker", "embedded", "--json", "--allow-slow-bench")
WINDOW = ("--task-ids", "settle_open_window")


def rewards(folder: Path, agent: str, **given: Any) -> dict[str, float | None]:
    """By task id, of a run of ten tasks."""
    options = RunOptions(agent=agent, task_ids=TEN, broker="embedded", out=folder / agent, **given)
    outcome = run_to_end(options, quiet=True)
    assert outcome.figures.infra_error == 0
    return {unit.task_id: unit.score.reward for unit in outcome.units}


def test_ten_tasks_get_the_rewards_of_the_same_agent_at_the_socket(tmp_path: Path) -> None:
    """The rules of `--agent rules`, here behind the client of the official Python SDK."""
    command = f"python {EXAMPLES / 'mcp_agent.py'} {{url}}"
    found = rewards(tmp_path, "mcp", agent_command=command)
    assert found == rewards(tmp_path, "rules")
    assert set(found.values()) == {0.0, 1.0}


def test_ten_tasks_played_by_the_typescript_sdk_get_the_rewards_of_its_twin_at_the_socket(
    tmp_path: Path,
) -> None:
    node = need_node()
    command = f"{node} {EXAMPLES / 'mcp_agent.mjs'} {{url}}"
    found = rewards(tmp_path, "mcp", agent_command=command)
    command = f"{node} {EXAMPLES / 'ws_agent.mjs'} {{url}}"
    assert found == rewards(tmp_path, "ws", agent_command=command, max_concurrency=1)
    assert found["settle_open_window"] == 1.0


class Player:
    """An MCP client in the test, and the run that it plays."""

    def __init__(self, client: Client, running: Running | None) -> None:
        self.client = client
        self.running = running

    async def tools(self) -> set[str]:
        return {tool.name for tool in (await self.client.list_tools(cache_mode="bypass")).tools}

    async def call(self, name: str, **arguments: Any) -> CallToolResult:
        return await self.client.call_tool(name, arguments)

    async def close_window(self) -> CallToolResult:
        """Play settle_open_window as it has to be played; the last result."""
        await self.call("start_conversation")
        await self.call("get_vehicle_window_positions")
        await self.call("open_close_window", window="DRIVER_REAR", percentage=0)
        return await self.call("send_message_to_user", message="I've closed the rear window.")


def is_over(result: CallToolResult) -> bool:
    return bool((result.structured_content or {}).get("conversation_over"))


def address(running: Running) -> str:
    """Where a run waits for a client, with the token."""
    running.until("waiting 60 s for an MCP client")
    url, token = running.until("  http://").strip(), running.until("with ")
    return f"{url}?{token.split('?')[1].split()[0]}"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_of_either_era_plays_the_task_of_a_run_that_waits(
    mode: Any, tmp_path: Path
) -> None:
    with started(*RUN, "--agent", "mcp", *WINDOW, folder=tmp_path) as running:
        url = await asyncio.to_thread(address, running)
        async with Client(url, mode=mode) as client:
            player = Player(client, running)
            assert "open_close_window" in await player.tools()
            assert client.instructions is not None
            assert "start_conversation" in client.instructions
            assert is_over(await player.close_window())
        done = await asyncio.to_thread(running.finish)
    assert (done.code, json.loads(done.stdout)["reward_mean"]) == (0, 1.0)


async def test_tools_are_those_of_the_car_and_clients_are_told_when_they_change(
    tmp_path: Path,
) -> None:
    tasks = ("--task-ids", "limit_no_trunk,settle_open_window")
    changed = asyncio.Event()

    async def on_message(message: Any) -> None:
        if "tools/list_changed" in str(getattr(message, "method", "")):
            changed.set()

    with started(*RUN, "--agent", "mcp", *tasks, folder=tmp_path) as running:
        url = await asyncio.to_thread(address, running)
        async with Client(url, mode="legacy", message_handler=on_message) as client:
            player = Player(client, running)
            first = await player.tools()
            assert "open_close_trunk_door" not in first
            await player.call("start_conversation")
            result = await player.call("open_close_trunk_door", action="OPEN")
            assert result.is_error
            while not is_over(result):
                result = await player.call("send_message_to_user", message="I can't do that.")
            assert not changed.is_set()
            await player.call("start_conversation")
            await asyncio.wait_for(changed.wait(), 20)
            assert await player.tools() == first | {"open_close_trunk_door"}


async def test_a_client_that_starts_the_command_itself_is_served_at_stdio(tmp_path: Path) -> None:
    options = ("mcp", *WINDOW, "--out", str(tmp_path / "mine"), "--allow-slow-bench")
    program, *first = PROGRAM
    server = StdioServerParameters(
        command=program, args=[*first, *options], env=environment(), cwd=str(tmp_path)
    )
    async with Client(stdio_client(server)) as client:
        assert is_over(await Player(client, None).close_window())
        with pytest.raises(MCPError):  # the run is over, and so is its program
            await client.call_tool("start_conversation", {})
    scored = codriver("score", tmp_path / "mine", "--json", folder=tmp_path)
    assert json.loads(scored.stdout)["reward_mean"] == 1.0


@pytest.mark.parametrize("command", ["mcp", "run"])
async def test_a_run_that_was_begun_with_codriver_mcp_is_resumed(
    command: str, tmp_path: Path
) -> None:
    tasks = ("--num-trials", "2", "--broker", "embedded")
    begun = ("mcp", "--mcp-port", "0", *WINDOW, *tasks, "--out", "mine")
    another = {"CODRIVER_AGENT": "rules"}  # which says nothing about the agent of this command
    with started(*begun, folder=tmp_path, **another) as running:
        url = await asyncio.to_thread(address, running)
        async with Client(url) as client:
            assert is_over(await Player(client, running).close_window())
        await asyncio.to_thread(running.until, "[1/2]")
        running.process.kill()
    again = (command, "--mcp-port", "0", "--out", "mine", "--resume")
    with started(*again, folder=tmp_path) as running:
        url = await asyncio.to_thread(address, running)
        async with Client(url) as client:
            assert is_over(await Player(client, running).close_window())
        done = await asyncio.to_thread(running.finish)
    assert done.code == 0, done.stderr
    assert "[2/2]" in done.stderr


def test_a_program_that_ends_in_a_conversation_has_failed_its_task(tmp_path: Path) -> None:
    stopping = tmp_path / "stopping.py"
    stopping.write_text(
        "import asyncio, sys\n"
        "from mcp import Client\n"
        "async def main():\n"
        "    async with Client(sys.argv[1]) as client:\n"
        "        await client.call_tool('start_conversation', {})\n"
        "asyncio.run(main())\n"
    )
    command = f"python {stopping} {{url}}"
    done = codriver(*RUN, "--agent", "mcp", *WINDOW, "--agent-command", command, folder=tmp_path)
    assert done.code == 0, done.stderr
    figures = json.loads(done.stdout)
    assert (figures["reward_mean"], figures["infra_error"]) == (0.0, 0)


@pytest.mark.parametrize(
    ("program", "how"), [("raise SystemExit(7)", "crashed"), ("pass", "ended too early")]
)
def test_a_program_that_takes_no_conversation_ends_the_run(
    program: str, how: str, tmp_path: Path
) -> None:
    command = f'{sys.executable} -c "{program}"'
    done = codriver(*RUN, "--agent", "mcp", *WINDOW, "--agent-command", command, folder=tmp_path)
    assert done.code == INFRA
    assert f"the agent {how}" in done.stderr


async def test_without_the_token_there_is_no_server(tmp_path: Path) -> None:
    with started(*RUN, "--agent", "mcp", *WINDOW, folder=tmp_path) as running:
        url = await asyncio.to_thread(address, running)
        async with httpx.AsyncClient() as http:
            plain = url.partition("?")[0]
            assert (await http.post(plain)).status_code == 401
            assert (await http.post(f"{plain}?token=wrong")).status_code == 401
            assert (await http.post(f"{plain}/other?token=x")).status_code == 404
