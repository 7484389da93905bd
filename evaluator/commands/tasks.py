"""`codriver tasks`: list, show, and prove that a task can be passed, but not cheaply."""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluator.allowed_values import one_of
from evaluator.commands.run import run_to_end
from evaluator.options import RunOptions
from evaluator.problems import Problem
from evaluator.reference.plan import reference_plan
from evaluator.results.store import UnitResult
from evaluator.task.files import read_tasks
from evaluator.task.public_tasks import is_public, unsupported
from evaluator.task.selection import SPLITS, TASK_TYPES, Selection, load_tasks, load_world
from evaluator.task.task import Task
from evaluator.views.printing import print_json, print_rich, print_rows
from evaluator.views.task_scoring import scored

ASKED_AS = {"hallucination": "limit"}  # how --task-type knows a family


class TasksFailed(Problem):
    """The gate of `tasks validate`."""


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
    below = f"{len(rows)} tasks; look at one with: codriver tasks show TASK"
    if verbose:
        print_rows(("task", "scored"), [(row["task_id"], row["scored"]) for row in rows], below)
        return
    lines = [
        (task.task_id, ASKED_AS.get(task.family, task.family), str(row["actions"]), task.title)
        for task, row in zip(tasks, rows, strict=True)
    ]
    print_rows(("task", "type", "actions", "title"), lines, below)


def _row(task: Task) -> dict[str, Any]:
    return {
        "task_id": task.task_id,
        "task_type": task.task_type,
        "title": task.title,
        "split": task.split,
        "actions": len(task.expect.actions),
        "settled_by": task.settled_by,
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


def validate(options: RunOptions, *, as_json: bool) -> None:
    """Play all tasks with three agents; raises `TasksFailed` if one is unsound."""
    found, errors = _all_tasks(options.tasks_from, options.world)
    tasks = () if errors else Selection(task_ids=options.task_ids).choose(found)
    played = {
        agent: _units(replace(options, agent=agent)) if tasks else []
        for agent in ("reference", "null", "claims")
    }
    passed = {
        agent: [unit for unit in units if unit.score.outcome == "success"]
        for agent, units in played.items()
    }
    wrong = [*errors, *(line for agent in played for line in _unsound(agent, played[agent]))]
    figures = {
        "tasks": len(tasks),
        "by_type": dict(Counter(task.task_type for task in tasks)),
        "reference_pass": len(passed["reference"]),
        "null_pass": len(passed["null"]),
        "claims_pass": len(passed["claims"]),
        "errors": wrong,
    }
    if as_json:
        print_json(figures)
    else:
        print_rich(
            *wrong,
            f"{len(tasks)} tasks: reference passes {figures['reference_pass']}, "
            f"null {figures['null_pass']}, claims {figures['claims_pass']}",
        )
    if wrong:
        raise TasksFailed(f"{len(wrong)} problems; a sound task is passed by reference alone")


def _all_tasks(tasks_from: Path | None, world: Path | None) -> tuple[list[Task], tuple[str, ...]]:
    """All usable tasks of a folder, and a line for everything that is wrong with the others."""
    if tasks_from is not None and is_public(tasks_from):
        return load_tasks(tasks_from), ()
    return read_tasks(tasks_from, load_world(tasks_from, world))


def _unsound(agent: str, units: list[UnitResult]) -> Iterator[str]:
    """A line for each unit that did not end as it has to with this agent."""
    for unit in units:
        outcome = unit.score.outcome
        if agent == "reference" and outcome != "success":
            yield f"{unit.task_id}: reference does not pass, {outcome}: {unit.score.reason}"
        elif agent != "reference" and outcome == "success":
            yield f"{unit.task_id}: {agent} passes it, so it does not check enough"
        elif agent != "reference" and outcome != "failure":
            yield f"{unit.task_id}: {agent} cannot be judged, {outcome}: {unit.score.reason}"


def _units(options: RunOptions) -> list[UnitResult]:
    sys.stderr.write(f"playing all tasks with {options.agent}\n")
    with tempfile.TemporaryDirectory(prefix="codriver-validate-") as folder:
        return run_to_end(replace(options, out=Path(folder) / options.agent), quiet=True).units
