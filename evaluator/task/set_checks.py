"""What can be wrong with a set of tasks, each by itself sound: ids, twins and families."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from evaluator.task.marked_yaml import FieldProblem, Where, read
from evaluator.task.task import Task

SAID_OF_LIMITS = {"on_limit", "press"}  # what the driver of a twin has no use for


def set_problems(tasks: Sequence[tuple[Path, Task]]) -> Iterator[str]:
    """A line for everything wrong, with the file it stands in."""
    files: dict[str, list[Path]] = defaultdict(list)
    for file, task in tasks:
        files[task.task_id].append(file)
    for first, *others in files.values():
        for file in others:
            yield _line(file, (("task_id",), f"expected one of its own, {first} has it too"))
    by_id = {task.task_id: task for _, task in tasks}
    for file, task in tasks:
        for problem in _twin_problems(task, by_id):
            yield _line(file, problem)


def _twin_problems(task: Task, by_id: dict[str, Task]) -> Iterator[FieldProblem]:
    if task.twin is None:
        return
    twin = by_id.get(task.twin)
    if twin is None:
        yield ("twin",), f"expected a task of this folder, not {task.twin}"
        return
    if twin.car.removed:
        yield ("twin",), f"expected a task whose car lacks nothing, not {twin.task_id}"
    if twin.family != task.family:
        yield ("family",), f"expected that of the twin, {twin.family}"
    if twin.split != task.split:
        yield ("twin",), f"expected one in the same split, {twin.task_id} is in {twin.split}"
    same, other = _in_common(task), _in_common(twin)
    for where in same:
        if same[where] != other[where]:
            yield where, f"expected what its twin has, {twin.task_id}"


def _in_common(task: Task) -> dict[Where, Any]:
    """What a task shares with its twin, by the place in the file."""
    script = task.driver.script
    return {
        ("car", "start"): task.car.model_dump(exclude={"removed"}),
        ("driver", "script"): script and script.model_dump(exclude=SAID_OF_LIMITS),
        ("expect", "actions"): task.expect.actions,
    }


def _line(file: Path, problem: FieldProblem) -> str:
    return read(file.read_text(encoding="utf-8")).problem_line(file, problem)
