"""What a list of tasks shows of each, read without checking them."""

from contextlib import suppress
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from evaluator.task.files import shipped_tasks, task_files
from evaluator.task.public_tasks import is_public, public_tasks, unsupported
from vehicle_bus.data_folder import QUICK

SCRIPT = b"\n  script:\n"


class TaskLine(BaseModel):
    """One task to choose: `subject` is the folder it lies in, `goal` what its driver wants."""

    model_config = ConfigDict(frozen=True)

    id: str
    type: str
    subject: str
    title: str
    goal: str


class _Driver(BaseModel):
    instruction: str


class _Written(BaseModel):
    """What is read of the file of a task."""

    task_type: str
    title: str
    driver: _Driver


def task_lines(tasks_from: Path | None) -> tuple[TaskLine, ...]:
    """The tasks of a folder by id; own files that nobody can read are left out."""
    if tasks_from is not None and is_public(tasks_from):
        return tuple(
            TaskLine(
                id=task.task_id,
                type=task.main_type,
                subject=task.main_type,
                title=task.title,
                goal=task.driver.instruction.strip(),
            )
            for task in public_tasks(tasks_from)
            if not unsupported(task)
        )
    files = sorted(task_files(tasks_from or shipped_tasks()), key=lambda file: file.stem)
    return tuple(line for file in files if (line := _line(file)) is not None)


def _line(file: Path) -> TaskLine | None:
    try:
        written = _written(file.read_bytes())
    except (OSError, yaml.YAMLError, ValueError):
        return None
    return TaskLine(
        id=file.stem,
        type=written.task_type.split("_")[0],
        subject=file.parent.name,
        title=written.title,
        goal=written.driver.instruction.strip(),
    )


def _written(text: bytes) -> _Written:
    """What a list shows stands before the script, which is most of a file and is left out."""
    with suppress(yaml.YAMLError, ValueError):
        return _Written.model_validate(yaml.load(text.partition(SCRIPT)[0], QUICK))
    return _Written.model_validate(yaml.load(text, QUICK))
