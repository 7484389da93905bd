"""Tasks are read and checked in the world they are played in."""

import json
from pathlib import Path

import pytest

from evaluator.commands.validate import TasksFailed, validate
from evaluator.options import RunOptions
from evaluator.task.files import BadTasks
from evaluator.task.selection import Selection, load
from tests.evaluator.task.test_task_files import GOOD

ELSEWHERE = {
    "id": "loc_els_1",
    "name": "Elsewhere",
    "position": {"longitude": 5.1, "latitude": 52.1},
}


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A world of one place that the world of codriver does not have."""
    folder = tmp_path / "other world"
    folder.mkdir()
    for name in ("weather", "contacts", "calendars", "routes"):
        (folder / f"{name}.jsonl").write_text("")
    (folder / "locations.jsonl").write_text(json.dumps(ELSEWHERE) + "\n")
    return folder


def tasks_in(tmp_path: Path, text: str) -> Path:
    folder = tmp_path / "tasks"
    folder.mkdir()
    (folder / "base_fog.yaml").write_text(text)
    return folder


def test_a_place_of_the_given_world_is_known(tmp_path: Path, world: Path) -> None:
    folder = tasks_in(tmp_path, GOOD.replace("Utrecht", "Elsewhere"))
    [task], unsupported, opened = load(Selection(folder), world)
    assert task.car.start["current_location"] == ELSEWHERE
    assert opened.locations() == (ELSEWHERE,)
    assert unsupported == []


def test_a_place_of_the_own_world_alone_is_refused_in_another(tmp_path: Path, world: Path) -> None:
    folder = tasks_in(tmp_path, GOOD)
    assert load(Selection(folder), None)[0]
    with pytest.raises(BadTasks) as raised:
        load(Selection(folder), world)
    [line] = raised.value.problems
    place = "car.start.current_location: expected a place of the world; known are Elsewhere"
    assert line == f"{folder}/base_fog.yaml:6: {place}"


def test_a_task_named_twice_is_played_once(tmp_path: Path) -> None:
    folder = tasks_in(tmp_path, GOOD)
    chosen, _, _ = load(Selection(folder, task_ids=("base_fog", "base_fog")), None)
    assert [task.task_id for task in chosen] == ["base_fog"]


def test_validate_checks_tasks_in_the_given_world(
    tmp_path: Path, world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TasksFailed):
        validate(RunOptions(tasks_from=tasks_in(tmp_path, GOOD), world=world), as_json=True)
    assert "expected a place of the world" in capsys.readouterr().out
