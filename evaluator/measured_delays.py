"""How exactly the gateway tells how long an agent took: one that answers after a known time."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant_gateway.pauses import without_long_pauses
from assistant_gateway.timeline import MS, sleep_until, wall_ns
from evaluator.crowd import Elsewhere, crowd
from evaluator.record import Record
from evaluator.run import Bench, RunSettings, bench
from evaluator.talk import SmallTalk, first_words_ns, talk_id, talked
from vehicle_bus.world import World

DELAYS_MS = (500, 1500, 3000)
SESSIONS = 50
TURNS = 10
BURST_TURNS = 2
WARM_UP = 1
BURSTS_APART_MS = 200


Errors = Mapping[int, list[int]]


@dataclass(frozen=True, slots=True)
class DelayErrors:
    """By how much the first word was measured too late, in ns, by delay."""

    staggered: Errors
    burst: Errors


async def delay_errors(
    settings: RunSettings,
    world: World,
    *,
    delays_ms: Sequence[int] = DELAYS_MS,
    sessions: int = SESSIONS,
    turns: int = TURNS,
) -> DelayErrors:
    """So many sessions of each delay, all at the same time.

    First they begin evenly spread over one delay, and their first turn, while others still begin,
    is left out; then all of one delay begin at once.
    """
    async with (
        bench(settings, world) as up,
        crowd(up, SmallTalk(), sessions * len(delays_ms)) as seats,
    ):
        with without_long_pauses():
            plan = {delay_ms: _begin(delays_ms, delay_ms, sessions) for delay_ms in delays_ms}
            staggered = await _errors_ns(up, seats, plan, "staggered", WARM_UP + turns)
            plan = {delay_ms: _at_once(delays_ms, delay_ms, sessions) for delay_ms in delays_ms}
            burst = await _errors_ns(up, seats, plan, "burst", min(turns, BURST_TURNS))
    return DelayErrors(
        {
            delay_ms: [ns for talk in talks for ns in talk[WARM_UP:]]
            for delay_ms, talks in staggered.items()
        },
        {delay_ms: [ns for talk in talks for ns in talk] for delay_ms, talks in burst.items()},
    )


async def _errors_ns(
    up: Bench, seats: Elsewhere, plan: Mapping[int, Sequence[int]], name: str, turns: int
) -> dict[int, list[list[int]]]:
    """The errors of each talk by delay; `plan` says how long after now each begins."""
    now_ns = wall_ns()
    async with asyncio.TaskGroup() as tasks:
        talks = {
            delay_ms: [
                tasks.create_task(
                    _talk(
                        up, talk_id(delay_ms, turns, f"{name}{number}"), turns, seats, now_ns + ns
                    )
                )
                for number, ns in enumerate(begin_ns)
            ]
            for delay_ms, begin_ns in plan.items()
        }
    return {
        delay_ms: [
            [took_ns - delay_ms * MS for took_ns in first_words_ns(talk.result())] for talk in told
        ]
        for delay_ms, told in talks.items()
    }


def _begin(delays_ms: Sequence[int], delay_ms: int, sessions: int) -> list[int]:
    """Evenly over one delay, and so that the last of every delay begin together."""
    first_ns = (max(delays_ms) - delay_ms) * MS
    return [first_ns + number * delay_ms * MS // sessions for number in range(sessions)]


def _at_once(delays_ms: Sequence[int], delay_ms: int, sessions: int) -> list[int]:
    """All of one delay together, and out of the way of those of others."""
    return [delays_ms.index(delay_ms) * BURSTS_APART_MS * MS] * sessions


async def _talk(up: Bench, sid: str, turns: int, seats: Elsewhere, begin_ns: int) -> Record:
    await sleep_until(begin_ns)
    return await talked(up, sid, turns, seats)
