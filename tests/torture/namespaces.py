"""Ray nodes in network namespaces, one of them cut off: `python -m tests.torture.namespaces`.

As root. All own tasks are played by one process, and by two nodes that reach each other over a
cable: an undisturbed one, one that is cut for five seconds, one whose node is stopped for half a
minute and brings its results late, and one that is cut for good. Digests have to be equal each
time.
"""

import argparse
import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from time import monotonic, sleep

from tests.evaluator.command_line import PROGRAM, environment
from tests.torture.kills import Results, _results

BRIDGE, PORT = "codriver-nodes", 6399
HEAD, NEAR, FAR = 0, 1, 2  # namespaces; the head has no CPUs, and the conductor is there
AS_HEAD = ("--head", f"--port={PORT}", "--include-dashboard=false")
RAY = Path(sys.executable).with_name("ray")
RUN = ("run", "--agent", "reference", "--pace", "virtual", "--broker", "embedded")
# What a node keeps on disk is its own, at one path everywhere.
WITH_OWN_DISK = ("unshare", "-m", "sh", "-c", 'mount --bind "$0" "$RAY_TMPDIR" && exec "$@"')
UP_S, LIMIT_S = 120, 1500
CUT_S, STOP_S = 5, 30


def main() -> int:
    if os.geteuid() or shutil.which("ip") is None:
        print("not played: network namespaces need root and the program ip")  # noqa: T201
        return 0
    parser = argparse.ArgumentParser(description="Ray nodes in network namespaces.")
    parser.add_argument("--num-tasks", type=int, default=-1)
    tasks = (*RUN, "--num-tasks", str(parser.parse_args().num_tasks))
    disturbances: dict[str, Callable[[], None]] = {
        "undisturbed": lambda: None,
        f"cut for {CUT_S} s": _cut_for_a_while,
        f"stopped for {STOP_S} s": _stop_for_a_while,
        "cut for good": lambda: _cable("down"),
    }
    held = True
    with tempfile.TemporaryDirectory(prefix="cd-") as name, ExitStack() as stack:
        folder = Path(name)
        variables = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": token_hex(32),
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_raylet_start_wait_time_s": str(UP_S),  # on a crowded machine
            "RAY_ADDRESS": f"{_address(HEAD)}:{PORT}",
            "RAY_TMPDIR": str(folder / "r"),  # short: sockets of Ray have long names
        }
        (folder / "r").mkdir()
        alone = [*PROGRAM, *tasks, "--workers", "1", "--out", str(folder / "alone")]
        subprocess.run(alone, env=environment(), capture_output=True, check=True)
        expected = asyncio.run(_results(folder / "alone"))
        stack.enter_context(_network())
        stack.enter_context(_node(HEAD, folder, variables, *AS_HEAD))
        for number in (NEAR, FAR):
            join = f"--address={variables['RAY_ADDRESS']}"
            stack.enter_context(_node(number, folder, variables, join))
        for what, disturb in disturbances.items():
            out = folder / what.replace(" ", "-")
            inside = _inside(HEAD, folder)
            began_s = monotonic()
            said = _played([*inside, *PROGRAM, *tasks, "--out", str(out)], variables, disturb)
            found = asyncio.run(_results(out))
            held &= _compare(what, expected, found, said, monotonic() - began_s)
    return 0 if held else 1


def _played(command: list[str], variables: dict[str, str], disturb: Callable[[], None]) -> str:
    """What a run says that is disturbed as soon as its first unit is stored."""
    arguments = [*command, "--on", "ray", "--workers", "2"]
    lines: list[str] = []
    with subprocess.Popen(
        arguments,
        env=environment(**variables),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stderr is not None
        for line in run.stderr:
            lines.append(line)
            if sum(each.startswith("[") for each in lines) == 1 and line.startswith("["):
                disturb()
        run.wait(LIMIT_S)
    return "".join(lines)


def _compare(what: str, expected: Results, found: Results, said: str, took_s: float) -> bool:
    equal = sum(found.get(unit) == result for unit, result in expected.items())
    told = [line.strip() for line in said.splitlines() if line.startswith("WARNING")]
    print(  # noqa: T201
        f"{what}: {len(found)} of {len(expected)} units in {took_s:.0f} s, {equal} digests equal",
        *told,
        sep="\n    ",
        flush=True,
    )
    if not (held := equal == len(expected) == len(found) and "Traceback" not in said):
        print(said[-3000:], flush=True)  # noqa: T201
    return held


def _cut_for_a_while() -> None:
    _cable("down")
    sleep(CUT_S)
    _cable("up")


def _stop_for_a_while() -> None:
    _signal(FAR, signal.SIGSTOP)
    sleep(STOP_S)
    _signal(FAR, signal.SIGCONT)


def _cable(state: str) -> None:
    _ip("link", "set", f"cdv{FAR}", state)


def _signal(node: int, number: int) -> None:
    for process in _ip("netns", "pids", f"cd{node}").split():
        with suppress(ProcessLookupError):
            os.kill(int(process), number)


@contextmanager
def _network() -> Iterator[None]:
    """Three networks that a bridge connects."""
    _ip("link", "add", BRIDGE, "type", "bridge")
    _ip("link", "set", BRIDGE, "up")
    try:
        for node in (HEAD, NEAR, FAR):
            space, here, there = f"cd{node}", f"cdv{node}", f"cdn{node}"
            _ip("netns", "add", space)
            _ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", space)
            _ip("link", "set", here, "master", BRIDGE, "up")
            _ip("-n", space, "addr", "add", f"{_address(node)}/24", "dev", there)
            _ip("-n", space, "link", "set", there, "up")
            _ip("-n", space, "link", "set", "lo", "up")
            _ip("-n", space, "route", "add", "default", "dev", there)  # or Ray knows no address
        yield
    finally:
        for node in (HEAD, NEAR, FAR):
            with suppress(subprocess.CalledProcessError):
                _signal(node, signal.SIGKILL)
                _ip("netns", "del", f"cd{node}")
        _ip("link", "del", BRIDGE)


def _address(node: int) -> str:
    return f"10.77.0.{10 + node}"


def _inside(node: int, folder: Path) -> list[str]:
    """What runs the rest of a command in the network of a node, and on its disk."""
    (folder / str(node)).mkdir(exist_ok=True)
    return ["ip", "netns", "exec", f"cd{node}", *WITH_OWN_DISK, str(folder / str(node))]


@contextmanager
def _node(node: int, folder: Path, variables: dict[str, str], *more: str) -> Iterator[None]:
    """A node of the cluster; what it has started ends with its network."""
    own = [f"--node-ip-address={_address(node)}", f"--num-cpus={int(node != HEAD)}"]
    own += ["--object-store-memory=83886080", "--block"]
    without = {name: value for name, value in variables.items() if name != "RAY_ADDRESS"}
    with (folder / f"{node}.log").open("w+") as log:
        command = [*_inside(node, folder), str(RAY), "start", *more, *own]
        process = subprocess.Popen(command, env=environment(**without), stdout=log, stderr=log)
        until_s = monotonic() + UP_S
        while "Ray runtime started" not in (folder / f"{node}.log").read_text():
            assert process.poll() is None, (folder / f"{node}.log").read_text()
            assert monotonic() < until_s, f"node {node} was not up within {UP_S} s"
            sleep(1)
        try:
            yield
        finally:
            _signal(node, signal.SIGKILL)
            process.wait()


def _ip(*arguments: str) -> str:
    return subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
