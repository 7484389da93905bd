"""Runs the commands of a block as a reader would: one after the other, in an empty folder."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.documented.pages import ROOT, Block, Ending, expected

LONGEST_S = 400.0
PORTS = {"codriver serve": "8080", "9009": "9009", "a2a:": "9009", "mcp": "8091"}
PORT = re.compile(r"\b(?:1883|8080|8090|8091|8099|8765|9009)\b")
SYSTEM = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
LINKED = ("examples", "benchmarks")
# How exact the bench is on a machine that plays several blocks at a time is not the question.
OURS = {"CODRIVER_ALLOW_SLOW_BENCH": "1", "PYTHONUNBUFFERED": "1"}


class NotAsDocumented(Exception):
    """A command did something else than its page says."""


@dataclass(frozen=True, slots=True)
class Place:
    """A fresh machine: a venv with codriver in it, an empty one, and a home of its own."""

    venv: Path
    empty_venv: Path
    home: Path
    checkout: Path
    public: str | None
    seats: threading.Semaphore
    locks: dict[str, threading.Lock] = field(default_factory=dict)

    @contextmanager
    def taken(self, block: Block) -> Iterator[None]:
        """The ports of a block, and then a seat: none is taken by who waits for a port."""
        with ExitStack() as stack:
            for port in sorted(_ports(block)):
                stack.enter_context(self.locks.setdefault(port, threading.Lock()))
            stack.enter_context(self.seats)
            yield

    def environment(self, venv: Path) -> dict[str, str]:
        """Nothing of ours but the world that another block has built already."""
        kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
        pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        path = f"{venv / 'bin'}:{SYSTEM}"
        return {**kept, **pip, "PATH": path, "HOME": str(self.home), "COLUMNS": "100", **OURS}


def run_block(block: Block, place: Place) -> int:
    """Run what can be run here; returns how many commands that were."""
    commands = [each for each in block.commands if place.public or not needs_public_tasks(each)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="documented-")))
        venv = place.venv
        known = expected().commands
        if any(known[each].empty_venv for each in commands if each in known):
            venv = folder / "venv"
            shutil.copytree(place.empty_venv, venv, symlinks=True)
            _rename(venv, place.empty_venv)
        here = _folder(block, place, folder)
        session = _Session(block, here, place.environment(venv), place)
        stack.enter_context(session.terminals())
        for command in commands:
            if command.startswith("export "):
                session.exports.append(command)
            else:
                session.run(command, expected().commands[command])
    return len(commands)


def needs_public_tasks(command: str) -> bool:
    """Whether the command is about files of the public benchmark, which is not ours."""
    ending = expected().commands.get(command)
    return ending is not None and ending.needs == "public tasks"


def _rename(venv: Path, old: Path) -> None:
    for script in (venv / "bin").iterdir():
        if script.is_file() and not script.is_symlink():
            script.write_text(script.read_text().replace(str(old), str(venv)))


def _ports(block: Block) -> set[str]:
    named = set(PORT.findall(block.text))
    return named | {port for words, port in PORTS.items() if words in block.text}


def _folder(block: Block, place: Place, folder: Path) -> Path:
    inside = expected().folders.get(block.page)
    if inside is not None:
        shutil.copytree(place.checkout, folder / "checkout", symlinks=True)
        return folder / "checkout" / inside
    here = folder / "here"
    here.mkdir()
    for name in LINKED:
        (here / name).symlink_to(place.checkout / name)
    return here


@dataclass(slots=True)
class _Session:
    """The terminals in which the commands of a block are typed."""

    block: Block
    folder: Path
    variables: dict[str, str]
    place: Place
    exports: list[str] = field(default_factory=list)
    beside: "dict[str, tuple[_Running, Ending]]" = field(default_factory=dict)

    def run(self, command: str, ending: Ending) -> None:
        """Type a command; one that runs beside ends when the same program is started again."""
        program = " ".join(command.split()[:2])
        self.end(program)
        for each in ending.before:
            self._ended(self._start(self._filled_in(each, ending)), Ending(shows=""))
        running = self._start(self._literal(command, ending), ending.input)
        if ending.beside:
            self.beside[program] = running, ending
        if ending.beside or ending.stop:
            running.until(ending.shows)
        if not ending.beside:
            self._ended(running, ending)

    def end(self, program: str) -> None:
        """End what runs beside under this name, if it does."""
        if program in self.beside:
            self._ended(*self.beside.pop(program))

    @staticmethod
    def _ended(running: "_Running", ending: Ending) -> None:
        try:
            running.end(ending)
        finally:
            running.kill()

    @contextmanager
    def terminals(self) -> Iterator[None]:
        """Nothing that was typed is left running."""
        try:
            yield
            for program in reversed(tuple(self.beside)):
                self.end(program)
        finally:
            for running, _ in self.beside.values():
                running.kill()

    def _literal(self, command: str, ending: Ending) -> str:
        """The command with what stands for its placeholders; a program is run from a file."""
        if self.block.label == "python":
            file = self.folder / ("test_page.py" if "def test_" in self.block.text else "page.py")
            file.write_text(self.block.text)
            return f"{'pytest -q' if file.name.startswith('test_') else 'python'} {file.name}"
        return self._filled_in(command, ending).removesuffix("&")

    def _filled_in(self, command: str, ending: Ending) -> str:
        words = {**expected().words, **ending.words}
        words = {
            word: value.format(checkout=self.place.checkout, public=self.place.public)
            for word, value in words.items()
        }
        pattern = r"\b(?:" + "|".join(words) + r")\b"
        return re.sub(pattern, lambda found: words[found[0]], command)

    def _start(self, command: str, text: str = "") -> "_Running":
        script = "\n".join([*self.exports, command])
        return _Running(self.block.name, command, script, self.folder, self.variables, text)


class _Running:
    """A command in a process group of its own, with everything it prints."""

    def __init__(
        self, where: str, command: str, script: str, folder: Path, variables: dict[str, str],
        text: str,
    ) -> None:  # fmt: skip
        self._name = f"{where}: {command.splitlines()[0]}"
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed in kill
        self._since = time.monotonic()
        self._process = subprocess.Popen(
            ["bash", "-c", script],
            cwd=folder,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode())
        self._process.stdin.close()

    def text(self) -> str:
        """What it has printed so far."""
        size = self._output.seek(0, os.SEEK_END)
        return os.pread(self._output.fileno(), size, 0).decode(errors="replace")

    def until(self, shown: str) -> None:
        while shown not in self.text():
            code = self._process.poll()
            if code is not None and shown not in self.text():
                self._fail(f"ended with {code} and never printed {shown!r}")
            self._check_time(f"to print {shown!r}")
            time.sleep(0.05)

    def wait(self) -> int:
        while (code := self._process.poll()) is None:
            self._check_time("to end")
            time.sleep(0.05)
        return code

    def end(self, ending: Ending) -> None:
        """Interrupt it, if it does not end by itself, and compare."""
        if ending.stop and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGINT)
        code = self.wait()
        if code != ending.exit:
            self._fail(f"exit code {code}, expected {ending.exit}")
        if ending.shows not in self.text():
            self._fail(f"never printed {ending.shows!r}")
        if "Traceback (most recent call last)" in self.text():
            self._fail("a traceback")

    def kill(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._output.close()

    def _check_time(self, what: str) -> None:
        if time.monotonic() - self._since > LONGEST_S:
            self._fail(f"took more than {LONGEST_S:g} s {what}")

    def _fail(self, why: str) -> None:
        raise NotAsDocumented(f"{self._name}: {why}; it printed\n{self.text()[-3000:]}")


def copied_tree(folder: Path) -> Path:
    """The files of this checkout that are, or would be, in git."""
    listed = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    return folder
