"""A user's agent as a child process: started, waited for, watched, stopped."""

import asyncio
import os
import shlex
import shutil
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from assistant_gateway.server import Gateway, NoAgent
from evaluator.problems import AgentCrashed, InfraProblem, UsageProblem
from evaluator.results.store import AGENT_LOG
from vehicle_bus.child_process import child_process

LOOK_AGAIN_S = 0.1
LONGEST_LINE = 200
ACTIVE = ("VIRTUAL_ENV", "CONDA_PREFIX")


def connecting_agent(
    command: str, folder: Path, gate: Gateway, wait_s: float
) -> AbstractAsyncContextManager[None]:
    """Run a program that connects to the gateway by itself; entered means it did."""
    variables = {"CODRIVER_URL": gate.url, "CODRIVER_TOKEN": gate.tokens.agent}
    command = command.replace("{url}", gate.url)
    return agent_process(command, folder, gate.agents_connected, wait_s, variables)


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
    one that runs this bench; `variables` are added to the environment. Raises `AgentCrashed` when
    it ends before the block does.
    """
    log = folder / AGENT_LOG
    words, environment = command_line(command, variables)
    with log.open("ab") as output:
        async with (
            child_process(words, output, environment=environment) as process,
            asyncio.TaskGroup() as tasks,
        ):
            watching = tasks.create_task(_watch(process, log), name="agent process")
            await _until(ready, wait_s, log)
            yield
            watching.cancel()


def command_line(command: str, variables: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Its words and its environment; raises `Problem` if there is no such program."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageProblem(f"the agent's command cannot be read: {error}") from error
    path = _path()
    program = shutil.which(words[0], path=path) if words else None
    if program is None:
        raise InfraProblem(
            f"{words[0] if words else 'the command'} cannot be started: there is no such program; "
            "check the agent's command"
        )
    return [program, *words[1:]], {**os.environ, "PATH": path, **variables}


def _path() -> str:
    """PATH with the Python of this bench: first, unless the user has activated another one."""
    given, own = os.environ.get("PATH", ""), str(Path(sys.executable).parent)
    active = [os.environ[name] for name in ACTIVE if os.environ.get(name)]
    another = bool(active) and not any(Path(each) == Path(sys.prefix) for each in active)
    return os.pathsep.join([given, own] if another else [own, given])


async def _watch(process: Process, log: Path) -> None:
    raise crashed(await process.wait(), log)


def crashed(code: int, log: Path) -> AgentCrashed:
    """The end of an agent's program that was still needed."""
    how = "crashed" if code else "ended too early"
    last = _last_line(log)
    said = f"it says why in {log}: {last}" if last else f"it printed nothing to {log}"
    return AgentCrashed(f"the agent {how}: its command ended with code {code}; {said}")


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
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
