"""How exactly the gateway tells how long an agent took: one that answers after a known time."""

import asyncio
from collections.abc import Mapping, Sequence

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


async def delay_errors_ns(
    settings: RunSettings,
    world: World,
    *,
    delays_ms: Sequence[int] = DELAYS_MS,
    burst: bool = False,
    sessions: int = SESSIONS,
    turns: int | None = None,
) -> Mapping[int, list[int]]:
    """By how much the first word was measured too late, by delay, after the first turn of each.

    So many sessions of each delay play at the same time. They begin evenly spread over one delay;
    in a `burst`, all of a delay at once.
    """
    begin, warm_up = (_begin_at_once, 0) if burst else (_begin, WARM_UP)
    turns = warm_up + (turns or (BURST_TURNS if burst else TURNS))
    async with (
        bench(settings, world) as up,
        crowd(up, SmallTalk(turns), sessions * len(delays_ms)) as seats,
    ):
        began_ns = wall_ns()
        with without_long_pauses():
            async with asyncio.TaskGroup() as tasks:
                talks = {
                    delay_ms: [
                        tasks.create_task(
                            _talk(up, talk_id(delay_ms, number), turns, seats, begin_ns),
                            name=f"session {delay_ms}-{number}",
                        )
                        for number, begin_ns in enumerate(
                            begin(began_ns, delays_ms, delay_ms, sessions)
                        )
                    ]
                    for delay_ms in delays_ms
                }
    return {
        delay_ms: [
            took_ns - delay_ms * MS
            for talk in told
            for took_ns in first_words_ns(talk.result())[warm_up:]
        ]
        for delay_ms, told in talks.items()
    }


def _begin(began_ns: int, delays_ms: Sequence[int], delay_ms: int, sessions: int) -> list[int]:
    """Evenly over one delay, and so that the last of every delay begin together."""
    first_ns = began_ns + (max(delays_ms) - delay_ms) * MS
    return [first_ns + number * delay_ms * MS // sessions for number in range(sessions)]


def _begin_at_once(
    began_ns: int, delays_ms: Sequence[int], delay_ms: int, sessions: int
) -> list[int]:
    """All of one delay together, and out of the way of those of others."""
    order = delays_ms.index(delay_ms)
    return [began_ns + order * BURSTS_APART_MS * MS] * sessions


async def _talk(up: Bench, sid: str, turns: int, seats: Elsewhere, begin_ns: int) -> Record:
    await sleep_until(begin_ns)
    return await talked(up, sid, turns, seats)
