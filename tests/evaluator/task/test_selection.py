"""Tasks are read and checked in the world they are played in."""

import json
from collections import Counter
from pathlib import Path

import pytest

from evaluator.commands.tasks.validate import TasksFailed, validate
from evaluator.options import RunOptions
from evaluator.task.files import BadTasks
from evaluator.task.selection import Selection, load, load_tasks
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


@pytest.mark.parametrize("number", [1, 7, 20])
def test_so_many_tasks_are_drawn_from_each_type_in_proportion(number: int) -> None:
    tasks = load_tasks(None)
    drawn = Selection(num_tasks=number).choose(tasks)
    assert len(drawn) == number
    assert drawn == [task for task in tasks if task in drawn], "in the usual order"
    for main_type, all_of_it in Counter(task.main_type for task in tasks).items():
        expected = number * all_of_it / len(tasks)
        assert abs(sum(task.main_type == main_type for task in drawn) - expected) < 1


def test_the_seed_decides_which_tasks_are_drawn() -> None:
    tasks = load_tasks(None)
    ten, others = (Selection(num_tasks=10, seed=seed).choose(tasks) for seed in (10, 11))
    assert ten == Selection(num_tasks=10).choose(tasks)
    assert ten != others
    more = Selection(num_tasks=11).choose(tasks)
    assert all(task in more for task in ten), "a larger sample holds the smaller one"


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
