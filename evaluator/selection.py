"""Which tasks a run plays: own or public ones, by type, split, id and number."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.problems import UsageProblem
from evaluator.task import Task

TASK_TYPES = ("all", "base", "hallucination", "disambiguation")
SPLITS = ("all", "train", "test")


@dataclass(frozen=True, slots=True)
class Selection:
    """What was asked for on the command line."""

    tasks_from: Path | None = None
    task_type: str = "all"
    task_split: str = "all"
    task_ids: tuple[str, ...] = ()
    num_tasks: int = -1

    def choose(self, tasks: Sequence[Task]) -> list[Task]:
        """Filter loaded tasks; ids win over type, split and number. Unknown ids are an error."""
        if self.task_ids:
            return [_by_id(tasks, task_id) for task_id in self.task_ids]
        chosen = [
            task
            for task in tasks
            if self.task_type in ("all", task.task_type.split("_")[0])
            and self.task_split in ("all", task.split)
        ]
        return chosen if self.num_tasks < 0 else chosen[: self.num_tasks]


def _by_id(tasks: Sequence[Task], task_id: str) -> Task:
    for task in tasks:
        if task.task_id == task_id:
            return task
    from difflib import get_close_matches

    near = get_close_matches(task_id, [task.task_id for task in tasks], n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else "`codriver tasks list` shows them"
    raise UsageProblem(f"there is no task {task_id!r}; {hint}")
