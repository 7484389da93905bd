"""Which tasks a run plays: own or public ones, by type, split, id and number."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from random import Random

from evaluator.problems import UsageProblem
from evaluator.task.files import own_task, own_tasks, shipped_tasks, task_files
from evaluator.task.public_tasks import is_public, public_tasks, unsupported
from evaluator.task.task import Task
from evaluator.task.worlds import open_world, world_for
from vehicle_bus.world.world import World

TASK_TYPES = ("all", "base", "hallucination", "limit", "disambiguation")  # limit is short
SPLITS = ("all", "train", "test")


@dataclass(frozen=True, slots=True)
class TypeSelection:
    """Which tasks of one type: by id, at most so many; -1 and None are all."""

    num_tasks: int = -1
    task_ids: tuple[str, ...] | None = None

    def of(self, tasks: Sequence[Task]) -> Iterator[Task]:
        listed = [task for task in tasks if self.task_ids is None or task.task_id in self.task_ids]
        yield from listed if self.num_tasks < 0 else listed[: self.num_tasks]


@dataclass(frozen=True, slots=True)
class Selection:
    """What was asked for on the command line; `shares` narrow single types down."""

    tasks_from: Path | None = None
    task_type: str = "all"
    task_split: str = "all"
    task_ids: tuple[str, ...] = ()
    num_tasks: int = -1
    seed: int = 10
    shares: Mapping[str, TypeSelection] = field(default_factory=dict)

    def choose(self, tasks: Sequence[Task]) -> list[Task]:
        """Filter loaded tasks; ids win over type, split and number.

        An id given twice is played once; an unknown one is an error.
        """
        if self.task_ids:
            return [_by_id(tasks, task_id) for task_id in dict.fromkeys(self.task_ids)]
        main_type = "hallucination" if self.task_type == "limit" else self.task_type
        chosen = [
            task
            for task in tasks
            if main_type in ("all", task.main_type) and self.task_split in ("all", task.split)
        ]
        chosen = self._shared_out(tasks, chosen)
        return chosen if self.num_tasks < 0 else self._drawn(chosen)

    def _drawn(self, chosen: Sequence[Task]) -> list[Task]:
        """So many, of each type in proportion; a greater number adds to those of a smaller one."""
        places: dict[str, tuple[float, str]] = {}
        for main_type in sorted({task.main_type for task in chosen}):
            ids = sorted(
                (task.task_id for task in chosen if task.main_type == main_type),
                key=lambda task_id: Random(f"{self.seed}/{task_id}").random(),
            )
            places |= {each: ((n + 0.5) / len(ids), main_type) for n, each in enumerate(ids)}
        drawn = set(sorted(places, key=places.__getitem__)[: self.num_tasks])
        return [task for task in chosen if task.task_id in drawn]

    def _shared_out(self, tasks: Sequence[Task], chosen: Sequence[Task]) -> list[Task]:
        """Those of the chosen that the share of their type holds."""
        kept: set[str] = set()
        for main_type in {task.main_type for task in chosen}:
            share = self.shares.get(main_type, TypeSelection())
            for task_id in share.task_ids or ():
                _by_id(tasks, task_id)
            kept |= {
                task.task_id for task in share.of([t for t in chosen if t.main_type == main_type])
            }
        return [task for task in chosen if task.task_id in kept]


def _by_id(tasks: Sequence[Task], task_id: str) -> Task:
    for task in tasks:
        if task.task_id == task_id:
            return task
    raise _unknown(task_id, [task.task_id for task in tasks])


def _unknown(task_id: str, known: Sequence[str]) -> UsageProblem:
    near = get_close_matches(task_id, known, n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else "`codriver tasks list` shows them"
    return UsageProblem(f"there is no task {task_id!r}; {hint}")


def load_tasks(tasks_from: Path | None, world: World | Path | None = None) -> list[Task]:
    """Own tasks without a folder, public ones from a folder that holds them, else YAML files.

    YAML files are checked against `world`; without one against the world beside them, else ours.
    """
    if tasks_from is not None and not tasks_from.is_dir():
        raise UsageProblem(f"{tasks_from} is no folder; --tasks-from names a folder of tasks")
    if tasks_from is not None and is_public(tasks_from):
        return public_tasks(tasks_from)
    return own_tasks(tasks_from, open_world(world) if isinstance(world, Path) else world)


def _to_choose_from(selection: Selection, world: World) -> list[Task]:
    """All tasks; of own files with `task_ids` only these, if each is in one file."""
    folder, wanted = selection.tasks_from, set(selection.task_ids)
    if wanted and (folder is None or (folder.is_dir() and not is_public(folder))):
        files = task_files(folder or shipped_tasks())
        if Counter(file.stem for file in files if file.stem in wanted) == Counter(wanted):
            found = (own_task(folder, task_id, world) for task_id in wanted)
            return [task for task in found if task is not None]
    return load_tasks(folder, world)


def load_task(task_id: str, tasks_from: Path | None, world: World) -> Task:
    """One task that this car can play, without reading others where they are in own files."""
    if tasks_from is not None and (is_public(tasks_from) or not tasks_from.is_dir()):
        task = _by_id(load_tasks(tasks_from, world), task_id)
    elif (found := own_task(tasks_from, task_id, world)) is None:
        files = task_files(tasks_from or shipped_tasks())
        raise _unknown(task_id, [file.stem for file in files])
    else:
        task = found
    if unsupported(task):
        raise UsageProblem(f"this car lacks tools that {task_id} needs; choose another task")
    return task


def task_in(tasks: Mapping[str, Task], task_id: str, words: Mapping[str, str]) -> Task:
    """The task of a stored unit, in the words that were said in it."""
    if task_id not in tasks:
        raise UsageProblem(
            f"task {task_id} of this run is not among the tasks; name them with --tasks-from"
        )
    return tasks[task_id].saying(words)


def load(selection: Selection, world_folder: Path | None) -> tuple[list[Task], list[str], World]:
    """The tasks to play, the ids of those this car cannot play yet, and their world."""
    world = load_world(selection.tasks_from, world_folder)
    chosen = selection.choose(_to_choose_from(selection, world))
    if not chosen:
        raise UsageProblem(
            "no task is left after --task-type, --task-split and --num-tasks (or the scenario's); "
            "tasks of your own belong to a split if they lie in a folder train or test"
        )
    missing = [task.task_id for task in chosen if unsupported(task)]
    tasks = [task for task in chosen if task.task_id not in missing]
    if not tasks:
        raise UsageProblem(
            f"this car lacks tools that {', '.join(missing[:3])} need; choose others"
        )
    return tasks, missing, world


def load_world(tasks_from: Path | None, folder: Path | None) -> World:
    """An explicit world, file or folder, wins over the one beside the tasks."""
    return world_for(tasks_from) if folder is None else open_world(folder)
