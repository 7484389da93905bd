"""An agent as a child process: which Python it gets, and what is said when it ends."""

import sys
from pathlib import Path

import pytest

from assistant_gateway.server import NoAgent
from evaluator.problems import InfraProblem
from evaluator.results.store import AGENT_LOG
from evaluator.run.agent_process import agent_process

WAIT_S = 30


def another_python(folder: Path) -> Path:
    """A folder of programs whose `python` says who it is."""
    programs = folder / "bin"
    programs.mkdir(parents=True)
    program = programs / "python"
    program.write_text("#!/bin/sh\necho python of the agent\nexec sleep 60\n")
    program.chmod(0o755)
    return programs


def said(folder: Path) -> str:
    log = folder / AGENT_LOG
    return log.read_text() if log.exists() else ""


async def output(command: str, folder: Path) -> str:
    """The first words of an agent that runs on until it is stopped."""

    async def ready() -> None:
        if not said(folder):
            raise NoAgent("it has not said anything yet")

    async with agent_process(command, folder, ready, WAIT_S):
        return said(folder)


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
async def test_the_python_of_an_activated_environment_runs_the_agent(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setenv(variable, str(tmp_path / "env"))
    monkeypatch.setenv("PATH", f"{another_python(tmp_path / 'env')}:/usr/bin:/bin")
    assert await output("python server.py", tmp_path) == "python of the agent\n"


@pytest.mark.parametrize("active", [None, sys.prefix])
async def test_else_it_is_the_python_of_the_bench(
    active: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    if active is not None:
        monkeypatch.setenv("VIRTUAL_ENV", active)
    monkeypatch.setenv("PATH", f"{another_python(tmp_path)}:/usr/bin:/bin")
    code = "import sys, time; print(sys.prefix, flush=True); time.sleep(60)"
    assert await output(f"python -c '{code}'", tmp_path) == f"{sys.prefix}\n"


async def test_a_path_names_any_other_python(tmp_path: Path) -> None:
    program = another_python(tmp_path / "agent") / "python"
    assert await output(f"{program} server.py", tmp_path) == "python of the agent\n"


async def test_the_last_thing_an_agent_said_is_told_when_it_ends(tmp_path: Path) -> None:
    async def never() -> None:
        raise NoAgent("it never comes")

    with pytest.RaisesGroup(
        pytest.RaisesExc(
            InfraProblem, match=r"code 1; it says why in .*: ModuleNotFoundError: .*missing"
        )
    ):
        async with agent_process("python -c 'import missing'", tmp_path, never, WAIT_S):
            pass
