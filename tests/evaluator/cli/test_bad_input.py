"""Bad input gives one line that says what to do, and the right exit code."""

import shlex
import socket
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.results.store import FILE
from evaluator.task.files import shipped_tasks
from tests.conftest import free_port
from tests.evaluator.command_line import (
    INFRA,
    LIMIT_S,
    ONE_TASK,
    PROGRAM,
    ROOT,
    USAGE,
    Here,
    codriver,
    environment,
)


def copied_task(folder: Path, old: str, new: str) -> Path:
    """A folder with one task file, changed."""
    text = next(shipped_tasks().rglob("base_fog_lights.yaml")).read_text()
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
    "an empty list of tasks": (
        lambda _: ("run", "--task-ids", ""),
        USAGE,
        "--task-ids is empty; give it a value, or leave it out",
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
        lambda folder: ("run", *ONE_TASK, "--resume", "--out", foreign_run(folder)),
        USAGE,
        "use that version or run again with another --out",
    ),
    "no run folder": (lambda folder: ("score", folder), USAGE, "is no run folder"),
    "someone else's folder": (
        lambda _: ("run", *ONE_TASK, "--out", ROOT / "docs"),
        USAGE,
        "holds other files and no run; name another --out",
    ),
    "resume what": (lambda _: ("run", "--resume"), USAGE, "--resume needs --out"),
    "a base URL without http": (
        lambda _: ("run", *ONE_TASK, "--agent", "openai:m", "--base-url", "127.0.0.1:8099/v1"),
        USAGE,
        "the base URL of --agent is http://HOST:PORT/v1 or https://…, not '127.0.0.1:8099/v1'",
    ),
    "a profile nobody heeds": (
        lambda _: ("run", "--agent", "a2a:http://h:1", "--latency-profile", "cloud_fast"),
        USAGE,
        "a2a:http://h:1 takes its own time",
    ),
    "no folder of tasks": (lambda _: ("run", "--tasks-from", "none"), USAGE, "none is no folder"),
    "a seed that nothing can hold": (
        lambda _: ("run", "--seed", "1" * 40),
        USAGE,
        "--seed is too large a number",
    ),
    "no speed": (
        lambda folder: ("replay", folder, "--unit", "a", "--speed", "nan"),
        USAGE,
        "--speed is 0 (all at once) or more",
    ),
    "no such option": (lambda _: ("run", "--bogus"), USAGE, "no such option: --bogus"),
    "no number": (
        lambda _: ("run", "--num-trials", "abc"),
        USAGE,
        "should be a valid integer, unable to parse string as an integer; see codriver run --help",
    ),
    "no run named": (lambda _: ("view",), USAGE, "missing argument 'RUN'; see codriver view"),
    "no such command": (lambda _: ("rnu",), USAGE, "no such command 'rnu'"),
    "a demo of an own agent": (
        lambda _: ("demo", "--agent", "ws"),
        USAGE,
        "--agent is one of claims, null, reference, refuse, rules, not 'ws'",
    ),
    "a car of two levels": (
        lambda _: ("serve", "--port", "0", "--vin", "a/b"),
        USAGE,
        "--vin is one level",
    ),
    "no such agent": (lambda _: ("run", "--agent", "me"), USAGE, "--agent is one of"),
    "virtual time from outside": (
        lambda _: ("run", "--agent", "ws", "--pace", "virtual"),
        USAGE,
        "use --pace fast or live",
    ),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_reported_in_one_line_that_says_what_to_do(
    name: str, tmp_path: Path, here: Here
) -> None:
    given, code, message = BAD_INPUT[name]
    done = here(*given(tmp_path))
    assert message in done.stderr
    assert done.stderr.splitlines()[-1].startswith("codriver: ")
    assert done.stderr.count("codriver: ") == 1, done.stderr
    assert (done.code, done.stdout) == (code, "")


@pytest.mark.parametrize(
    ("flags", "rest", "code", "said"),
    [
        (
            "",
            "tasks list >/dev/full",
            INFRA,
            "nothing more can be printed: No space left on device",
        ),
        ("", "run --task-ids base_fog_lights --broker embedded 2>&-", 0, ""),
        ("-OO", "tasks list", USAGE, "codriver reads its docstrings: run python without -OO"),
    ],
)
def test_whatever_is_wrong_with_output_and_python_is_one_line(
    flags: str, rest: str, code: int, said: str, tmp_path: Path
) -> None:
    python, *call = map(shlex.quote, PROGRAM)
    done = subprocess.run(
        ["sh", "-c", " ".join([python, flags, *call, rest])],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.stderr.splitlines()[-1:] == ([f"codriver: {said}"] if said else [])
    assert done.returncode == code


def test_no_traceback_reaches_a_user(tmp_path: Path) -> None:
    done = codriver("run", "--task-ids", "base_fog_light", folder=tmp_path)
    assert done.stderr.startswith("codriver: there is no task 'base_fog_light'; did you mean")
    assert done.stderr.count("\n") == 1
    assert (done.code, done.stdout) == (USAGE, "")


def test_a_taken_port_is_reported_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = codriver("run", *ONE_TASK, "--gateway-port", port, folder=tmp_path)
    assert done.stderr.count("\n") == 1
    assert f"port {port} on 127.0.0.1 cannot be used: address already in use" in done.stderr
    assert "name another --gateway-port" in done.stderr
    assert (done.code, done.stdout) == (INFRA, "")


def test_an_agent_that_never_comes_ends_the_run_with_a_hint(tmp_path: Path) -> None:
    done = codriver("run", *ONE_TASK, "--agent", "ws", "--agent-wait", "0.2", folder=tmp_path)
    assert done.stderr.startswith("waiting 0.2 s for an agent at ws://127.0.0.1:")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("codriver: no agent connected to ws://127.0.0.1:")
    assert [*tmp_path.glob("runs/*")] == [], "nothing was played, so no run is left"
    assert "start yours" in last
    assert "Traceback" not in done.stderr
    assert (done.code, done.stdout) == (INFRA, "")
