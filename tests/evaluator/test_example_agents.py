"""The agents in examples/ are whole agents: they pass the task they were written for."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import EXAMPLES, free_port, need_node
from tests.evaluator.command_line import environment, started


def program(name: str) -> list[str]:
    runner = need_node() if name.endswith(".mjs") else sys.executable
    return [runner, str(EXAMPLES / name)]


def test_the_example_says_in_a_line_that_no_gateway_is_there() -> None:
    done = subprocess.run(
        [*program("ws_agent.py"), f"ws://127.0.0.1:{free_port()}"],
        env=environment(CODRIVER_TOKEN="secret"),
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("no gateway answers at ws://127.0.0.1:")


@pytest.mark.parametrize("name", ["ws_agent.py", "ws_agent.mjs"])
def test_an_example_agent_closes_the_window_that_is_open(name: str, tmp_path: Path) -> None:
    agent = program(name)
    port = free_port()
    options = ("--agent", "ws", "--gateway-port", port, "--json", "--broker", "embedded")
    task = ("--task-ids", "settle_open_window")
    with started("run", *task, *options, folder=tmp_path, CODRIVER_AGENT_TOKEN="secret") as run:
        run.until("waiting 60 s for an agent")
        played = subprocess.run(
            [*agent, f"ws://127.0.0.1:{port}"],
            env=environment(CODRIVER_TOKEN="secret"),
            capture_output=True,
            text=True,
            check=False,
            timeout=150,
        )
        done = run.finish()
    assert (played.returncode, played.stdout, played.stderr) == (0, "", "")
    figures = json.loads(done.stdout)
    assert (done.code, figures["evaluated"], figures["reward_mean"]) == (0, 1, 1.0)
