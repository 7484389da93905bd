"""The bench measures itself: what is lost in a turn is seen, whatever the reason."""

import asyncio
import time

from websockets.asyncio.client import ClientConnection

from assistant_gateway.agents.baselines import BaselineAgent
from assistant_gateway.protocol import Frame, InputTranscriptFinal
from assistant_gateway.session.measurement_error import Delay, TurnProbe, lag_probe, with_restarts
from assistant_gateway.timing.timeline import MS, SECOND
from evaluator.measuring.rig.players import local_players
from evaluator.measuring.rig.small_talk import SmallTalk, play_small_talk, small_talk_id
from evaluator.run.units import bench
from tests.evaluator.runs import BY_ID, WORLD, guest, play_units, settings

DELAYS_IN_A_TURN: tuple[Delay, ...] = ("late", "send", "bus")


async def test_a_blocked_loop_is_noticed_and_an_idle_one_is_not() -> None:
    async with lag_probe() as probe:
        turn = TurnProbe(probe)
        turn.begin()
        await asyncio.sleep(0.05)
        quiet = turn.finish()
        turn.begin()
        await asyncio.sleep(0)
        time.sleep(0.3)  # noqa: ASYNC251 - this is the fault
        blocked = turn.finish()
    assert blocked["lag_ms"] > 250
    assert quiet.get("lag_ms", 0) < blocked["lag_ms"]


async def test_a_small_lag_before_it_hides_no_great_one() -> None:
    async with lag_probe() as probe:
        turn = TurnProbe(probe)
        turn.begin()
        time.sleep(0.1)  # noqa: ASYNC251 - this is the fault
        await asyncio.sleep(0.05)
        time.sleep(0.4)  # noqa: ASYNC251 - this is the fault
        assert turn.finish()["lag_ms"] > 350


def test_a_turn_nobody_was_asked_in_waited_for_nothing() -> None:
    turn = TurnProbe()
    turn.begin()
    turn.delayed("send", 3 * MS)
    turn.finish()
    assert turn.finish() == {}


async def test_a_lag_belongs_to_the_turn_it_fell_into() -> None:
    async with lag_probe() as probe:
        turn = TurnProbe(probe)
        turn.begin()
        time.sleep(0.2)  # noqa: ASYNC251 - this is the fault
        await asyncio.sleep(0.05)
        lag_ms = turn.finish()["lag_ms"]
        assert lag_ms > 150
        turn.begin()
        assert turn.finish().get("lag_ms", 0) < lag_ms


def test_a_turn_is_as_wrong_as_the_worst_that_was_lost_in_it() -> None:
    turn = TurnProbe()
    turn.begin()
    for name in DELAYS_IN_A_TURN:
        turn.delayed(name, 3 * MS)
        turn.delayed(name, 2 * MS)
    lost = turn.finish()
    assert {name: lost[f"{name}_ms"] for name in DELAYS_IN_A_TURN} == dict.fromkeys(
        DELAYS_IN_A_TURN, 3.0
    )


async def test_a_turn_in_which_the_bench_stood_still_is_left_out() -> None:
    async def stand_still(socket: ClientConnection, raw: str, frame: Frame) -> None:
        if isinstance(frame.body, InputTranscriptFinal):
            time.sleep(0.3)  # noqa: ASYNC251 - this is the fault

    async with (
        bench(settings(agent="ws", pace="fast", max_concurrency=1), WORLD) as up,
        guest(up, lambda sid: BaselineAgent("null"), stand_still),
    ):
        [unit] = await play_units(up, [BY_ID["base_windshield"]])
    assert unit.score.turns[0].excluded


def test_results_that_are_passed_on_late_add_to_the_error_and_a_common_wait_once() -> None:
    turn = TurnProbe()
    turn.begin()
    turn.passed_on(arrived_ns=100 * MS, sent_ns=130 * MS)
    turn.passed_on(arrived_ns=100 * MS, sent_ns=131 * MS)
    turn.passed_on(arrived_ns=200 * MS, sent_ns=202 * MS)
    assert turn.finish()["added_ms"] == 33.0


async def test_virtual_time_loses_nothing() -> None:
    async with bench(settings(pace="virtual"), WORLD) as up:
        [unit] = await play_units(up, [BY_ID["base_windshield"]])
    assert [turn.harness_error_ms for turn in unit.score.turns] == [0.0] * len(unit.score.turns)
    assert unit.score.turns[0].spans["upl"] is not None
    assert (unit.score.turns[0].spans["upl"] or 0) < SECOND


def test_delays_of_all_steps_are_added_up_and_the_longest_is_reported_too() -> None:
    turn = TurnProbe()
    turn.begin()
    turn.said("first", 2 * MS)
    turn.said("first", 1 * MS)  # a later piece of the same message
    turn.answered(3 * MS)
    turn.said("second", 4 * MS)
    lost = turn.finish()
    assert lost["agent_ms"] == 4.0
    assert lost["added_ms"] == 9.0
    turn.begin()
    assert "added_ms" not in turn.finish()


def test_a_voice_that_began_again_for_late_text_adds_to_the_error() -> None:
    lost_ms = {"lag_ms": 30.0}
    assert with_restarts(lost_ms, [(29 * MS, 115 * MS)]) == {"lag_ms": 30.0, "added_ms": 145.0}
    assert with_restarts(lost_ms, [(31 * MS, 115 * MS)]) == lost_ms  # a pause of the agent's
    assert with_restarts({}, [(1, 115 * MS)]) == {}  # virtual time


async def test_an_agent_that_ships_is_known_to_be_late_and_one_from_outside_is_not_believed() -> (
    None
):
    async with bench(settings(pace="fast"), WORLD) as up:
        [unit] = await play_units(up, [BY_ID["base_windshield"]])
        async with local_players(up, SmallTalk(), 1) as outside:
            talk = await play_small_talk(up, small_talk_id(0, 2, "outside"), 2, outside)
    for turn in unit.record.turns:
        assert 0 < turn.harness["agent_ms"] < turn.harness["added_ms"]
    assert not any("agent_ms" in turn.harness for turn in talk.turns)


async def test_how_long_a_fault_holds_the_car_up_is_not_the_doing_of_the_bench() -> None:
    async with bench(settings(pace="fast"), WORLD) as up:
        [unit] = await play_units(up, [BY_ID["fault_slow_wheel"]])
    [turn] = unit.score.turns
    assert (turn.spans["effect_latency"] or 0) > 2 * SECOND
    assert turn.harness_error_ms < 1000
