"""The same episodes in virtual time, fast and live: real broker, real sockets.

Virtual time loses nothing, so it says what should come out. What another pace adds to a span has to
be in the error that the turn itself declares.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from assistant_gateway.protocol import Pace, ToolCall, ToolResult
from assistant_gateway.timing.timeline import MS, SECOND
from evaluator.options import RunOptions
from evaluator.record.digest import digest
from evaluator.record.record import Record
from evaluator.run.settings import run_settings
from evaluator.run.units import Played
from tests.evaluator.command_line import Here
from tests.evaluator.runs import BY_ID, WORLD, TaskSet, play

pytestmark = pytest.mark.wall_clock
ROUNDING_NS = MS // 1000  # a turn tells its own error in whole microseconds
# Short ones of every kind: calls, limits, questions, a moving car, faults, over-speech.
EPISODES = (
    *("base_call_workshop", "base_end_in_linz", "base_enough_weather", "base_hands_full"),
    *("base_kids_and_windows", "base_mhm_go_on", "base_windshield", "base_not_that_orange"),
    *("ask_the_one_at_the_back", "ask_where_to_blow", "ask_which_mira", "settle_empty_seat"),
    *("settle_toll_free", "limit_no_stop_added", "limit_no_trunk", "limit_number_unknown"),
    *("fault_everything_twice", "fault_gone_for_a_moment", "fault_silent_seat", "fault_slow_wheel"),
)
TASKS = TaskSet([BY_ID[task_id] for task_id in EPISODES], WORLD)


class Span(NamedTuple):
    """Where a span was measured; only a call of a tool has an id."""

    turn: int
    name: str
    cid: str = ""


class LongerBy(NamedTuple):
    """By how much a span was longer than in virtual time, and how wrong its turn says it is."""

    task_id: str
    span: Span
    ns: int
    declared_ns: int

    @property
    def is_declared(self) -> bool:
        return abs(self.ns) <= self.declared_ns + ROUNDING_NS


@pytest.mark.parametrize("pace", ["fast", "live"])
async def test_twenty_episodes_have_the_same_spans_within_the_error_each_turn_declares(
    pace: Pace,
) -> None:
    virtual = await play_paced("virtual")
    other = await play_paced(pace)
    pairs = [(virtual[task_id], other[task_id]) for task_id in EPISODES]
    assert [text for pair in pairs for text in of_another_kind(*pair)] == []
    compared = [each for pair in pairs for each in differences(*pair)]
    assert [each for each in compared if not each.is_declared] == []
    assert len(compared) > 200
    names = {each.span.name for each in compared}
    assert {"ttft_text", "turnaround", "tool_call", "barge_stop", "overlap"} <= names


async def test_virtual_time_is_the_same_at_any_concurrency_and_a_hundred_times_faster() -> None:
    alone = await play_paced("virtual", at_a_time=1)
    began_s = time.process_time()  # on a busy machine the wall clock would count others
    together = await play_paced("virtual")
    busy_s = time.process_time() - began_s
    records = {task_id: played.record for task_id, played in together.items()}
    assert {task_id: digest(played.record) for task_id, played in alone.items()} == {
        task_id: digest(record) for task_id, record in records.items()
    }
    simulated_s = sum(record.end.t_ns / SECOND for record in records.values() if record.end)
    assert simulated_s > 100 * busy_s


def test_the_episodes_are_twenty_and_of_every_kind() -> None:
    tasks = TASKS.tasks
    assert len({task.task_id for task in tasks}) == 20
    assert any(task.car.motion for task in tasks)
    assert sum(bool(task.car.faults) for task in tasks) == 4
    assert {task.task_type for task in tasks} >= {
        "base", "disambiguation_user", "disambiguation_internal", "hallucination_missing_tool",
        "hallucination_missing_tool_parameter", "hallucination_missing_tool_response",
    }  # fmt: skip
    assert sum(bool(task.driver.script and task.driver.script.interjections) for task in tasks) == 4


def test_only_what_a_turn_declares_as_its_error_is_declared() -> None:
    span = Span(1, "turnaround")
    assert LongerBy("task", span, 3 * MS, 3 * MS).is_declared
    assert LongerBy("task", span, -3 * MS, 3 * MS).is_declared
    assert not LongerBy("task", span, 4 * MS, 3 * MS).is_declared


async def test_another_verdict_or_another_turn_is_named() -> None:
    kind = {"task_id": "base_windshield"}
    [played] = await play(TaskSet([BY_ID["base_windshield"]], WORLD))
    [other] = await play(TaskSet([BY_ID["settle_open_window"].model_copy(update=kind)], WORLD))
    assert of_another_kind(played, played) == []
    score = played.score.model_copy(update={"reward": 0.0})
    [text] = of_another_kind(played, replace(played, score=score))
    assert text == "base_windshield: reward 1.0 in virtual time, else 0.0"
    assert any("calls" in text for text in of_another_kind(played, other))
    assert len([span for span in spans(played.record) if span.cid]) == len(played.record.calls)


async def play_paced(pace: Pace, *, at_a_time: int = len(EPISODES)) -> Mapping[str, Played]:
    """All episodes in one pace, by task."""
    attempts = await play(TASKS, pace=pace, latency_profile="cloud_fast", max_concurrency=at_a_time)
    played = {each.unit.task.task_id: each for each in attempts if each.last}
    assert [each.score.reason for each in attempts if each.score.outcome == "infra_error"] == []
    return played


def differences(virtual: Played, other: Played) -> Iterator[LongerBy]:
    """Of each span that both have."""
    expected, found = spans(virtual.record), spans(other.record)
    declared_ns = {turn.turn: round(turn.harness_error_ms * MS) for turn in other.score.turns}
    for span in expected.keys() & found.keys():
        more_ns = found[span] - expected[span]
        yield LongerBy(other.unit.task.task_id, span, more_ns, declared_ns[span.turn])


def spans(record: Record) -> dict[Span, int]:
    """Whatever was timed in an episode, in ns; what never happened is left out."""
    timed = {
        Span(turn.turn, name): span_ns
        for turn in record.turns
        for name, span_ns in turn.spans.items() if span_ns is not None
    }  # fmt: skip
    called_ns: dict[str, int] = {}
    for frame in record.frames:
        cid = frame.cid or ""
        if isinstance(frame.body, ToolCall):
            called_ns[cid] = frame.t_ns
        elif isinstance(frame.body, ToolResult) and cid in called_ns:
            timed[Span(frame.turn or 0, "tool_call", cid)] = frame.t_ns - called_ns[cid]
    return timed


def of_another_kind(virtual: Played, other: Played) -> list[str]:
    """What has come out differently, in a sentence each: verdict, words, turns, calls, spans."""
    expected, found = outline(virtual), outline(other)
    return [
        f"{other.unit.task.task_id}: {what} {expected[what]} in virtual time, else {found[what]}"
        for what in expected
        if expected[what] != found[what]
    ]


def outline(played: Played) -> dict[str, Any]:
    record, score = played.record, played.score
    return {
        "outcome": score.outcome,
        "reward": score.reward,
        "attempt": played.attempt,
        "control words": [control.word for control in record.controls],
        "turns": [(turn.turn, turn.handed_over) for turn in record.turns],
        "calls": [(call.tool, call.succeeded) for call in record.calls],
        "spans": sorted(spans(record)),
    }


@pytest.mark.parametrize(
    ("given", "cores", "number"),
    [
        ({"pace": "fast"}, 1, 2),
        ({"pace": "live"}, 2, 4),
        ({"pace": "live"}, 64, 8),
        ({"pace": "virtual"}, 1, 8),
        ({"pace": "fast", "patience_s": 60.0}, 1, 8),
        ({"pace": "live", "max_concurrency": 30}, 1, 30),
    ],
)
def test_in_real_time_no_more_sessions_are_played_than_the_cores_bear(
    given: dict[str, Any], cores: int, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(cores))
    assert run_settings(RunOptions(**given), "r").max_concurrency == number


def test_fewer_sessions_than_usual_are_told(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(1))
    tasks = "base_fog_lights,limit_no_trunk,ask_seat_heating"
    options = ("run", "--agent", "null", "--broker", "embedded", "--task-ids", tasks)
    told = "2 sessions at a time: 2 per core, so that they do not delay each other; "
    assert here(*options).stderr.startswith(told)
    assert "at a time" not in here(*options, "--max-concurrency", 2).stderr
