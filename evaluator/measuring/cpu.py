"""Where the time of an episode goes: own time of every function, added up by part of the bench.

What a library or the interpreter does counts for the part of ours that called it.
"""

import asyncio
import cProfile
import pstats
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePath

from evaluator.measuring.episodes import EPISODES, play
from evaluator.run.units import RunSettings
from evaluator.task.task import Task
from vehicle_bus.world.world import World

CONCURRENCY = 8
DEEPEST = 12
PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "bus",
        (
            *("vehicle_bus/broker/", "vehicle_bus/client/", "vehicle_bus/mqtt/"),
            *("vehicle_bus/bus", "/mqtt5/"),
        ),
    ),
    ("car_and_world", ("vehicle_bus/",)),
    ("agents_and_drivers", ("user_sim/", "assistant_gateway/agents/", "assistant_gateway/peer")),
    ("gateway", ("assistant_gateway/",)),
    ("sockets", ("/websockets/",)),
    (
        "store",
        (
            "evaluator/results/store",
            "evaluator/record/stored_form",
            "evaluator/record/digest",
            "/aiosqlite/",
        ),
    ),
    ("evaluator", ("evaluator/",)),
    ("event_loop", ("/asyncio/", "/selectors.py")),
)
Function = tuple[str, int, str]
Counted = tuple[int, int, float, float]  # calls, own calls, own seconds, seconds with those called
Stats = dict[Function, tuple[int, int, float, float, dict[Function, Counted]]]


async def cpu_ms_per_episode(
    settings: RunSettings, world: World, tasks: Sequence[Task], episodes: int = EPISODES
) -> dict[str, float]:
    """Milliseconds of CPU by part; shares come from a profile, the total from a pass without."""
    before_s = time.process_time()
    played = await play(settings, world, tasks, CONCURRENCY, episodes)
    total_ms = (time.process_time() - before_s) * 1000 / played.episodes
    profile = cProfile.Profile()
    profile.enable()
    try:
        await play(settings, world, tasks, CONCURRENCY, episodes)
    finally:
        profile.disable()
    shares = await asyncio.to_thread(_shares, profile)
    return {part: round(share * total_ms, 2) for part, share in shares.items()} | {
        "total": round(total_ms, 2)
    }


def _shares(profile: cProfile.Profile) -> dict[str, float]:
    """The part of all own time that each part of the bench took."""
    stats: Stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]  # not in its stubs
    spent: dict[str, float] = defaultdict(float)
    for function, (_, _, own_s, _, _) in stats.items():
        if function[2] == "<method 'poll' of 'select.epoll' objects>":
            continue  # waiting
        for part, share in _owners(function, stats, DEEPEST).items():
            spent[part] += own_s * share
    total_s = sum(spent.values())
    named = (*(part for part, _ in PARTS), "other")
    return {part: spent.get(part, 0.0) / total_s for part in named}


def _owners(function: Function, stats: Stats, deeper: int) -> dict[str, float]:
    """Whose time the own time of a function is, by share."""
    part = part_of(function[0])
    if part is not None:
        return {part: 1.0}
    callers = stats[function][4] if function in stats else {}
    weights = {caller: told[2] or 1e-9 for caller, told in callers.items() if caller != function}
    if not weights or not deeper:
        return {"other": 1.0}
    owners: dict[str, float] = defaultdict(float)
    whole = sum(weights.values())
    for caller, weight in weights.items():
        for owner, share in _owners(caller, stats, deeper - 1).items():
            owners[owner] += share * weight / whole
    return owners


def part_of(file: str) -> str | None:
    """Which part of the bench a source file belongs to; None for libraries."""
    path = PurePath(file).as_posix()
    for part, places in PARTS:
        if any(place in path for place in places):
            return part
    return None
