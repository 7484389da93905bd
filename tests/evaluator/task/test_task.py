from typing import Any

import pytest
from pydantic import ValidationError

from evaluator.task.task import TASK_TYPES, Task

MINIMAL: dict[str, Any] = {
    "task_id": "base_fan",
    "task_type": "base",
    "title": "Fan on two",
    "driver": {"instruction": "You want the fan on level two."},
    "expect": {
        "actions": [{"name": "set_fan_speed", "arguments": {"level": 2}}],
        "turn_classes": ["B"],
    },
}


def test_a_task_needs_no_more_than_a_wish_and_what_should_come_of_it() -> None:
    task = Task.model_validate(MINIMAL)
    assert task.source == "own"
    assert task.car.start == {}
    assert task.expect.actions[0].arguments == {"level": 2}


@pytest.mark.parametrize("task_type", TASK_TYPES)
def test_every_type_belongs_to_one_of_three_main_types(task_type: str) -> None:
    task = Task.model_validate(MINIMAL | {"task_type": task_type})
    assert task.main_type in ("base", "hallucination", "disambiguation")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task_id", "Base Fan"),
        ("task_type", "easy"),
        ("title", ""),
        ("title", "x" * 41),
        ("weight", 2),
        ("expect", {"actions": [], "turn_classes": []}),
        ("expect", {"actions": [], "turn_classes": ["Z"]}),
        ("car", {"start": {"fan_speed": 9}}),
    ],
)
def test_what_is_no_task_is_refused(field: str, value: Any) -> None:
    with pytest.raises(ValidationError):
        Task.model_validate(MINIMAL | {field: value})


def test_a_task_survives_json() -> None:
    task = Task.model_validate(MINIMAL)
    assert Task.model_validate_json(task.model_dump_json()) == task
