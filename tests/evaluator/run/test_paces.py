"""The same episodes in virtual time, fast and live: real broker, real sockets."""

import time
from dataclasses import replace

import pytest

from assistant_gateway.protocol import Pace
from assistant_gateway.timing.timeline import MS
from evaluator.measuring.pace_differences import (
    Difference,
    Span,
    differences,
    of_another_kind,
    spans,
)
from evaluator.measuring.paces import EPISODES, compared, episodes, play_paced
from tests.evaluator.runs import BY_ID, WORLD, TaskSet, play, settings


@pytest.mark.parametrize("pace", ["fast", "live"])
async def test_twenty_episodes_have_the_same_spans_within_the_error_each_turn_declares(
    pace: Pace,
) -> None:
    tasks = episodes()
    virtual = await play_paced(settings(), tasks, "virtual")
    other = await play_paced(settings(), tasks, pace)
    told = compared(virtual, other)
    assert told["different"] == []
    undeclared = [
        difference
        for task_id in EPISODES
        for difference in differences(virtual.played[task_id], other.played[task_id])
        if not difference.is_declared
    ]
    assert undeclared == []
    assert told["declared"] == told["compared"] > 200
    assert {"ttft_text", "turnaround", "tool_call", "barge_stop", "overlap"} <= set(told["spans"])


async def test_virtual_time_is_the_same_at_any_concurrency_and_a_hundred_times_faster() -> None:
    tasks = episodes()
    alone = await play_paced(settings(), tasks, "virtual", at_a_time=1)
    began_s = time.process_time()  # on a busy machine the wall clock would tell of others
    together = await play_paced(settings(), tasks, "virtual")
    busy_s = time.process_time() - began_s
    assert alone.digests == together.digests
    assert together.simulated_s > 100 * busy_s


def test_the_episodes_are_twenty_and_of_every_kind() -> None:
    tasks = episodes()
    assert len({task.task_id for task in tasks}) == len(EPISODES) == 20
    assert any(task.car.motion for task in tasks)
    assert sum(bool(task.car.faults) for task in tasks) == 4
    assert {task.task_type for task in tasks} >= {
        "base", "disambiguation_user", "disambiguation_internal", "hallucination_missing_tool",
        "hallucination_missing_tool_parameter", "hallucination_missing_tool_response",
    }  # fmt: skip
    assert sum(bool(task.driver.script and task.driver.script.interjections) for task in tasks) == 4


def test_only_what_a_turn_owns_up_to_is_declared() -> None:
    span = Span(1, "turnaround")
    assert Difference("task", span, 3 * MS, 3 * MS).is_declared
    assert Difference("task", span, -3 * MS, 3 * MS).is_declared
    assert not Difference("task", span, 4 * MS, 3 * MS).is_declared


async def test_another_verdict_or_another_turn_is_named() -> None:
    kind = {"task_id": "base_windshield"}
    [played] = await play(TaskSet([BY_ID["base_windshield"]], WORLD))
    [other] = await play(TaskSet([BY_ID["settle_open_window"].model_copy(update=kind)], WORLD))
    assert of_another_kind(played, played) == []
    score = played.score.model_copy(update={"reward": 0.0})
    [told] = of_another_kind(played, replace(played, score=score))
    assert told == "base_windshield: reward 1.0 in virtual time, else 0.0"
    assert any("calls" in told for told in of_another_kind(played, other))
    assert len([span for span in spans(played.record) if span.cid]) == len(played.record.calls)
