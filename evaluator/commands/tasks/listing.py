"""`codriver tasks list` and `tasks show`."""

from pathlib import Path
from typing import Any

from assistant_gateway.wording.spoken import counted
from evaluator.allowed_values import one_of
from evaluator.reference.difficulty import difficulty
from evaluator.reference.plan import reference_plan
from evaluator.task.public_tasks import unsupported
from evaluator.task.selection import SPLITS, TASK_TYPES, Selection, load_tasks, load_world
from evaluator.task.task import Task
from evaluator.views.printing import print_json, print_rich, print_rows
from evaluator.views.task_scoring import scored


def list_all(
    tasks_from: Path | None, task_type: str, split: str, *, verbose: bool, as_json: bool
) -> None:
    """Print a line per task; `verbose` says what is scored instead of type and title."""
    one_of("--task-type", task_type, TASK_TYPES)
    one_of("--task-split", split, SPLITS)
    tasks = Selection(tasks_from, task_type, split).choose(load_tasks(tasks_from))
    rows = [_row(task) for task in tasks]
    if as_json:
        print_json(rows)
        return
    below = f"{counted(len(rows), 'task')}; look at one with: codriver tasks show TASK"
    if verbose:
        print_rows(("task", "scored"), [(row["task_id"], row["scored"]) for row in rows], below)
        return
    lines = [
        (task.task_id, _asked_as(task), str(row["actions"]), task.title)
        for task, row in zip(tasks, rows, strict=True)
    ]
    print_rows(("task", "type", "actions", "title"), lines, below)


def _asked_as(task: Task) -> str:
    """How --task-type knows a main type."""
    return "limit" if task.main_type == "hallucination" else task.main_type


def _row(task: Task) -> dict[str, Any]:
    return {
        "task_id": task.task_id,
        "task_type": task.task_type,
        "title": task.title,
        "split": task.split,
        "family": task.family,
        "twin": task.twin,
        "actions": len(task.expect.actions),
        "settled_by": task.settled_by,
        "difficulty": difficulty(task).bands(),
        "scored": scored(task),
        "unsupported_tools": unsupported(task),
    }


def show_one(task_id: str, tasks_from: Path | None, *, as_json: bool) -> None:
    world = load_world(tasks_from, None)
    [task] = Selection(task_ids=(task_id,)).choose(load_tasks(tasks_from, world))
    if as_json:
        print_json({**task.model_dump(mode="json"), "scored": scored(task)})
        return
    from evaluator.views.task_sheet import sheet

    print_rich(*sheet(task, world, reference_plan(task, world)))
