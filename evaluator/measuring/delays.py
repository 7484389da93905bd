"""How exactly the gateway measures the latency of an agent that answers after a known time."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assistant_gateway.net.gc_pauses import without_long_pauses
from assistant_gateway.timing.timeline import MS, sleep_until, wall_ns
from evaluator.measuring.rig.players import RemoteDrivers, remote_players
from evaluator.measuring.rig.small_talk import (
    SmallTalk,
    first_words_ns,
    play_small_talk,
    small_talk_id,
)
from evaluator.record.record import Record
from evaluator.run.units import Bench, RunSettings, bench
from vehicle_bus.world.world import World

DELAYS_MS = (500, 1500, 3000)
BURST_TURNS = 2
BURST_MS = 3000
WARM_UP = 1
BEGIN_WITHIN_MS = 500
BURSTS_APART_MS = 200
Errors = Mapping[int, list[int]]


class Planned(NamedTuple):
    """A session of small talk, and when it begins."""

    sid: str
    turns: int
    begin_ms: float


@dataclass(frozen=True, slots=True)
class DelayErrors:
    """By how much the first word was measured too late, in ns, by delay."""

    staggered: Errors
    burst: Errors


async def delay_errors(
    settings: RunSettings,
    world: World,
    *,
    sessions: int,
    turns: int,
    delays_ms: Sequence[int] = DELAYS_MS,
) -> DelayErrors:
    """So many sessions of each delay, all at the same time.

    First they speak evenly spread over one delay: their first turn, while others still begin, is
    answered so as to spread them, and is left out. Then all of one delay begin at once, with as
    many turns as there is time for.
    """
    async with (
        bench(settings, world) as up,
        remote_players(up, SmallTalk(), sessions * len(delays_ms)) as drivers,
    ):
        with without_long_pauses():
            spread = {delay_ms: _spread(delay_ms, sessions, turns) for delay_ms in delays_ms}
            staggered = await _errors_ns(up, drivers, spread)
            at_once = {
                delay_ms: _at_once(delay_ms, sessions, turns, number * BURSTS_APART_MS)
                for number, delay_ms in enumerate(delays_ms)
            }
            burst = await _errors_ns(up, drivers, at_once)
    return DelayErrors(
        {
            delay_ms: [ns for talk in talks for ns in talk[WARM_UP:]]
            for delay_ms, talks in staggered.items()
        },
        {delay_ms: [ns for talk in talks for ns in talk] for delay_ms, talks in burst.items()},
    )


async def _errors_ns(
    up: Bench, drivers: RemoteDrivers, plan: Mapping[int, Sequence[Planned]]
) -> dict[int, list[list[int]]]:
    """The errors of each talk by delay; only the first turn may have had another."""
    now_ns = wall_ns()
    async with asyncio.TaskGroup() as tasks:
        by_delay = {
            delay_ms: [tasks.create_task(_talk(up, talk, drivers, now_ns)) for talk in planned]
            for delay_ms, planned in plan.items()
        }
    return {
        delay_ms: [
            [took_ns - delay_ms * MS for took_ns in first_words_ns(talk.result())] for talk in talks
        ]
        for delay_ms, talks in by_delay.items()
    }


def _spread(delay_ms: int, sessions: int, turns: int) -> list[Planned]:
    """From their second turn on evenly over one delay."""
    begin_ms = [number * BEGIN_WITHIN_MS / sessions for number in range(sessions)]
    return [
        Planned(
            small_talk_id(
                delay_ms,
                WARM_UP + turns,
                f"staggered{number}",
                first_ms=BEGIN_WITHIN_MS - at_ms + number * delay_ms / sessions,
            ),
            WARM_UP + turns,
            at_ms,
        )
        for number, at_ms in enumerate(begin_ms)
    ]


def _at_once(delay_ms: int, sessions: int, turns: int, at_ms: float) -> list[Planned]:
    """All of one delay together, and out of the way of those of others."""
    turns = min(turns, BURST_TURNS, max(1, BURST_MS // delay_ms))
    return [
        Planned(small_talk_id(delay_ms, turns, f"burst{number}"), turns, at_ms)
        for number in range(sessions)
    ]


async def _talk(up: Bench, talk: Planned, drivers: RemoteDrivers, now_ns: int) -> Record:
    await sleep_until(now_ns + round(talk.begin_ms * MS))
    return await play_small_talk(up, talk.sid, talk.turns, drivers)
