"""What a command must not import, so that it answers at once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.evaluator.command_line import codriver, environment

HEAVY = {"openai", "starlette", "uvicorn", "a2a", "ray"}
PROBE = """
import json, sys
from evaluator.cli.main import main
try:
    main()
except SystemExit as exited:
    print(json.dumps([exited.code or 0, sorted(sys.modules)]), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a finished run lies in `mine`."""
    folder = tmp_path_factory.mktemp("runs")
    options = ("--num-tasks", 1, "--pace", "virtual", "--broker", "embedded", "--out", "mine")
    assert codriver("run", *options, folder=folder).code == 0
    return folder


def imported(*arguments: str, folder: Path) -> tuple[str, set[str]]:
    """What a command prints, and the modules it has loaded when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=150,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    return done.stdout, set(modules)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("--help", "Usage: codriver "),
        ("run --help", "--latency-profile"),
        ("serve --help", "--port"),
        ("play --help", "--task"),
        ("tasks list", "base_fog_lights"),
        ("score mine", "1 of 1 episode"),
        ("view mine", "1 of 1 episode"),
    ],
)
def test_heavy_libraries_stay_out(command: str, expected: str, folder: Path) -> None:
    stdout, modules = imported(*command.split(), folder=folder)
    assert expected in stdout
    assert modules & HEAVY == set()


def test_help_needs_nothing_of_the_car_the_bus_or_the_store(folder: Path) -> None:
    _, modules = imported("--help", folder=folder)
    packages = {name.partition(".")[0] for name in modules}
    assert packages & {"vehicle_bus", "assistant_gateway", "user_sim"} == set()
    assert packages & {"pydantic", "websockets", "mqtt5", "aiomqtt", "aiosqlite"} == set()
