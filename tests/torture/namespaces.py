"""Nodes in network namespaces, whose cable is cut: `python -m tests.torture.namespaces` as root.

All own tasks are played by one process, by two nodes with their own network, and once more with a
cable that is cut for five seconds, and for good. Digests have to be equal each time.
"""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from secrets import token_hex
from time import sleep

from evaluator.results.store import holds_run
from tests.evaluator.command_line import PROGRAM, environment
from tests.torture.kills import Results, _results

BRIDGE, HEAD, PORT = "cdbr0", "10.77.0.1", 6399
RUN = ("run", "--agent", "reference", "--pace", "virtual", "--broker", "embedded")
CUTS = {"none": None, "5 s": 5.0, "for good": 0.0}
LIMIT_S = 1500


def main() -> int:
    if os.geteuid() or shutil.which("ip") is None:
        print("not played: network namespaces need root and the program ip")  # noqa: T201
        return 0
    parser = argparse.ArgumentParser(description="Nodes in network namespaces.")
    parser.add_argument("--num-tasks", type=int, default=-1)
    given = parser.parse_args()
    tasks = (*RUN, "--num-tasks", str(given.num_tasks))
    held = True
    with tempfile.TemporaryDirectory(prefix="ray-") as name, ExitStack() as stack:
        folder = Path(name)
        variables = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": token_hex(32),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_raylet_start_wait_time_s": "120",  # on a crowded machine
            "RAY_ADDRESS": f"{HEAD}:{PORT}",
            "RAY_TMPDIR": name,
            "HOME": name,
        }
        _codriver(tasks, "--workers", "1", "--out", str(folder / "alone"))
        expected = asyncio.run(_results(folder / "alone"))
        for number in (1, 2):
            stack.enter_context(_namespace(number))
        stack.enter_context(
            _ray("--head", HEAD, "--num-cpus=0", f"--port={PORT}", variables=variables)
        )
        sleep(15)
        join = f"--address={HEAD}:{PORT}"
        for number in (1, 2):
            inside = ("ip", "netns", "exec", f"cd{number}")
            address = f"10.77.0.{10 + number}"
            node = _ray(join, address, "--num-cpus=1", variables=variables, inside=inside)
            stack.enter_context(node)
        sleep(20)
        for cut, lasts_s in CUTS.items():
            out = folder / cut.replace(" ", "-")
            said = _played(tasks, out, lasts_s, variables)
            while not holds_run(out):  # the cluster is not up yet
                print(said, flush=True)  # noqa: T201
                sleep(10)
                said = _played(tasks, out, lasts_s, variables)
            found = asyncio.run(_results(out))
            held &= _compare(cut, expected, found, said)
    return 0 if held else 1


def _played(tasks: tuple[str, ...], out: Path, lasts_s: float | None, given: dict[str, str]) -> str:
    arguments = (*PROGRAM, *tasks, "--on", "ray", "--workers", "2", "--out", str(out))
    with subprocess.Popen(
        arguments,
        env=environment(**given),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stderr is not None
        lines = []
        for line in run.stderr:
            lines.append(line)
            if lasts_s is not None and line.startswith("[") and len(lines) > 1:
                _cable("down")
                if lasts_s:
                    sleep(lasts_s)
                    _cable("up")
                lasts_s = None
        run.wait(LIMIT_S)
    return "".join(lines)


def _compare(cut: str, expected: Results, found: Results, said: str) -> bool:
    equal = sum(found.get(unit) == result for unit, result in expected.items())
    told = [line.strip() for line in said.splitlines() if "lost" in line or "late" in line]
    print(  # noqa: T201
        f"cut {cut}: {len(found)} of {len(expected)} units, {equal} digests equal; {told}",
        flush=True,
    )
    return equal == len(expected) == len(found) and "Traceback" not in said


def _codriver(tasks: tuple[str, ...], *more: str) -> None:
    subprocess.run(
        [*PROGRAM, *tasks, *more], env=environment(), stdout=subprocess.DEVNULL, check=True
    )


def _cable(state: str) -> None:
    _ip("link", "set", "cdv2", state)


@contextmanager
def _namespace(number: int) -> Iterator[None]:
    """A network of its own behind a bridge, which the first one brings."""
    name, here, there = f"cd{number}", f"cdv{number}", f"cdn{number}"
    if number == 1:
        _ip("link", "add", BRIDGE, "type", "bridge")
        _ip("addr", "add", f"{HEAD}/24", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")
    _ip("netns", "add", name)
    _ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
    _ip("link", "set", here, "master", BRIDGE, "up")
    inside = ("netns", "exec", name, "ip")
    _ip(*inside, "addr", "add", f"10.77.0.{10 + number}/24", "dev", there)
    _ip(*inside, "link", "set", there, "up")
    _ip(*inside, "link", "set", "lo", "up")
    try:
        yield
    finally:
        _ip("netns", "del", name)
        if number == 1:
            _ip("link", "del", BRIDGE)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


@contextmanager
def _ray(
    what: str, address: str, *more: str, variables: dict[str, str], inside: tuple[str, ...] = ()
) -> Iterator[None]:
    ray = Path(sys.executable).with_name("ray")
    own = (what, f"--node-ip-address={address}", "--block", "--object-store-memory=83886080")
    without = {name: value for name, value in variables.items() if name != "RAY_ADDRESS"}
    with subprocess.Popen(
        [*inside, ray, "start", *own, "--include-dashboard=false", *more],
        env=environment(**without),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    ) as node:
        try:
            yield
        finally:
            node.terminate()
            try:
                node.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(node.pid, 9)


if __name__ == "__main__":
    sys.exit(main())
