"""What is said to decide a task, against what decides it."""

import pytest

from evaluator.task.task import Task
from evaluator.views.task_scoring import scored
from tests.evaluator.episodes import do, task
from tests.evaluator.runs import TASKS


def test_a_base_task_is_decided_by_states_look_ups_and_rules() -> None:
    text = scored(task(do("get_weather"), do("open_close_sunroof", percentage=50)))
    assert "end state and intermediate states (open_close_sunroof)" in text
    assert "others that tell the same: get_weather" in text
    assert "by the expected calls: 005, 008, 009, 024" in text


def test_an_information_task_is_one_in_which_nothing_changes() -> None:
    text = scored(task(do("get_car_color")))
    assert "(nothing changes)" in text
    assert "others that tell the same: get_car_color" in text


def test_a_limit_is_decided_by_admitting_it_and_doing_the_rest() -> None:
    removed = ("set_fan_speed",)
    text = scored(
        task(do("set_fan_speed"), task_type="hallucination_missing_tool", removed=removed)
    )
    assert text.startswith("the limit is admitted (set_fan_speed); ")
    assert "end state and intermediate states (set_fan_speed), as far as the car can do it" in text


@pytest.mark.parametrize("own", TASKS, ids=lambda own: own.task_id)
def test_every_own_task_says_what_is_scored(own: Task) -> None:
    assert "no refused call" in scored(own)
