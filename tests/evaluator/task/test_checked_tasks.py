"""Tasks without a problem are checked once; whatever they were made of, a change is seen."""

import os
from pathlib import Path

import pytest

from evaluator.task import checked_tasks
from evaluator.task.files import BadTasks, own_tasks, task_files
from evaluator.task.selection import Selection, load
from evaluator.task.worlds import own_world
from tests.evaluator.task.test_task_files import GOOD
from vehicle_bus.world.world import World

WORLD = own_world()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CODRIVER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path, cache: Path) -> Path:
    """A folder of enough tasks that they are kept."""
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    for n in range(checked_tasks.FEW):
        (tasks / f"base_fog_{n}.yaml").write_text(GOOD.replace("base_fog", f"base_fog_{n}"))
    return tasks


def place_of(folder: Path, world: World = WORLD) -> Path | None:
    return checked_tasks.place(sorted(task_files(folder)), folder, world)


def test_kept_tasks_are_the_tasks_that_were_read(folder: Path, cache: Path) -> None:
    read = own_tasks(folder, WORLD)
    [file] = cache.iterdir()
    assert file == place_of(folder)
    kept = checked_tasks.kept(file)
    assert kept == read == own_tasks(folder, WORLD)
    assert [task.model_fields_set for task in kept] == [task.model_fields_set for task in read]


def test_a_changed_file_a_new_name_and_another_world_are_seen(folder: Path) -> None:
    place, one = place_of(folder), folder / "base_fog_1.yaml"
    assert place != place_of(folder, World())
    one.write_text(one.read_text().replace("title: ", "title: Another "))
    assert place != (changed := place_of(folder))
    (folder / "train").mkdir()
    one.rename(folder / "train" / one.name)
    assert place_of(folder) not in (place, changed)


def test_what_is_wrong_is_told_each_time(folder: Path, cache: Path) -> None:
    (folder / "base_fog_1.yaml").write_text("task_id: 1")
    for _ in range(2):
        with pytest.raises(BadTasks):
            own_tasks(folder, WORLD)
    assert not cache.exists()


def test_a_damaged_or_unwritable_cache_costs_only_time(folder: Path, cache: Path) -> None:
    read = own_tasks(folder, WORLD)
    [file] = cache.iterdir()
    file.write_bytes(file.read_bytes()[:-100])
    assert own_tasks(folder, WORLD) == read == checked_tasks.kept(file)
    file.unlink()
    cache.rmdir()
    cache.write_text("no folder")
    assert own_tasks(folder, WORLD) == read


def test_sets_that_nobody_has_asked_for_the_longest_are_forgotten(cache: Path) -> None:
    places = [cache / f"tasks-{n}.json" for n in range(checked_tasks.MOST_KEPT + 2)]
    for age, place in enumerate(places):
        checked_tasks.keep([], place)
        os.utime(place, (age, age))
    assert set(cache.iterdir()) == set(places[2:])


def test_of_tasks_chosen_by_id_only_their_files_are_read(folder: Path) -> None:
    (folder / "base_broken.yaml").write_text("task_id: 1")
    tasks, _, _ = load(Selection(folder, task_ids=("base_fog_3", "base_fog_1")), None)
    assert [task.task_id for task in tasks] == ["base_fog_3", "base_fog_1"]
    (folder / "train").mkdir()
    (folder / "train" / "base_fog_1.yaml").write_text(GOOD)
    with pytest.raises(BadTasks, match="base_broken"):
        load(Selection(folder, task_ids=("base_fog_1",)), None)
