"""A user's agent as a child process: started, waited for, watched, stopped."""

import asyncio
import os
import shlex
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from assistant_gateway.server import NoAgent
from evaluator.problems import InfraProblem, UsageProblem
from evaluator.results.store import AGENT_LOG

LOOK_AGAIN_S = 0.1
STOP_S = 5.0
LONGEST_LINE = 200
ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")


@asynccontextmanager
async def agent_process(
    command: str,
    folder: Path,
    ready: Callable[[], Awaitable[object]],
    wait_s: float,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> AsyncIterator[None]:
    """Run a command for as long as the block; entered means `ready` did not raise `NoAgent`.

    Its output goes to a file in the folder. `python` is that of the active environment, else the
    one that runs this bench; `variables` are added to the environment. Raises `InfraProblem` when
    it ends before the block does.
    """
    log = folder / AGENT_LOG
    process = await _start(command, log, variables)
    try:
        async with asyncio.TaskGroup() as tasks:
            watching = tasks.create_task(_watch(process, log), name="agent process")
            await _until(ready, wait_s, log)
            yield
            watching.cancel()
    finally:
        await _stop(process)


async def _start(command: str, log: Path, variables: Mapping[str, str]) -> Process:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageProblem(f"the agent's command cannot be read: {error}") from error
    environment = {**os.environ, "PATH": _path(), **variables}
    with log.open("ab") as output:
        try:
            return await asyncio.create_subprocess_exec(
                *words,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        except OSError as error:
            why = f"{words[0]} cannot be started: {error.strerror}"
            raise InfraProblem(f"{why}; check the agent's command") from error


def _path() -> str:
    """PATH with the Python of this bench: first, unless the user has activated another one."""
    given, own = os.environ.get("PATH", ""), str(Path(sys.executable).parent)
    active = [os.environ[name] for name in ACTIVE if os.environ.get(name)]
    another = bool(active) and not any(Path(each) == Path(sys.prefix) for each in active)
    return os.pathsep.join([given, own] if another else [own, given])


async def _watch(process: Process, log: Path) -> None:
    code = await process.wait()
    why = f"it says why in {log}: {_last_line(log)}"
    raise InfraProblem(f"the agent's command ended with code {code}; {why}")


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "nothing was printed")
    return last[:LONGEST_LINE]


async def _until(ready: Callable[[], Awaitable[object]], wait_s: float, log: Path) -> None:
    try:
        async with asyncio.timeout(wait_s):
            while True:
                with suppress(NoAgent):
                    await ready()
                    return
                await asyncio.sleep(LOOK_AGAIN_S)
    except TimeoutError as error:
        raise InfraProblem(
            f"the agent that was started did not answer within {wait_s:g} s; "
            f"look into {log}, or wait longer (--agent-wait)"
        ) from error


async def _stop(process: Process) -> None:
    """End the whole group: a command may be a shell with the agent behind it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(TimeoutError):
        async with asyncio.timeout(STOP_S):
            await process.wait()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
