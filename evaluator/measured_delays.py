"""How exactly the gateway tells how long an agent took: one that answers after a known time."""

import asyncio
from collections.abc import Mapping, Sequence

from assistant_gateway.pauses import without_long_pauses
from assistant_gateway.timeline import MS, sleep_until, wall_ns
from evaluator.crowd import Elsewhere, crowd
from evaluator.record import Record
from evaluator.run import Bench, RunSettings, bench
from evaluator.talk import SmallTalk, talk_id, talked
from vehicle_bus.world import World

DELAYS_MS = (500, 1500, 3000)
SESSIONS = 50
TURNS = 10
BURST_TURNS = 2
WARM_UP = 1
BURSTS_APART_MS = 200
SPAN = "ttft_text"


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
    turns = WARM_UP + (turns or (BURST_TURNS if burst else TURNS))
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
                            _begin(began_ns, delay_ms, order, sessions, burst=burst)
                        )
                    ]
                    for order, delay_ms in enumerate(delays_ms)
                }
    return {
        delay_ms: [
            took_ns - delay_ms * MS for talk in told for took_ns in _spans(talk.result())[WARM_UP:]
        ]
        for delay_ms, told in talks.items()
    }


def _begin(
    began_ns: int, delay_ms: int, order: int, sessions: int, *, burst: bool
) -> Sequence[int]:
    """When each session of a delay begins; bursts of different delays keep out of each other."""
    if burst:
        return [began_ns + order * BURSTS_APART_MS * MS] * sessions
    return [began_ns + number * delay_ms * MS // sessions for number in range(sessions)]


async def _talk(up: Bench, sid: str, turns: int, seats: Elsewhere, begin_ns: int) -> Record:
    await sleep_until(begin_ns)
    return await talked(up, sid, turns, seats)


def _spans(record: Record) -> Sequence[int]:
    spans = (turn.spans.get(SPAN) for turn in record.turns)
    return [span for span in spans if span is not None]
