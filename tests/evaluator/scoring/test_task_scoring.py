"""What is said to decide a task, against what decides it."""

import pytest

from evaluator.task.task import Task
from evaluator.views.task_scoring import scored
from tests.evaluator.episodes import do, task
from tests.evaluator.runs import TASKS


def test_a_base_task_is_decided_by_states_look_ups_and_rules() -> None:
    text = scored(task(do("get_weather"), do("open_close_sunroof", percentage=50)))
    assert "end state and intermediate states (open_close_sunroof)" in text
    assert "required look-ups: get_weather" in text
    assert "by the expected calls: 005, 008, 009, 024" in text


def test_an_information_task_is_one_in_which_nothing_changes() -> None:
    assert "(nothing changes); required look-ups: get_car_color" in scored(
        task(do("get_car_color"))
    )


def test_a_limit_is_decided_by_admitting_it_and_never_by_rules() -> None:
    removed = ("set_fan_speed",)
    text = scored(
        task(do("set_fan_speed"), task_type="hallucination_missing_tool", removed=removed)
    )
    assert text.startswith("the limit is admitted (set_fan_speed); ")
    assert "rules" not in text
    assert "end state" not in text


@pytest.mark.parametrize("own", TASKS, ids=lambda own: own.task_id)
def test_every_own_task_says_what_is_scored(own: Task) -> None:
    assert "no refused call" in scored(own)
