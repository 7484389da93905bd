"""Kills, cuts, floods and fuzzes codriver: `python -m tests.torture --minutes 1`.

Prints what was done and found; exits with 1 if anything was lost, wrong, hanging or a traceback.
"""

import argparse
import asyncio
import logging
import sys
from random import Random, SystemRandom

from tests.torture import files, kills, sockets
from tests.torture.figures import Figures

SHARES = {"files": 0.2, "sockets": 0.4, "kills": 0.4}


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill, cut, flood and fuzz codriver.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(1_000_000))
    given = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    figures, random = Figures(), Random(given.seed)
    print(f"seed {given.seed}, {given.minutes:g} minutes", flush=True)  # noqa: T201 - a program
    for part, share in SHARES.items():
        for_s = given.minutes * 60 * share  # without what a part prepares
        if part == "files":  # first: its forks want a process without threads
            files.torture(figures, for_s, random)
        elif part == "sockets":
            asyncio.run(sockets.torture(figures, for_s, random))
        else:
            kills.torture(figures, for_s, random)
        print(f"after {part}: {figures.lines()[-1]}", flush=True)  # noqa: T201 - a program
    print("\n".join(figures.lines()))  # noqa: T201 - a program
    return 0 if figures.held else 1


if __name__ == "__main__":
    sys.exit(main())
