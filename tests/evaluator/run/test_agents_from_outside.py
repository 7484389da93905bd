"""`codriver run --agent ws` with agents in processes of their own, good and bad."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from evaluator.run.agents import EXTERNAL, WITH_URL, with_command
from tests.conftest import free_port
from tests.evaluator.command_line import (
    INFRA,
    ONE_TASK,
    PROGRAM,
    ROOT,
    USAGE,
    Here,
    environment,
    started,
)


def test_the_example_agent_plays_a_session(tmp_path: Path, here: Here) -> None:
    port = free_port()
    options = ("--agent", "ws", "--gateway-port", port, "--json")
    with started("run", *ONE_TASK, *options, folder=tmp_path, CODRIVER_AGENT_TOKEN="secret") as run:
        run.until(f"waiting 60 s for an agent at ws://127.0.0.1:{port}/agent")
        agent = subprocess.run(
            [sys.executable, ROOT / "examples" / "ws_agent.py", f"ws://127.0.0.1:{port}"],
            env=environment(CODRIVER_TOKEN="secret"),
            capture_output=True,
            text=True,
            check=False,
            timeout=150,
        )
        done = run.finish()
    figures = json.loads(done.stdout)
    assert (done.code, figures["evaluated"], figures["infra_error"]) == (0, 1, 0)
    assert (agent.returncode, agent.stderr) == (0, "")
    unit = here("view", figures["out"], "--unit", "base_fog_lights")
    assert "Sorry, I only know about windows." in unit.stdout


WINDOW = ("run", "--task-ids", "settle_open_window", "--broker", "embedded", "--out", "r")
EXAMPLE = f"{sys.executable} {ROOT / 'examples' / 'ws_agent.py'} {{url}}"


def test_a_command_is_started_for_a_run_and_may_be_gated(tmp_path: Path, here: Here) -> None:
    gate = ("--fail-under", "solved=1", "--junit", "run.xml")
    done = here(*WINDOW, "--agent-command", EXAMPLE, *gate, "--json")
    assert (done.code, done.stderr.count("waiting")) == (0, 0), done.stderr
    assert json.loads(done.stdout)["reward_mean"] == 1.0
    assert 'failures="0" errors="0"' in (tmp_path / "run.xml").read_text()
    assert (tmp_path / "r" / "agent.log").is_file()


def test_a_command_that_ends_is_a_crash_of_the_agent(tmp_path: Path, here: Here) -> None:
    crash = f"{sys.executable} -c 'import missing'"
    done = here(*WINDOW, "--agent-command", crash, "--junit", "run.xml")
    assert done.code == INFRA
    assert done.stderr.startswith("codriver: the agent crashed: its command ended with code 1; ")
    assert "No module named 'missing'" in done.stderr
    assert 'type="agent crashed"' in (tmp_path / "run.xml").read_text()


def test_an_agent_that_needs_no_command_contradicts_one(here: Here) -> None:
    done = here(*WINDOW, "--agent-command", EXAMPLE, "--agent", "rules")
    assert (done.code, done.stderr.count("\n")) == (USAGE, 1)
    assert "--agent rules needs none" in done.stderr


RULES, COMMAND, SERVED = {"agent": "rules"}, {"agent_command": "run me"}, {"agent": "a2a:http://h"}
WS, NONE = {"agent": "ws"}, {"agent_command": ""}


@pytest.mark.parametrize(
    ("layers", "kept"),
    [
        ([{}, {}], {}),
        ([RULES, {}], RULES),
        ([{}, COMMAND], WS | COMMAND),
        ([COMMAND, WS], WS | COMMAND),
        ([COMMAND | SERVED], COMMAND | SERVED),
        ([COMMAND, RULES], WS | COMMAND),
        ([RULES, COMMAND], RULES | NONE),
    ],
)
def test_the_stronger_of_a_command_and_an_agent_that_needs_none_wins(
    layers: list[dict[str, str]], kept: dict[str, str]
) -> None:
    assert with_command(layers, EXTERNAL | WITH_URL) == kept


@pytest.mark.malformed("nonsense")
async def test_an_agent_that_talks_nonsense_loses_its_turn_and_the_run_goes_on(
    tmp_path: Path,
) -> None:
    port = free_port()
    run = await asyncio.create_subprocess_exec(
        *PROGRAM, "run", *ONE_TASK, "--agent", "ws", "--gateway-port", str(port), "--json",
        cwd=tmp_path,
        env=environment(CODRIVER_AGENT_TOKEN="secret"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    assert run.stderr is not None
    async with asyncio.timeout(40), asyncio.TaskGroup() as tasks:
        assert (await run.stderr.readline()).startswith(b"waiting")
        babbling = tasks.create_task(babble(f"ws://127.0.0.1:{port}/agent"), name="agent")
        stdout, stderr = await run.communicate()
        errors = await babbling
    assert errors >= 1000
    assert b"Traceback" not in stderr
    figures = json.loads(stdout)
    assert (run.returncode, figures["evaluated"], figures["reward_mean"]) == (0, 1, 0.0)


async def babble(url: str) -> int:
    """Answer the first question with 1,000 frames of nonsense; the number of complaints."""
    errors = 0
    async with (
        connect(
            url,
            additional_headers={"Authorization": "Bearer secret"},
            subprotocols=[Subprotocol("codriver.agent.v1")],
            proxy=None,
        ) as gateway,
        asyncio.TaskGroup() as tasks,
    ):
        async for raw in gateway:
            match json.loads(raw)["type"]:
                case "session.start":
                    await gateway.send('{"type": "session.ready", "data": {"name": "babbler"}}')
                case "input.transcript.final":
                    tasks.create_task(_nonsense(gateway, 0 if errors else 1000), name="nonsense")
                case "error":
                    errors += 1
    return errors


async def _nonsense(gateway: ClientConnection, frames: int) -> None:
    for number in range(frames):
        await gateway.send(f"nonsense {number}")
    await gateway.send('{"type": "response.done"}')
