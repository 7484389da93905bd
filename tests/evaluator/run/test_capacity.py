import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from assistant_gateway.timing.timeline import MS
from evaluator.measuring.bench import measure
from evaluator.measuring.delays import delay_errors
from evaluator.measuring.idle import idle
from evaluator.measuring.live import live
from evaluator.measuring.own_error import BLOCKED_MS, SESSIONS, blocked_turn, floor_ms
from evaluator.measuring.rig.own_process import own_process
from evaluator.measuring.rig.players import (
    LocalDrivers,
    local_players,
    play_drivers,
    remote_players,
)
from evaluator.measuring.rig.small_talk import (
    RepeatingDriver,
    SmallTalk,
    first_words_ns,
    play_small_talk,
    small_talk_id,
)
from evaluator.measuring.soak import SAMPLES, soak
from evaluator.options import RunOptions
from evaluator.problems import InfraProblem, UsageProblem
from evaluator.run.settings import check
from evaluator.run.units import MOST_VERDICTS, RunSettings, Unit, bench, play_and_collect
from evaluator.task.selection import Selection, load
from evaluator.task.task import Task
from user_sim.driver import Driver
from vehicle_bus.world.world import World

SETTINGS = RunSettings("bench", broker_kind="embedded")


@pytest.fixture(scope="module")
def own() -> tuple[list[Task], World]:
    tasks, _, world = load(Selection(), None)
    return tasks, world


async def test_a_process_of_our_own_ends_with_its_stdin() -> None:
    async with own_process(play_drivers, SmallTalk(), "ws://127.0.0.1:1", "", 0) as process:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
    assert process.returncode == 0


async def test_sessions_are_played_by_two_other_processes(own: tuple[list[Task], World]) -> None:
    async with (
        bench(SETTINGS, own[1]) as up,
        remote_players(up, SmallTalk(), 2) as seats,
        asyncio.TaskGroup() as tasks,
    ):
        talks = [
            tasks.create_task(play_small_talk(up, small_talk_id(20, 3, number), 3, seats))
            for number in range(4)
        ]
    for talk in talks:
        assert all(took_ns >= 20 * MS for took_ns in first_words_ns(talk.result()))
        assert len(talk.result().turns) == 3
    assert seats.wall_ns.keys() == {small_talk_id(20, 3, number) for number in range(4)}


async def test_a_talk_that_breaks_off_is_no_measurement(own: tuple[list[Task], World]) -> None:
    async with bench(SETTINGS, own[1]) as up, local_players(up, SmallTalk(), 1) as seats:
        with pytest.raises(InfraProblem, match="1 of 2 turns were played"):
            await play_small_talk(up, small_talk_id(0, 2, 0), 2, Hasty(seats))


@dataclass(frozen=True)
class Hasty:
    """A connection whose driver leaves after the first turn."""

    seats: LocalDrivers

    async def drive(self, sid: str, driver: Driver) -> str:
        return await self.seats.drive(sid, RepeatingDriver(1))


async def test_a_delay_is_never_measured_shorter_than_it_was(
    own: tuple[list[Task], World],
) -> None:
    errors = await delay_errors(SETTINGS, own[1], delays_ms=(30, 60), sessions=3, turns=2)
    for measured in (errors.staggered, errors.burst):
        assert {delay_ms: len(errors_ns) for delay_ms, errors_ns in measured.items()} == {
            30: 6,
            60: 6,
        }
        assert min(min(errors_ns) for errors_ns in measured.values()) >= 0


def test_only_the_first_answer_of_a_talk_may_come_after_another_delay() -> None:
    model = SmallTalk().agent(small_talk_id(50, 3, "a", first_ms=7.5)).latency
    assert [model.first_token_ns() / MS for _ in range(3)] == [7.5, 50, 50]
    model = SmallTalk().agent(small_talk_id(50, 3, "b")).latency
    assert [model.first_token_ns() / MS for _ in range(2)] == [50, 50]


async def test_the_floor_is_measured_for_both_kinds_of_agents(
    own: tuple[list[Task], World],
) -> None:
    floor = await floor_ms(SETTINGS, own[1], turns=2)
    assert set(floor) == {"zero", "echo"}
    assert all(0 < (pair["p50"] or 0) <= (pair["p99"] or 0) for pair in floor.values())
    assert SESSIONS > 1


async def test_a_turn_in_which_the_loop_was_blocked_is_left_out(
    own: tuple[list[Task], World],
) -> None:
    turn = await blocked_turn(SETTINGS, own[1])
    assert turn.excluded
    assert turn.harness_error_ms > BLOCKED_MS / 2


async def test_live_sessions_take_as_long_as_they_should(own: tuple[list[Task], World]) -> None:
    shortest = [task for task in own[0] if task.task_id == "base_fog_lights"]
    measured = await live(SETTINGS, own[1], shortest, tasks_from=None, world_from=None, sessions=3)
    assert (measured.sessions, measured.spoilt) == (3, 0)
    assert measured.turns >= 3
    assert measured.wall_per_simulated > 0.99


async def test_idle_sessions_stay_open(own: tuple[list[Task], World]) -> None:
    measured = await idle(SETTINGS, own[1], sessions=5)
    assert measured.sessions == 5


async def test_a_soak_lasts_as_long_as_asked_and_watches_memory(
    own: tuple[list[Task], World],
) -> None:
    soaked = await soak(SETTINGS, own[1], own[0][:5], seconds=0.5, sessions=4)
    assert soaked.seconds >= 0.5
    assert soaked.episodes >= 4
    assert soaked.spoilt == 0
    assert len(soaked.rss_mb) in (SAMPLES - 1, SAMPLES)


async def test_a_run_of_any_length_keeps_a_bounded_number_of_verdicts_on_the_bus(
    own: tuple[list[Task], World], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_VERDICTS >= 254
    monkeypatch.setattr("evaluator.run.units.MOST_VERDICTS", 2)
    settings = replace(SETTINGS, pace="virtual", max_concurrency=1)
    verdicts = SETTINGS.topics.session("+", "+", "verdict")

    async with bench(settings, own[1]) as up:
        await play_and_collect(up, [Unit(own[0][0], trial) for trial in range(5)])
        async with up.buses[2].subscribe(verdicts) as retained:
            kept = await retained.batch()
    assert len(kept) == 2


async def test_sessions_that_are_measured_begin_one_after_the_other(
    own: tuple[list[Task], World], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluator.run.units.BEGIN_APART_S", 0.1)
    settings = replace(SETTINGS, latency_profile="cloud_fast", max_concurrency=3)
    async with bench(settings, own[1]) as up:
        played = await play_and_collect(up, [Unit(task, 0) for task in own[0][:3]])
    began = sorted(datetime.fromisoformat(each.started_at) for each in played)
    assert all(after - one > timedelta(seconds=0.05) for one, after in pairwise(began))


def test_an_event_loop_that_is_not_installed_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluator.event_loop.installed", lambda *modules: False)
    with pytest.raises(UsageProblem, match=r"pip install '\.\[uvloop\]'"):
        measure(["bus"], None, None, "embedded", None, uvloop=True, as_json=True)
    with pytest.raises(UsageProblem, match="--uvloop needs the extra uvloop"):
        check(RunOptions(uvloop=True))
