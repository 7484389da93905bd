import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.measuring.bench import _rows, measure
from evaluator.measuring.bus import round_trips_ns, tool_calls_ns
from evaluator.measuring.episodes import play
from evaluator.measuring.model import model_delay_errors_ns
from evaluator.measuring.rig.memory import peak_mb, resident_mb
from evaluator.measuring.rig.percentiles import percentiles
from evaluator.measuring.rig.pressure import Shortage, ShortageSince
from evaluator.measuring.start import cold_start
from evaluator.measuring.stored_runs import reporting, rescoring
from evaluator.measuring.world import CATEGORIES, TOOLS, samples, world_ms
from evaluator.problems import GateFailed, UsageProblem
from evaluator.progress import FEW
from evaluator.run.units import RunSettings, bench
from evaluator.task.selection import Selection, load
from evaluator.task.task import Task
from vehicle_bus.world.importing import read_world
from vehicle_bus.world.world import World

SHARED = os.environ.get("CODRIVER_CAR_BENCH")
SETTINGS = RunSettings("bench", pace="virtual", broker_kind="embedded")
PAIR = {"p50": None, "p99": None}
DELAYS = {delay: PAIR for delay in ("500", "1500", "3000")}
NOTHING = {
    "bus_rtt_us": PAIR,
    "tool_call_ms": PAIR,
    "episodes_per_s": {"c1": None, "c8": None, "c32": None},
    "episode_set": "own",
    "bus_messages_per_episode": None,
    "cold_start_s": None,
    "rss_mb": None,
    "world_ms": {key: PAIR for name in TOOLS for key in (name, f"{name}_bus")},
    "injected_delay_error_ms": DELAYS,
    "injected_delay_burst_ms": DELAYS,
    "model_delay_error_ms": {"500": PAIR},
    "live": {
        "sessions": None,
        "turns": None,
        "harness_error_ms_p50": None,
        "harness_error_ms_p99": None,
        "excluded_turns": None,
        "jitter_ms": PAIR,
        "wall_per_simulated": None,
        "spoilt": None,
    },
    "workers": dict.fromkeys(
        ("workers", "episodes", "pairs", "gain", "episodes_per_s", "episodes_per_cpu_s", "wall_s")
    ),
    "sound": {
        "sessions": None,
        "turns": None,
        "voice": None,
        "harness_error_ms": PAIR,
        "excluded_turns": None,
        "frame_late_ms": PAIR,
        "wall_per_simulated": None,
        "cpu_ms_per_session_s": None,
        "sessions_per_core": None,
        "lead_in_0_error_ms": PAIR,
        "lead_in_120_error_ms": PAIR,
        "lead_in_480_error_ms": PAIR,
        "barge_stop_error_ms": PAIR,
    },
    "floor_ms": {"zero": PAIR, "echo": PAIR},
    "blocked_turn": {"blocked_ms": None, "harness_error_ms": None, "excluded": None},
    "page": {"first_paint_ms": None, "frames_per_s": None, "busy": None, "token_drawn_ms": PAIR},
    "page_viewers": {
        "token_arrived_ms": PAIR,
        "error_ms_alone": PAIR,
        "error_ms_watched": PAIR,
    },
    "idle": {"sessions": None, "kb_per_session": None},
    "spoilt_episodes": None,
    "rescore": {"seconds": None, "units": None, "bit_equal": None},
    "report": {"seconds": None, "units": None, "megabytes": None},
    "soak": None,
}


@pytest.fixture(scope="module")
def own() -> tuple[list[Task], World]:
    tasks, _, world = load(Selection(), None)
    return tasks, world


def test_every_key_is_there_and_what_was_not_measured_is_null(
    capsys: pytest.CaptureFixture[str],
) -> None:
    measure(["bus_rtt_us"], None, None, "embedded", None, as_json=True)
    figures = json.loads(capsys.readouterr().out)
    round_trip = figures["bus_rtt_us"]
    assert 0 < round_trip["p50"] <= round_trip["p99"]
    assert figures.pop("wall_s") > 0
    assert figures.pop("machine")["cpus"] > 0
    assert figures == NOTHING | {
        "bus_rtt_us": round_trip,
        "broker": "embedded",
        "client": "codec",
    }


def test_people_see_what_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    measure(["bus"], None, None, "embedded", None, as_json=False)
    printed = capsys.readouterr().out
    assert "bus_rtt_us" in printed
    assert "cold_start_s" not in printed
    assert "own tasks, embedded broker, codec client" in printed


def test_figures_within_figures_are_rows_of_their_own() -> None:
    by_workers = {"1": 2.5, "2": 4.8}
    rows = dict(_rows({"workers": {"gain": 1.9, "episodes_per_s": by_workers}, "bus": {"p50": 1}}))
    assert rows == {
        "workers gain": 1.9,
        "workers episodes_per_s 1": 2.5,
        "workers episodes_per_s 2": 4.8,
        "bus": {"p50": 1},
    }


