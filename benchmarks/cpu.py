"""Where the CPU time of an episode goes: own time of every function, added up by part of codriver.

What a library or the interpreter does counts for the part of ours that called it.
Run it with `python benchmarks/cpu.py [EPISODES]`.
"""

import asyncio
import cProfile
import pstats
import sys
import time
from collections import defaultdict
from typing import Any

from evaluator.measuring.episodes import play
from evaluator.options import RunOptions
from evaluator.run.settings import run_settings
from evaluator.task.selection import Selection, load

CONCURRENCY = 8
DEEPEST = 12
# The first part with a place in the path of a source file; libraries are in none.
PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("bus", ("vehicle_bus/broker/", "vehicle_bus/client/", "vehicle_bus/mqtt/", "/mqtt5/")),
    ("car and world", ("vehicle_bus/",)),
    ("agents and drivers", ("user_sim/", "assistant_gateway/agents/", "assistant_gateway/peer")),
    ("gateway", ("assistant_gateway/",)),
    ("sockets", ("/websockets/",)),
    ("store", ("evaluator/results/store", "evaluator/record/", "/aiosqlite/")),
    ("evaluator", ("evaluator/",)),
    ("event loop", ("/asyncio/", "/selectors.py")),
)
WAITING = "<method 'poll' of 'select.epoll' objects>"
Function = tuple[str, int, str]


async def measure(episodes: int) -> dict[str, float]:
    """Milliseconds by part; shares come from a profile, the total from a pass without one."""
    settings = run_settings(RunOptions(broker="embedded", pace="virtual"), "bench")
    tasks, _, world = load(Selection(), None)
    before_s = time.process_time()
    played = await play(settings, world, tasks, CONCURRENCY, episodes)
    total_ms = (time.process_time() - before_s) * 1000 / played.episodes
    with cProfile.Profile() as profile:
        await play(settings, world, tasks, CONCURRENCY, episodes)
    return {part: share * total_ms for part, share in shares(profile).items()} | {"total": total_ms}


def shares(profile: cProfile.Profile) -> dict[str, float]:
    """The part of all own time that each part of codriver took."""
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]  # typeshed leaves it out
    spent: dict[str, float] = defaultdict(float)
    for function, (_, _, own_s, _, _) in stats.items():
        if function[2] != WAITING:
            for part, share in owners(function, stats, DEEPEST).items():
                spent[part] += own_s * share
    total_s = sum(spent.values())
    return {part: seconds / total_s for part, seconds in sorted(spent.items())}


def owners(function: Function, stats: dict[Function, Any], deeper: int) -> dict[str, float]:
    """Whose time the own time of a function is, by share."""
    for part, places in PARTS:
        if any(place in function[0] for place in places):
            return {part: 1.0}
    callers = stats[function][4] if function in stats else {}
    weights = {caller: own[2] or 1e-9 for caller, own in callers.items() if caller != function}
    if not weights or not deeper:
        return {"other": 1.0}
    found: dict[str, float] = defaultdict(float)
    whole = sum(weights.values())
    for caller, weight in weights.items():
        for owner, share in owners(caller, stats, deeper - 1).items():
            found[owner] += share * weight / whole
    return found


if __name__ == "__main__":
    for name, ms in asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 100)).items():
        print(f"{name:<20}{ms:6.2f} ms of CPU per episode")
