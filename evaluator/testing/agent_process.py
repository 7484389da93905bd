"""An agent of the user's own, started as a program for as long as a bench is up."""

import asyncio
import os
import shlex
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from assistant_gateway.server import Gateway
from evaluator.problems import InfraProblem

LAST_LINES = 5
STOP_WITHIN_S = 5.0


@asynccontextmanager
async def agent_process(command: str, gate: Gateway) -> AsyncIterator[None]:
    """Entered means that the program has connected; leaving stops it.

    `{url}` in the command is the gateway's address; so is CODRIVER_URL, and CODRIVER_TOKEN is the
    agent's token. An `InfraProblem` tells what the program said if it ended before it connected.
    """
    words = [word.replace("{url}", gate.url) for word in shlex.split(command)]
    environment = {**os.environ, "CODRIVER_URL": gate.url, "CODRIVER_TOKEN": gate.tokens.agent}
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except OSError as error:
        raise InfraProblem(f"the agent cannot be started: {error}") from error
    said: list[str] = []
    async with asyncio.TaskGroup() as tasks:
        listening = tasks.create_task(_listen(process, said), name="agent's output")
        try:
            await _connected(process, gate, said, command)
            yield
        finally:
            await _stop(process)
            listening.cancel()


async def _connected(
    process: asyncio.subprocess.Process, gate: Gateway, said: list[str], command: str
) -> None:
    async with asyncio.TaskGroup() as tasks:
        connecting = tasks.create_task(gate.agent_connected(), name="agent connects")
        ending = tasks.create_task(process.wait(), name="agent ends")
        done, _ = await asyncio.wait((connecting, ending), return_when=asyncio.FIRST_COMPLETED)
        connecting.cancel()
        ending.cancel()
    if connecting not in done:
        last = " | ".join(said[-LAST_LINES:]) or "nothing"
        code = process.returncode
        raise InfraProblem(f"{command!r} ended with {code} before it connected; it said: {last}")


async def _listen(process: asyncio.subprocess.Process, said: list[str]) -> None:
    assert process.stdout is not None
    async for line in process.stdout:
        said.append(line.decode(errors="replace").rstrip())
        del said[:-LAST_LINES]


async def _stop(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(STOP_WITHIN_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
