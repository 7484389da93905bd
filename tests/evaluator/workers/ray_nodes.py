"""A Ray cluster on this machine: a program that starts it and does to its nodes what it is told.

`python -m tests.evaluator.workers.ray_nodes NODES` prints a line `GCS_ADDRESS CLIENT_ADDRESS` when
it is up. Then it reads lines: `kill N`, `stop N`, `go N`, `add`, and answers each with the line.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from typing import Any

from tests.conftest import free_port
from tests.evaluator.command_line import ROOT, environment

SMALL = {"object_store_memory": 80 << 20, "include_dashboard": False}


def main() -> None:
    cluster = import_module("ray.cluster_utils").Cluster(
        initialize_head=True,
        head_node_args={**SMALL, "num_cpus": 0, "ray_client_server_port": (client := free_port())},
    )
    nodes = [cluster.add_node(num_cpus=1, **SMALL) for _ in range(int(sys.argv[1]))]
    say(f"{cluster.address} ray://127.0.0.1:{client}")
    for line in sys.stdin:
        match line.split():
            case ["kill", number]:
                for process in processes(nodes[int(number)]):
                    os.kill(process, signal.SIGKILL)
            case ["stop" | "go" as what, number]:
                for process in processes(nodes[int(number)]):
                    os.kill(process, signal.SIGSTOP if what == "stop" else signal.SIGCONT)
            case ["add"]:
                nodes.append(cluster.add_node(num_cpus=1, **SMALL))
        say(line.strip())
    cluster.shutdown()


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def processes(node: Any) -> list[int]:
    """The raylet of a node and all it has started."""
    found = [info.process.pid for infos in node.all_processes.values() for info in infos]
    children: dict[int, list[int]] = {}
    shown = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    for pid, parent in (map(int, line.split()) for line in shown.stdout.splitlines()):
        children.setdefault(parent, []).append(pid)
    for pid in found:
        found += [child for child in children.get(pid, ()) if child not in found]
    return found


Tell = Callable[[str], None]


@contextmanager
def ray_nodes(
    number: int, folder: Path, mode: str = "token"
) -> Iterator[tuple[dict[str, str], str, Tell]]:
    """Variables for who uses the cluster, its client address, and what tells it something."""
    variables = {
        "RAY_AUTH_MODE": mode,
        "RAY_AUTH_TOKEN": token_hex(32),
        "RAY_TMPDIR": str(folder),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_raylet_start_wait_time_s": "120",  # on a crowded machine
        "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "180",
        "HOME": str(folder),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "tests.evaluator.workers.ray_nodes", str(number)],
        cwd=ROOT,
        env=environment(**variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    ) as cluster:
        assert cluster.stdin is not None
        assert cluster.stdout is not None
        stdin, stdout = cluster.stdin, cluster.stdout

        def until(line: Callable[[str], bool]) -> str:
            for found in stdout:
                if line(found.strip()):
                    return found.strip()
            raise AssertionError("the cluster ended")

        def tell(line: str) -> None:
            stdin.write(f"{line}\n")
            stdin.flush()
            until(lambda found: found == line)

        try:
            gcs, client = until(lambda found: " ray://" in found).split()
            yield {**variables, "RAY_ADDRESS": gcs}, client, tell
        finally:
            stdin.close()
            try:
                cluster.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(cluster.pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
