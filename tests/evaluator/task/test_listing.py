"""One task without the others, and what a list shows of all."""

from pathlib import Path

import pytest

from evaluator.problems import UsageProblem
from evaluator.task.files import BadTasks, shipped_tasks
from evaluator.task.listing import task_lines
from evaluator.task.selection import load_task, load_tasks
from tests.evaluator.runs import WORLD

FOG = "base_fog_lights"


def test_a_list_has_every_task_that_ships_with_what_its_driver_wants() -> None:
    lines = task_lines(None)
    assert len(lines) == len(list(shipped_tasks().rglob("*.yaml")))
    assert [line.id for line in lines] == sorted(line.id for line in lines)
    [fog] = [line for line in lines if line.id == FOG]
    task = load_task(FOG, None, WORLD)
    assert (fog.type, fog.title, fog.goal) == ("base", task.title, task.driver.instruction.strip())


def test_a_list_reads_the_same_from_the_beginning_of_a_file_as_from_all_of_it(
    tmp_path: Path,
) -> None:
    [file] = shipped_tasks().rglob(f"{FOG}.yaml")
    quick, whole = tmp_path / "quick", tmp_path / "whole"
    for folder, text in (
        (quick, file.read_text()),
        (whole, file.read_text().replace("\n  script:\n", "\n  script:  # all of it\n")),
    ):
        folder.mkdir()
        (folder / file.name).write_text(text)
    [one], [other] = task_lines(quick), task_lines(whole)
    assert one.model_copy(update={"subject": ""}) == other.model_copy(update={"subject": ""})


def test_a_file_that_nobody_can_read_is_left_out_of_a_list(tmp_path: Path) -> None:
    for name, text in (("a", "task_type: base"), ("b", "{"), ("c", "- 1"), ("d", "\0")):
        (tmp_path / f"{name}.yaml").write_text(text)
    assert task_lines(tmp_path) == ()


def test_one_task_is_the_same_as_among_all_of_its_folder(tmp_path: Path) -> None:
    [file] = shipped_tasks().rglob(f"{FOG}.yaml")
    (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "broken.yaml").write_text("task_id: [")
    one = load_task(FOG, tmp_path, WORLD)
    (tmp_path / "broken.yaml").unlink()
    assert [one] == load_tasks(tmp_path, WORLD)


def test_a_task_that_is_not_there_or_cannot_be_used_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=f"did you mean {FOG}"):
        load_task("base_fog_light", None, WORLD)
    (tmp_path / "mine.yaml").write_text("task_id: mine\n")
    with pytest.raises(BadTasks, match=r"mine\.yaml"):
        load_task("mine", tmp_path, WORLD)
    with pytest.raises(UsageProblem, match="is no folder"):
        load_task("mine", tmp_path / "nowhere", WORLD)
