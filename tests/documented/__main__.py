"""Runs what README and documents say, as a reader would: `scripts/documented [PAGE…]`.

A fresh venv with the built wheel, a home without a cache, and an empty folder for each block.
Prints a line per block, and how many commands were run.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.documented.pages import COMMANDS, Block, blocks, expected
from tests.documented.running import (
    NotAsDocumented,
    Place,
    copied_tree,
    needs_public_tasks,
    run_block,
)

AT_A_TIME = 4  # they wait more than they compute, also on two cores
WAITS_LONGEST = ("README.md", "examples/integration/README.md", "docs/testing.md")


def fresh_machine(folder: Path, wheel: str) -> Place:
    """Venvs, home and checkout below a folder; the world is built as a first user does it."""
    venvs = folder / "venv", folder / "empty"
    for venv in venvs:
        _run(sys.executable, "-m", "venv", str(venv))
    place = Place(
        *venvs,
        home=folder / "home",
        checkout=copied_tree(folder / "checkout"),
        public=os.environ.get("CODRIVER_CAR_BENCH"),
        seats=threading.Semaphore(AT_A_TIME),
    )
    place.home.mkdir()
    _run(str(venvs[0] / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", wheel)
    variables = place.environment(place.venv)
    subprocess.run(["codriver", "world", "build"], env=variables, check=True, capture_output=True)
    return place


def different(blocks: Iterable[Block]) -> list[Block]:
    """One of those that have the same commands, whatever page they are on."""
    folders = expected().folders
    found = {(block.commands, folders.get(block.page)): block for block in blocks}
    return list(found.values())


def main(pages: Sequence[str]) -> int:
    """Returns how many blocks failed."""
    wheel, *pages = pages
    chosen = [
        block
        for block in blocks()
        if block.label in COMMANDS and (not pages or block.name.startswith(tuple(pages)))
    ]
    run = sorted(
        different(block for block in chosen if not block.not_run),
        key=lambda block: block.page not in WAITS_LONGEST,
    )
    with tempfile.TemporaryDirectory(prefix="documented-") as folder:
        place = fresh_machine(Path(folder), wheel)
        with ThreadPoolExecutor(len(run) or 1) as workers:
            done = list(workers.map(lambda block: _tried(block, place), run))
    left = sum(needs_public_tasks(each) for block in run for each in block.commands)
    if left and place.public is None:
        print(f"{left} commands not run: they need the public tasks (CODRIVER_CAR_BENCH)")
    kept = Counter(block.not_run for block in chosen if block.not_run)
    print(f"{sum(number or 0 for number in done)} commands of {len(run)} blocks run as documented")
    for why, number in kept.items():
        print(f"{number} blocks not run: {why}")
    return done.count(None)


def _tried(block: Block, place: Place) -> int | None:
    """How many commands of a block ran; None if one did not as documented."""
    with place.taken(block):
        begun = time.monotonic()
        try:
            number = run_block(block, place)
        except NotAsDocumented as error:
            print(f"FAILED {error}", flush=True)
            return None
        took_s = time.monotonic() - begun
    print(f"ok     {block.name}: {number} commands, {took_s:.0f} s", flush=True)
    return number


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    # Where this runs in the background of a script, Ctrl-C would be ignored by all it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(bool(main(sys.argv[1:])))
