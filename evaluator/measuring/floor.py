"""What the bench itself adds to every latency, and whether it notices when it is in the way.

An agent that answers at once is measured twice, in this process and in another. A third one blocks
the process it shares with the gateway: that turn must be left out of every latency.
"""

import asyncio
import time
from dataclasses import dataclass

from assistant_gateway.agents.agent import AgentMessage
from assistant_gateway.agents.client import PacedAgent
from assistant_gateway.net.gc_pauses import without_long_pauses
from assistant_gateway.timing.timeline import MS
from evaluator.measuring.rig.crowd import at_home, crowd
from evaluator.measuring.rig.percentiles import Percentiles, percentiles
from evaluator.measuring.rig.small_talk import SmallTalk, Soothing, first_words_ns, talk_id, talked
from evaluator.run.units import Bench, DrivesSessions, RunSettings, bench
from evaluator.scoring.turn_score import TurnScore
from vehicle_bus.world.world import World

SESSIONS = 8
WARM_UP = 1
BLOCKED_MS = 300


@dataclass(frozen=True, slots=True)
class BlockedTurn:
    """What was told about a turn in which the event loop stood still."""

    blocked_ms: int
    harness_error_ms: float
    excluded: bool


class Blocking(Soothing):
    """An assistant that thinks without letting anybody else think."""

    name = "blocking"

    def on_heard(self, text: str) -> AgentMessage:
        time.sleep(BLOCKED_MS / 1000)
        return super().on_heard(text)


@dataclass(frozen=True, slots=True)
class Thoughtless(SmallTalk):
    """Small talk with an agent that blocks."""

    def agent(self, sid: str) -> PacedAgent:
        return PacedAgent(Blocking(), SmallTalk.agent(self, sid).latency)


async def floor_ms(settings: RunSettings, world: World, turns: int) -> dict[str, Percentiles]:
    """Final transcript to first word of an agent that answers at once."""
    async with bench(settings, world) as up:
        async with at_home(up, SmallTalk(), SESSIONS) as here:
            zero_ns = await _all_talk(up, here, "here", WARM_UP + turns)
        async with crowd(up, SmallTalk(), SESSIONS) as elsewhere:
            echo_ns = await _all_talk(up, elsewhere, "elsewhere", WARM_UP + turns)
    return {"zero": percentiles(zero_ns, MS), "echo": percentiles(echo_ns, MS)}


async def _all_talk(up: Bench, drivers: DrivesSessions, name: str, turns: int) -> list[int]:
    with without_long_pauses():
        async with asyncio.TaskGroup() as tasks:
            talks = [
                tasks.create_task(talked(up, talk_id(0, turns, f"{name}{number}"), turns, drivers))
                for number in range(SESSIONS)
            ]
    return [took_ns for talk in talks for took_ns in first_words_ns(talk.result())[WARM_UP:]]


async def blocked_turn(settings: RunSettings, world: World) -> BlockedTurn:
    """One turn in which an agent blocks the loop of the gateway."""
    async with bench(settings, world) as up, at_home(up, Thoughtless(), 1) as drivers:
        record = await talked(up, talk_id(0, 1, 0), 1, drivers)
    turn = TurnScore.of(record.turns[0])
    return BlockedTurn(BLOCKED_MS, turn.harness_error_ms, turn.excluded)
