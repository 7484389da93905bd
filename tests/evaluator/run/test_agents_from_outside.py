"""`codriver run --agent ws` with agents in processes of their own, good and bad."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.conftest import free_port
from tests.evaluator.command_line import ONE_TASK, PROGRAM, ROOT, Here, environment, started


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
