"""Commands on damaged files: stored runs, tasks, faults and profiles. Each has to say one line."""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import monotonic, sleep

from evaluator.cli.main import main
from evaluator.results.store import FILE
from tests.evaluator.command_line import codriver
from tests.torture.figures import Figures
from tests.torture.mutation import mutated

LIMIT_S = 60.0
CODES = (0, 1, 2, 3)
EXAMPLE = ("run", "--agent", "rules", "--task-ids", "base_fog_lights", "--broker", "embedded")


def torture(figures: Figures, for_s: float, random: Random) -> None:
    """Damage a copy of a file and let a command read it, until the time is over."""
    with tempfile.TemporaryDirectory(prefix="codriver-torture-") as name:
        folder = Path(name)
        run, task = folder / "run", folder / "tasks" / "task.yaml"
        codriver(*EXAMPLE, "--out", run, folder=folder)
        whole = (run / FILE).read_bytes()
        task.parent.mkdir()
        source = next(Path("tasks").rglob("base_fog_lights.yaml"))
        profile = folder / "profile.yaml"
        others = folder / "other"
        shutil.copytree(run, others)

        def damage_run() -> tuple[object, ...]:
            (run / FILE).write_bytes(mutated(whole, random))
            reading = [("view", run), ("view", run, "--failed"), ("export", run)]
            reading += [("score", run), ("compare", run, others)]
            return random.choice(reading)

        def damage_task() -> tuple[object, ...]:
            task.write_bytes(mutated(source.read_bytes(), random))
            return "tasks", "list", "--tasks-from", task.parent

        def damage_profile() -> tuple[object, ...]:
            profile.write_bytes(mutated(b"name: odd\nscale: 2.0\n", random))
            return (*EXAMPLE, "--budget-profile", profile, "--out", folder / "new")

        kinds: tuple[Callable[[], tuple[object, ...]], ...] = (
            *(damage_run, damage_run, damage_task, damage_task, damage_profile),
        )
        until_s = monotonic() + for_s
        while monotonic() < until_s:
            figures.inputs += 1
            _command(figures, folder, *random.choice(kinds)())
            shutil.rmtree(folder / "new", ignore_errors=True)


def _command(figures: Figures, folder: Path, *arguments: object) -> None:
    """Run a command in a copy of this process, which has read all modules already."""
    said = folder / "stderr"
    child = os.fork()
    if child == 0:
        _become(said, [str(argument) for argument in arguments])
    deadline_s = monotonic() + LIMIT_S
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0) and monotonic() < deadline_s:
        sleep(0.005)
    if ended == (0, 0):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        figures.found("hangs", f"{arguments} did not end within {LIMIT_S:g} s")
        return
    text = said.read_text(errors="replace")
    code = os.waitstatus_to_exitcode(ended[1])
    if "Traceback" in text or code not in CODES:
        figures.found("tracebacks", f"{arguments} ended with {code}: {text[-1500:]}")


def _become(said: Path, arguments: list[str]) -> None:
    code = 70
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        sys.stdout, sys.stderr = open(1, "w"), open(2, "w")  # noqa: SIM115 - till the end
        sys.argv = ["codriver", *arguments]
        try:
            main()
            code = 0
        except SystemExit as ending:
            code = ending.code if isinstance(ending.code, int) else int(bool(ending.code))
        except BaseException:
            sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    finally:
        os._exit(code)
