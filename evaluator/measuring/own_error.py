"""What the bench itself adds to every latency, and whether it notices when it is blocked.

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
from evaluator.measuring.rig.percentiles import Percentiles, percentiles
from evaluator.measuring.rig.players import local_players, remote_players
from evaluator.measuring.rig.small_talk import (
    ConstantAgent,
    SmallTalk,
    first_words_ns,
    play_small_talk,
    small_talk_id,
)
from evaluator.run.units import Bench, DrivesSessions, RunSettings, bench
from evaluator.scoring.turn_score import TurnScore
from vehicle_bus.world.world import World

SESSIONS = 8
WARM_UP = 1
BLOCKED_MS = 300


@dataclass(frozen=True, slots=True)
class BlockedTurn:
    """The score of a turn in which the event loop was blocked."""

    blocked_ms: int
    harness_error_ms: float
    excluded: bool


class BlockingAgent(ConstantAgent):
    """An assistant that blocks the event loop before it answers."""

    name = "blocking"

    def on_heard(self, text: str) -> AgentMessage:
        time.sleep(BLOCKED_MS / 1000)
        return super().on_heard(text)


@dataclass(frozen=True, slots=True)
class BlockingPlayers(SmallTalk):
    """Small talk with an agent that blocks."""

    def agent(self, sid: str) -> PacedAgent:
        return PacedAgent(BlockingAgent(), SmallTalk.agent(self, sid).latency)


async def floor_ms(settings: RunSettings, world: World, turns: int) -> dict[str, Percentiles]:
    """Final transcript to first word of an agent that answers at once."""
    async with bench(settings, world) as up:
        async with local_players(up, SmallTalk(), SESSIONS) as local:
            zero_ns = await _first_words_ns(up, local, "here", WARM_UP + turns)
        async with remote_players(up, SmallTalk(), SESSIONS) as remote:
            echo_ns = await _first_words_ns(up, remote, "elsewhere", WARM_UP + turns)
    return {"zero": percentiles(zero_ns, MS), "echo": percentiles(echo_ns, MS)}


async def _first_words_ns(up: Bench, drivers: DrivesSessions, name: str, turns: int) -> list[int]:
    with without_long_pauses():
        async with asyncio.TaskGroup() as tasks:
            talks = [
                tasks.create_task(
                    play_small_talk(up, small_talk_id(0, turns, f"{name}{number}"), turns, drivers)
                )
                for number in range(SESSIONS)
            ]
    return [took_ns for talk in talks for took_ns in first_words_ns(talk.result())[WARM_UP:]]


async def blocked_turn(settings: RunSettings, world: World) -> BlockedTurn:
    """One turn in which an agent blocks the loop of the gateway."""
    async with bench(settings, world) as up, local_players(up, BlockingPlayers(), 1) as drivers:
        record = await play_small_talk(up, small_talk_id(0, 1, 0), 1, drivers)
    turn = TurnScore.of(record.turns[0])
    return BlockedTurn(BLOCKED_MS, turn.harness_error_ms, turn.excluded)
