"""The command line from outside: data on stdout, one line per problem on stderr, exit codes."""

import asyncio
import json
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from websockets.asyncio.client import ClientConnection, connect

from evaluator.cli import app, main
from evaluator.store import FILE
from evaluator.task_files import own_tasks, shipped_tasks
from tests.conftest import free_port
from tests.evaluator.command_line import PROGRAM, ROOT, Finished, codriver, environment, started

USAGE, INFRA, INTERRUPTED = 2, 3, 130
Here = Callable[..., Finished]
ONE = ("--task-ids", "base_fog_lights", "--broker", "embedded")
RUN_KEYS = {
    "run_id", "pace", "profile", "compat", "planned", "evaluated", "unsupported", "user_error",
    "infra_error", "reward_mean", "in_time_mean", "pass_hat_k", "pass_at_k", "flip_rate", "by_type",
    "latency_ms", "budget", "policy_coverage", "harness", "cost", "wall_s", "episodes_per_s", "out",
}  # fmt: skip
NESTED_KEYS = {
    "budget": {"hard_miss_rate", "soft_miss_rate"},
    "policy_coverage": {"decided", "applicable"},
    "harness": {"error_ms_p99", "degraded", "excluded"},
    "cost": {"agent", "user", "judge"},
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], str]:
    """A run folder, what the run printed and what it said."""
    folder = tmp_path_factory.mktemp("stored")
    done = codriver("run", "--pace", "virtual", "--out", "mine", "--json", folder=folder)
    assert done.code == 0, done.stderr
    return folder / "mine", json.loads(done.stdout), done.stderr


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    """The command in this process, in a folder of its own: quick, where no process is the point."""

    def run(*arguments: object) -> Finished:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["codriver", *map(str, arguments)])
        with pytest.raises(SystemExit) as exited:
            main()
        code = exited.value.code
        return Finished(code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


# --- what goes where


def test_json_is_one_object_with_every_key(stored: tuple[Path, dict[str, Any], str]) -> None:
    folder, figures, _ = stored
    assert figures.keys() >= RUN_KEYS
    for name, keys in NESTED_KEYS.items():
        assert figures[name].keys() >= keys
    assert figures["planned"] == figures["evaluated"] == len(own_tasks())
    assert figures["reward_mean"] == 1.0
    assert figures["pass_hat_k"]["1"].keys() >= {"value", "lo", "hi"}
    assert figures["latency_ms"]["ttft_text"].keys() >= {"p50", "p95", "p99", "n"}
    assert set(figures["by_type"]) == {"base", "disambiguation", "hallucination"}
    assert (folder.parent / figures["out"]).samefile(folder)


def test_progress_with_time_left_goes_to_stderr(
    stored: tuple[Path, dict[str, Any], str],
) -> None:
    *_, stderr = stored
    lines = stderr.splitlines()
    assert len(lines) == len(own_tasks())
    assert lines[-1].startswith(f"[{len(lines)}/{len(lines)}] ")
    assert "left)" in lines[0]


def test_a_stored_run_is_shown_and_scored_again(
    stored: tuple[Path, dict[str, Any], str], here: Here
) -> None:
    folder, figures, _ = stored
    again = here("score", folder, "--json")
    for name in ("planned", "evaluated", "reward_mean", "in_time_mean", "pass_hat_k", "by_type"):
        assert json.loads(again.stdout)[name] == figures[name], name
    unit = here("view", folder, "--unit", "base_fog_lights")
    assert "fog" in unit.stdout
    assert "reward 1" in unit.stdout
    digests = here("view", folder, "--digest", "--json")
    assert len(json.loads(digests.stdout)) == len(own_tasks())
    assert (again.code, unit.code, digests.code) == (0, 0, 0)


def test_every_own_task_is_sound(here: Here) -> None:
    done = here("tasks", "validate", "--json")
    figures = json.loads(done.stdout)
    tasks = len(own_tasks())
    assert figures["errors"] == []
    assert (figures["tasks"], figures["reference_pass"]) == (tasks, tasks)
    assert (figures["null_pass"], figures["claims_pass"]) == (0, 0)
    assert sum(figures["by_type"].values()) == tasks
    assert done.code == 0


def test_the_demo_shows_a_table_and_where_the_run_is(tmp_path: Path, here: Here) -> None:
    done = here("demo", "--latency-profile", "zero")
    assert done.code == 0, done.stderr
    for told in ("reward", "in time", "ttft", "hard", "base_fog_lights", "without policies"):
        assert told in done.stdout
    [run] = (tmp_path / "runs").iterdir()
    assert f"stored in runs/{run.name}" in done.stdout


# --- options from the environment


def every_option() -> dict[str, tuple[str, str | None]]:
    """Command and option to its name without dashes and its environment variable."""
    found: dict[str, tuple[str, str | None]] = {}

    def look_into(name: str, command: Any) -> None:
        for parameter in command.params:
            if parameter.param_type_name == "option":
                option = parameter.opts[0]
                found[f"{name} {option}"] = option.removeprefix("--"), parameter.envvar
        for sub in getattr(command, "commands", {}).values():
            look_into(f"{name} {sub.name}", sub)

    look_into("codriver", typer.main.get_command(app))
    return found


def test_every_option_has_an_environment_variable_of_its_name() -> None:
    options = every_option()
    assert "codriver tasks validate --json" in options
    assert {name: variable for name, (_, variable) in options.items()} == {
        name: f"CODRIVER_{option.replace('-', '_').upper()}"
        for name, (option, _) in options.items()
    }


def test_options_come_from_the_environment(
    tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {
        "TASK_IDS": "base_fog_lights,limit_no_trunk", "PACE": "virtual", "BROKER": "embedded",
        "AGENT": "null", "NUM_TRIALS": "2", "OUT": "there", "JSON": "1",
    }  # fmt: skip
    for name, value in given.items():
        monkeypatch.setenv(f"CODRIVER_{name}", value)
    figures = json.loads(here("run").stdout)
    assert (figures["pace"], figures["planned"], figures["reward_mean"]) == ("virtual", 4, 0.0)
    assert (tmp_path / "there" / FILE).is_file()


# --- bad input


def copied_task(folder: Path, old: str, new: str) -> Path:
    """A folder with one task file, changed."""
    text = (shipped_tasks() / "base_fog_lights.yaml").read_text()
    assert old in text
    tasks = folder / "tasks"
    tasks.mkdir()
    (tasks / "fog.yaml").write_text(text.replace(old, new, 1))
    return tasks


def foreign_run(folder: Path) -> Path:
    """A run folder that says it is of another version."""
    with sqlite3.connect(folder / FILE) as database:
        database.execute("CREATE TABLE manifest (json BLOB NOT NULL)")
        database.execute("PRAGMA user_version = 99")
    database.close()
    return folder


Given = Callable[[Path], tuple[object, ...]]
BAD_INPUT: dict[str, tuple[Given, int, str]] = {
    "unknown task": (
        lambda _: ("run", "--task-ids", "base_fog_light"),
        USAGE,
        "there is no task 'base_fog_light'; did you mean base_fog_lights",
    ),
    "no YAML": (
        lambda folder: ("run", "--tasks-from", copied_task(folder, "car:", "car: : [")),
        USAGE,
        "fog.yaml:4: expected YAML",
    ),
    "no such type": (
        lambda folder: (
            "tasks",
            "list",
            "--tasks-from",
            copied_task(folder, "type: base", "type: hard"),
        ),
        USAGE,
        "fog.yaml:2: task_type: expected base, ",
    ),
    "broker unreachable": (
        lambda _: ("run", "--broker", f"mqtt://127.0.0.1:{free_port()}"),
        INFRA,
        "no MQTT broker answers at 127.0.0.1:",
    ),
    "no broker URL": (
        lambda _: ("run", "--broker", "http://127.0.0.1"),
        USAGE,
        "expected mqtt://host:port",
    ),
    "run of another version": (
        lambda folder: ("view", foreign_run(folder)),
        USAGE,
        "was written by another version of codriver (format 99, this one reads 1)",
    ),
    "resume a run of another version": (
        lambda folder: ("run", *ONE, "--resume", "--out", foreign_run(folder)),
        USAGE,
        "use that version or run again with another --out",
    ),
    "no run folder": (lambda folder: ("score", folder), USAGE, "is no run folder"),
    "someone else's folder": (
        lambda _: ("run", *ONE, "--out", ROOT / "docs"),
        USAGE,
        "holds other files and no run; name another --out",
    ),
    "resume what": (lambda _: ("run", "--resume"), USAGE, "--resume needs --out"),
    "no folder of tasks": (lambda _: ("run", "--tasks-from", "none"), USAGE, "none is no folder"),
    "no such agent": (lambda _: ("run", "--agent", "me"), USAGE, "--agent is one of"),
    "virtual time from outside": (
        lambda _: ("run", "--agent", "ws", "--pace", "virtual"),
        USAGE,
        "use --pace fast or live",
    ),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_told_in_one_line_that_says_what_to_do(
    name: str, tmp_path: Path, here: Here
) -> None:
    given, code, told = BAD_INPUT[name]
    done = here(*given(tmp_path))
    assert told in done.stderr
    assert done.stderr.startswith("codriver: ")
    assert done.stderr.count("\n") == 1, done.stderr
    assert (done.code, done.stdout) == (code, "")


def test_no_traceback_reaches_a_user(tmp_path: Path) -> None:
    done = codriver("run", "--task-ids", "base_fog_light", folder=tmp_path)
    assert done.stderr.startswith("codriver: there is no task 'base_fog_light'; did you mean")
    assert done.stderr.count("\n") == 1
    assert (done.code, done.stdout) == (USAGE, "")


def test_a_taken_port_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = codriver("run", *ONE, "--gateway-port", port, folder=tmp_path)
    assert done.stderr.count("\n") == 1
    assert "the port is taken; name another --gateway-port" in done.stderr
    assert (done.code, done.stdout) == (INFRA, "")


def test_an_agent_that_never_comes_ends_the_run_with_a_hint(tmp_path: Path) -> None:
    done = codriver("run", *ONE, "--agent", "ws", "--agent-wait", "0.2", folder=tmp_path)
    assert done.stderr.startswith("waiting 0.2 s for an agent at ws://127.0.0.1:")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("codriver: no agent connected to ws://127.0.0.1:")
    assert "start yours" in last
    assert "Traceback" not in done.stderr
    assert (done.code, done.stdout) == (INFRA, "")


# --- agents from outside


def test_the_example_agent_plays_a_session(tmp_path: Path, here: Here) -> None:
    port = free_port()
    options = ("--agent", "ws", "--gateway-port", port, "--json")
    with started("run", *ONE, *options, folder=tmp_path, CODRIVER_AGENT_TOKEN="secret") as run:
        run.until(f"waiting 60 s for an agent at ws://127.0.0.1:{port}/agent")
        agent = subprocess.run(
            [sys.executable, ROOT / "examples" / "ws_agent.py", f"ws://127.0.0.1:{port}"],
            env=environment(CODRIVER_TOKEN="secret"),
            capture_output=True,
            text=True,
            check=False,
            timeout=50,
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
        *PROGRAM, "run", *ONE, "--agent", "ws", "--gateway-port", str(port), "--json",
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
            subprotocols=["codriver.agent.v1"],  # type: ignore[list-item]
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


# --- interrupted


def test_an_interrupted_run_says_how_to_go_on_and_does(tmp_path: Path) -> None:
    options = ("--pace", "virtual", "--num-trials", 4, "--max-concurrency", 1)
    with started("run", *options, folder=tmp_path) as run:
        run.until("[3/")
        run.process.send_signal(signal.SIGINT)
        done = run.finish()
    assert (done.code, done.stdout) == (INTERRUPTED, "")
    assert "Traceback" not in done.stderr
    advice = done.stderr.splitlines()[-1]
    assert advice.startswith("interrupted; go on with codriver run ")
    command = shlex.split(advice.partition("go on with ")[2])
    resumed = codriver(*command[1:], "--json", folder=tmp_path)
    figures = json.loads(resumed.stdout)
    assert figures["evaluated"] == figures["planned"] == 4 * len(own_tasks())
    assert resumed.stderr.count("\n") < figures["planned"]
