"""Tasks in folders: splits, ids of their own, families and twins."""

from pathlib import Path

import pytest

from evaluator.problems import UsageProblem
from evaluator.results.manifest import task_checksum
from evaluator.task.files import own_tasks, read_tasks
from evaluator.task.selection import Selection, load
from evaluator.task.task import Telling
from evaluator.task.worlds import own_world
from tests.evaluator.task.test_task_files import GOOD

WORLD = own_world()
LIMIT = (
    GOOD.replace("task_id: base_fog", "task_id: limit_fog\nfamily: base_fog\ntwin: base_fog")
    .replace("type: base", "type: hallucination_missing_tool")
    .replace("car:\n", "car:\n  removed: [set_fog_lights]\n")
    .replace("    answers:", "    on_limit: Pity.\n    press: And the fog lights?\n    answers:")
)


def write(folder: Path, **texts: str) -> Path:
    """Task files by their path with `__` for `/`."""
    for path, text in texts.items():
        file = folder / f"{path.replace('__', '/')}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def problems(folder: Path) -> list[str]:
    return [line.removeprefix(f"{folder}/") for line in read_tasks(folder, WORLD)[1]]


def test_tasks_are_read_from_folders_in_order_of_their_names(tmp_path: Path) -> None:
    late, early = GOOD.replace("base_fog", "base_b"), GOOD.replace("base_fog", "base_a")
    write(tmp_path, lights__base_b=late, test__lights__deep__base_a=early, base_fog=GOOD)
    (tmp_path / "world").mkdir()
    (tmp_path / "world" / "notes.yaml").write_text("no task")
    tasks = own_tasks(tmp_path, WORLD)
    assert [(task.task_id, task.split) for task in tasks] == [
        ("base_a", "test"), ("base_b", None), ("base_fog", None),
    ]  # fmt: skip


def test_one_split_can_be_played(tmp_path: Path) -> None:
    other = GOOD.replace("base_fog", "base_mist")
    write(tmp_path, train__base_fog=GOOD, test__lights__base_mist=other)
    [task] = load(Selection(tmp_path, task_split="test"), None)[0]
    assert (task.task_id, task.split) == ("base_mist", "test")
    (tmp_path / "test" / "lights" / "base_mist.yaml").unlink()
    with pytest.raises(UsageProblem, match="in a folder train or test"):
        load(Selection(tmp_path, task_split="test"), None)


def test_a_task_in_another_folder_is_no_other_task(tmp_path: Path) -> None:
    [flat] = own_tasks(write(tmp_path / "one", base_fog=GOOD), WORLD)
    [deep] = own_tasks(write(tmp_path / "two", train__lights__base_fog=GOOD), WORLD)
    assert task_checksum(flat) == task_checksum(deep)


def test_a_name_for_what_is_told_makes_no_other_task(tmp_path: Path) -> None:
    [task] = own_tasks(write(tmp_path, base_fog=GOOD), WORLD)

    def telling(**fields: str) -> str:
        says = (Telling(any_of=("on",), **fields),)
        expect = task.expect.model_copy(update={"says": says})
        return task_checksum(task.model_copy(update={"expect": expect}))

    assert telling() == telling(called="that they are on")
    assert telling() != task_checksum(task)


def test_an_id_that_two_files_have_is_named_with_both(tmp_path: Path) -> None:
    write(tmp_path, train__base_fog=GOOD, test__base_fog=GOOD)
    [line] = problems(tmp_path)
    assert line == (
        "train/base_fog.yaml:1: task_id: expected one of its own, "
        f"{tmp_path}/test/base_fog.yaml has it too"
    )


def test_a_task_is_a_family_of_its_own_unless_it_names_another(tmp_path: Path) -> None:
    limit, twin = own_tasks(write(tmp_path, base_fog=GOOD, limit_fog=LIMIT), WORLD)[::-1]
    assert (limit.task_id, limit.family, limit.twin) == ("limit_fog", "base_fog", "base_fog")
    assert (twin.family, twin.twin) == ("base_fog", None)


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        ("twin: base_fog", "twin: base_mist",
         "limit_fog.yaml:3: twin: expected a task of this folder, not base_mist"),
        ("twin: base_fog", "twin: limit_fog",
         "limit_fog.yaml:3: twin: expected a task whose car lacks nothing, not limit_fog"),
        ("family: base_fog\n", "", "limit_fog.yaml:1: family: expected that of the twin, base_fog"),
        ("Fog lights, please.", "Fog lights!",
         "limit_fog.yaml:13: driver.script: expected what its twin has, base_fog"),
        ("    current_datetime", "    fan_speed: 2\n    current_datetime",
         "limit_fog.yaml:8: car.start: expected what its twin has, base_fog"),
        ("    - get_exterior_lights_status\n", "",
         "limit_fog.yaml:21: expect.actions: expected what its twin has, base_fog"),
    ],
)  # fmt: skip
def test_a_twin_is_the_same_task_in_a_whole_car(
    tmp_path: Path, right: str, wrong: str, expected: str
) -> None:
    assert problems(write(tmp_path, base_fog=GOOD, limit_fog=LIMIT)) == []
    assert right in LIMIT
    write(tmp_path, limit_fog=LIMIT.replace(right, wrong))
    assert problems(tmp_path) == [expected]


def test_only_limit_awareness_has_twins_and_twins_share_a_split(tmp_path: Path) -> None:
    write(tmp_path, base_fog=GOOD.replace("car:\n", "twin: base_fog\ncar:\n", 1))
    assert problems(tmp_path)[0] == (
        "base_fog.yaml:4: twin: allowed only for task types hallucination_…"
    )
    (tmp_path / "base_fog.yaml").unlink()
    write(tmp_path, train__base_fog=GOOD, test__limit_fog=LIMIT)
    assert problems(tmp_path) == [
        "test/limit_fog.yaml:3: twin: expected one in the same split, base_fog is in train"
    ]