def test_a_warning_has_no_markup_in_a_pipe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ShortageSince, "now", lambda _: Shortage(waiting=0.5, stolen=0.25))
    measure(["bus"], None, None, "embedded", None, quick=True, as_json=False)
    assert "\nthe host gave 25.0% of the CPU time to other machines: " in capsys.readouterr().out


def test_a_page_that_is_too_slow_fails_the_bench_after_its_figures(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluator.measuring.bench.too_slow", lambda _: ["a token takes an hour"])
    with pytest.raises(GateFailed, match="the page is too slow: a token takes an hour"):
        measure(["bus"], None, None, "embedded", None, quick=True, as_json=False)
    assert "bus_rtt_us" in capsys.readouterr().out


def test_what_cannot_be_measured_is_reported_with_what_can() -> None:
    with pytest.raises(
        UsageProblem, match=r"bus, .*, model_delay, rescore, report, .*, or a key: "
    ):
        measure(["bus", "weight"], None, None, "embedded", None, as_json=True)


async def test_a_tool_call_takes_longer_than_the_request_inside_it(
    own: tuple[list[Task], World],
) -> None:
    async with bench(SETTINGS, own[1]) as up:
        calls, requests = await tool_calls_ns(up, 100), await round_trips_ns(up, 100)
    assert len(calls) == len(requests) == 100
    assert sorted(calls)[len(calls) // 2] > sorted(requests)[len(requests) // 2]


async def test_episodes_are_played_and_stored_as_often_as_promised(
    own: tuple[list[Task], World],
) -> None:
    short = [task for task in own[0] if len(task.expect.actions) <= 3]
    played = await play(SETTINGS, own[1], short[:7], concurrency=8, episodes=30)
    assert played.episodes == 35
    assert played.spoilt == 0
    assert played.per_s > 1
    assert 5 < played.messages_per_episode <= 60


async def test_a_stored_run_scores_the_same_again_to_the_bit(
    own: tuple[list[Task], World],
) -> None:
    again = await rescoring(SETTINGS, own[1], own[0])
    assert (again.units, again.bit_equal) == (len(own[0]), True)
    assert again.seconds > 0


async def test_the_report_of_three_trials_is_measured(own: tuple[list[Task], World]) -> None:
    written = await reporting(SETTINGS, own[1], own[0][:4])
    assert written.units == 12
    assert 0 < written.megabytes < 1


@pytest.mark.parametrize("tasks", [2, FEW + 1])  # more have no line of progress each
async def test_a_start_is_one_of_a_process_of_its_own(tasks: int) -> None:
    started = await cold_start(["--broker=embedded", f"--num-tasks={tasks}"], starts=1)
    assert 0.05 < started.first_episode_s < 30
    assert started.peak_mb is None or 10 < started.peak_mb < 1000


def test_this_process_needs_memory() -> None:
    now, most = resident_mb(), peak_mb()
    assert (now is None) is (most is None)
    assert now is None or most is None or 0 < now <= most
    assert resident_mb(2**30) is None


@given(st.lists(st.integers(0, 10**12), min_size=1))
def test_percentiles_are_measurements(took_ns: list[int]) -> None:
    pair = percentiles(took_ns, 1)
    assert pair["p50"] in took_ns
    assert pair["p99"] in took_ns
    assert min(took_ns) <= (pair["p50"] or 0) <= (pair["p99"] or 0) <= max(took_ns)


def test_nothing_measured_has_no_percentiles() -> None:
    assert percentiles([], 1) == PAIR


async def test_the_delay_of_a_model_is_in_each_turn(
    own: tuple[list[Task], World],
) -> None:
    async with bench(SETTINGS, own[1]) as up:
        errors_ns = await model_delay_errors_ns(up, 20, sessions=2, turns=5)
    assert len(errors_ns) == 2 * (5 - 2)
    assert all(error_ns >= 0 for error_ns in errors_ns)


async def test_an_empty_world_has_nothing_to_look_up() -> None:
    async with bench(SETTINGS, World()) as up:
        assert await world_ms(up, 20) == NOTHING["world_ms"]


@pytest.mark.skipif(
    SHARED is None, reason="CODRIVER_CAR_BENCH does not name the public benchmark's files"
)
async def test_a_partial_world_is_asked_for_what_it_holds() -> None:
    world: Any = read_world(Path(SHARED or "") / "world")
    for name in TOOLS:
        asked = samples(world, name, 150)
        assert asked
        assert asked == samples(world, name, 150)
        assert {one.get("category_poi", CATEGORIES[0]) for one in asked} <= set(CATEGORIES)
    async with bench(SETTINGS, world) as up:
        figures = await world_ms(up, 20)
    assert all(pair["p50"] for pair in figures.values())
