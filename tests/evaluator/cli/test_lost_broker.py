"""A broker that is gone for good ends a run, with a line and files that say so."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import free_port, need_mosquitto
from tests.evaluator.command_line import INFRA, INTERRUPTED, Here, started
from vehicle_bus.broker.mosquitto import find_mosquitto

LONG = ("run", "--pace", "virtual", "--num-tasks", 12, "--num-trials", 4, "--out", "r")
FILES = ("--junit", "run.xml", "--summary", "run.md")


@contextmanager
def mosquitto(port: int) -> Iterator["subprocess.Popen[bytes]"]:
    """A broker of somebody else, which may be killed."""
    need_mosquitto()
    program = str(find_mosquitto())
    with subprocess.Popen([program, "-p", str(port)], stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        while b"running" not in process.stderr.readline():
            assert process.poll() is None
        try:
            yield process
        finally:
            process.kill()


def errors(folder: Path) -> list[str]:
    return [e.get("message", "") for e in ElementTree.parse(folder / "run.xml").iter("error")]


def test_a_run_is_ended_by_two_signals_while_its_broker_is_sought(tmp_path: Path) -> None:
    port = free_port()
    where = ("--broker", f"mqtt://127.0.0.1:{port}")
    with mosquitto(port) as broker, started(*LONG, *where, *FILES, folder=tmp_path) as run:
        run.until("[3/")
        broker.kill()
        assert "for 60 s" in run.until("WARNING")
        run.process.send_signal(signal.SIGTERM)
        run.process.send_signal(signal.SIGINT)
        done = run.finish()
    assert (done.code, done.stdout) == (INTERRUPTED, "")
    advice = "interrupted; go on with codriver run --out r --resume"
    assert advice in done.stderr.splitlines()
    assert errors(tmp_path) == [advice]


def test_a_run_whose_own_broker_dies_ends_with_what_to_do(tmp_path: Path) -> None:
    need_mosquitto()
    with started(*LONG, "--broker", "mosquitto", *FILES, folder=tmp_path) as run:
        run.until("[3/")
        [shell] = children(run.process.pid)
        subprocess.run(["kill", "-9", *map(str, children(shell, "mosquitto"))], check=True)
        done = run.finish()
    *_, line = done.stderr.splitlines()
    assert (done.code, done.stdout) == (INFRA, "")
    assert line.startswith("codriver: mosquitto ended with code 137; ")
    assert line.endswith(" units; go on with codriver run --out r --resume")
    assert errors(tmp_path) == [line.removeprefix("codriver: ")]
    assert "**bench broken**: mosquitto ended" in (tmp_path / "run.md").read_text(encoding="utf-8")


def children(pid: int, name: str = "") -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    named = {int(child): Path(f"/proc/{child}/comm").read_text().strip() for child in listed}
    return [child for child, comm in named.items() if name in comm]


@pytest.mark.parametrize("label", ["", "nightly"])
def test_a_run_that_cannot_start_writes_its_files(label: str, tmp_path: Path, here: Here) -> None:
    done = here("run", "--broker", "mqtt://127.0.0.1:1", "--label", label, *FILES)
    assert done.code == INFRA
    assert [f"codriver: {error}" for error in errors(tmp_path)] == done.stderr.splitlines()[-1:]
    assert "**bench broken**" in (tmp_path / "run.md").read_text(encoding="utf-8")
