"""The agents in examples/ are whole agents: they pass the task they were written for."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.assistant_gateway.gateways import rig
from tests.conftest import EXAMPLES, free_port, need_node
from tests.evaluator.command_line import environment, started

AGENTS = ("ws_agent.py", "ws_agent.mjs")


def program(name: str) -> list[str]:
    runner = need_node() if name.endswith(".mjs") else sys.executable
    return [runner, str(EXAMPLES / name)]


def start(name: str, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*program(name), *arguments],
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )


def test_the_example_says_in_a_line_that_no_gateway_is_there() -> None:
    done = start("ws_agent.py", f"ws://127.0.0.1:{free_port()}", CODRIVER_TOKEN="secret")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("no gateway answers at ws://127.0.0.1:")


@pytest.mark.parametrize("name", AGENTS)
def test_an_example_started_without_address_or_token_says_how(name: str) -> None:
    for arguments, token in (((), {"CODRIVER_TOKEN": "secret"}), (("ws://127.0.0.1:1",), {})):
        done = start(name, *arguments, **token)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("start me as CODRIVER_TOKEN=… "), done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", AGENTS)
async def test_an_example_with_a_wrong_token_says_so_in_a_line(name: str) -> None:
    async with rig() as rigged:
        url = f"ws://127.0.0.1:{rigged.gateway.port}"
        done = await asyncio.to_thread(start, name, url, CODRIVER_TOKEN="not its own")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"{url}: ")
    assert "401" in done.stderr


@pytest.mark.parametrize("name", AGENTS)
def test_an_example_agent_closes_the_window_that_is_open(name: str, tmp_path: Path) -> None:
    program(name)  # without Node nothing is begun
    port = free_port()
    options = ("--agent", "ws", "--gateway-port", port, "--json", "--broker", "embedded")
    task = ("--task-ids", "settle_open_window")
    with started("run", *task, *options, folder=tmp_path, CODRIVER_AGENT_TOKEN="secret") as run:
        run.until("waiting 60 s for an agent")
        played = start(name, f"ws://127.0.0.1:{port}", CODRIVER_TOKEN="secret")
        done = run.finish()
    assert (played.returncode, played.stdout, played.stderr) == (0, "", "")
    figures = json.loads(done.stdout)
    assert (done.code, figures["evaluated"], figures["reward_mean"]) == (0, 1, 1.0)
