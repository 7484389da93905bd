"""The `codriver` command in a process of its own, as a user starts it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PROGRAM = (
    sys.executable,
    "-c",
    "import sys; sys.argv[0] = 'codriver'; "
    "from tests.contract_listening import follow; follow(); "
    "from evaluator.cli.main import main; main()",
)
LIMIT_S = 150
USAGE, INFRA, INTERRUPTED = 2, 3, 130
ONE_TASK = ("--task-ids", "base_fog_lights", "--broker", "embedded")


class Finished(NamedTuple):
    code: int
    stdout: str
    stderr: str


Here = Callable[..., Finished]
"""The command in the test's own process; see the fixture `here`."""


def environment(**variables: str) -> dict[str, str]:
    """The test's own, without what would change the defaults of a command; the world is kept.

    How exact the bench is on a machine that runs tests is no test's business.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if "CODRIVER" not in name or name == "CODRIVER_CACHE"
    }
    return {
        **inherited,
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "200",
        "CODRIVER_ALLOW_SLOW_BENCH": "1",
        **variables,
    }


def codriver(*arguments: object, folder: Path, **variables: str) -> Finished:
    """Run to the end in a folder; arguments become text."""
    done = subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        cwd=folder,
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    return Finished(done.returncode, done.stdout, done.stderr)


class Running:
    """A command that is under way."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self._lines: list[str] = []

    def until(self, start: str) -> str:
        """The next line of stderr that begins like this."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.append(line)
            if line.startswith(start):
                return line
        raise AssertionError(f"it ended before it said {start!r}: {''.join(self._lines)}")

    def finish(self) -> Finished:
        """Wait for the end; stderr is all of it."""
        stdout, stderr = self.process.communicate(timeout=LIMIT_S)
        return Finished(self.process.returncode, stdout, "".join(self._lines) + stderr)


@contextmanager
def started(*arguments: object, folder: Path, **variables: str) -> Iterator[Running]:
    """Start a command as a shell does, in a group of its own; killed when the block ends."""
    with subprocess.Popen(
        [*PROGRAM, *map(str, arguments)],
        cwd=folder,
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,  # as a shell does, so that a test can press Ctrl-C
    ) as process:
        try:
            yield Running(process)
        finally:
            process.kill()
