"""Drivers who speak over the assistant, through real sockets and the bus."""

from typing import Any

from evaluator.run.units import Played
from evaluator.task.task import Task
from tests.evaluator.runs import BY_ID, WORLD, TaskSet, digests, play
from user_sim.script import Interjection


def task_with(*interjections: Interjection, **script: Any) -> Task:
    task = BY_ID["base_windshield"]
    assert task.driver.script is not None
    changed = task.driver.script.model_copy(update={"interjections": interjections, **script})
    return task.model_copy(update={"driver": task.driver.model_copy(update={"script": changed})})


async def played(task: Task, **chosen: Any) -> Played:
    [unit] = await play(TaskSet([task], WORLD), **chosen)
    assert unit.score.outcome == "success", unit.score.reason
    return unit


def spans(unit: Played) -> list[dict[str, int | None]]:
    return [turn.spans for turn in unit.score.turns]


THANKS = Interjection(turn=1, after_words=2, say="Thank you so much, that was really quick.")
MHM = Interjection(turn=1, after_words=2, say="Mhm.")
NEVER = Interjection(turn=1, after_words=500, say="Thanks.")


async def test_an_interrupting_driver_gets_a_turn_of_its_own_in_every_pace() -> None:
    measured = {}
    for pace in ("virtual", "fast"):
        unit = await played(task_with(THANKS), pace=pace)
        first, second = spans(unit)
        assert first["barge_stop"] == 500_000_000
        assert second["upl"] is not None
        measured[pace] = first["overlap"]
    assert measured["virtual"] == measured["fast"]


async def test_a_mhm_is_heard_and_stops_nobody() -> None:
    [only] = spans(await played(task_with(MHM)))
    assert only["overlap"]
    assert "barge_stop" not in only


async def test_what_there_was_no_time_for_is_said_afterwards() -> None:
    unit = await played(task_with(NEVER))
    assert len(spans(unit)) == 2


async def test_an_impatient_driver_asks_and_the_assistant_takes_up_where_it_was() -> None:
    """The model takes far longer than this driver waits; nothing is done twice or left out."""
    task = task_with(impatient_after_s=0.4, patience=3)
    unit = await played(task, latency_profile="reasoner")
    assert len(spans(unit)) > 1
    assert "upl" not in spans(unit)[0], "it was cut before anything was due"


async def test_interruptions_are_the_same_at_any_concurrency() -> None:
    tasks = [task_with(each) for each in (THANKS, MHM, NEVER)]
    named = [
        task.model_copy(update={"task_id": f"over_speech_{number}"})
        for number, task in enumerate(tasks)
    ]
    alone = await play(TaskSet(named, WORLD), max_concurrency=1, latency_profile="cloud_fast")
    together = await play(TaskSet(named, WORLD), max_concurrency=3, latency_profile="cloud_fast")
    assert digests(alone) == digests(together)
