"""Task files: one task per YAML file. The format is described in docs/tasks.md.

A bad file never stops the reading of the others: every problem of every file is listed, one line
each, as `file:line: field: what was expected`.
"""

import difflib
import re
from collections.abc import Iterator
from datetime import datetime
from inspect import isclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

import evaluator
from evaluator.problems import UsageProblem
from evaluator.task import checked_tasks
from evaluator.task.checks import problems_of
from evaluator.task.marked_yaml import BadYaml, FieldProblem, Where, read
from evaluator.task.set_checks import set_problems
from evaluator.task.task import Split, Task
from evaluator.task.worlds import WORLD_FOLDERS, world_for
from vehicle_bus.car.state import CONTEXT_NAMES, STATE_NAMES, FixedContext
from vehicle_bus.data_folder import shipped
from vehicle_bus.world.world import Row, World

# Fields of the models that a file has no say in.
FILLED_IN: dict[Where, frozenset[str]] = {
    (): frozenset({"source", "split"}),
    ("car",): frozenset({"public_tools_only", "compat"}),
    ("driver",): frozenset({"removed"}),
    ("driver", "script"): frozenset({"origin"}),
}
START: Where = ("car", "start")


class BadTasks(UsageProblem):
    """Task files that cannot be used; one line per problem."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type["BadTasks"], tuple[tuple[str, ...]]]:
        """So that a worker process can hand it on."""
        return type(self), (self.problems,)


def shipped_tasks() -> Path:
    """The folder of the tasks that come with codriver."""
    assert evaluator.__file__ is not None
    return shipped("tasks", evaluator.__file__)


def own_tasks(folder: Path | None = None, world: World | None = None) -> list[Task]:
    """Read all task files of a folder, by name; `BadTasks` lists everything wrong with them.

    Without a folder these are the tasks that come with codriver; without a world it is the one
    that lies beside the tasks, else the one that comes with codriver. Nothing is checked twice.
    """
    world = world or world_for(folder)
    files = sorted(task_files(folder or shipped_tasks()))
    at = checked_tasks.place(files, folder or shipped_tasks(), world)
    if at is not None and (kept := checked_tasks.kept(at)) is not None:
        return kept
    tasks, problems = read_tasks(folder, world)
    if problems:
        raise BadTasks(problems)
    if at is not None and at == checked_tasks.place(files, folder or shipped_tasks(), world):
        checked_tasks.keep(tasks, at)
    return tasks


def own_task(folder: Path | None, task_id: str, world: World) -> Task | None:
    """One task of a folder, by the name of its file; None if there is none.

    Only its file is read and checked; `BadTasks` lists everything wrong with it.
    """
    folder = folder or shipped_tasks()
    for file in task_files(folder):
        if file.stem == task_id:
            task, problems = read_task(file, world, split_of(file, folder))
            if problems:
                raise BadTasks(tuple(problems))
            return task
    return None


def read_tasks(
    folder: Path | None = None, world: World | None = None
) -> tuple[list[Task], tuple[str, ...]]:
    """The usable tasks of a folder, and a line for everything that is wrong with the others."""
    world = world or world_for(folder)
    folder = folder or shipped_tasks()
    files = sorted(task_files(folder), key=lambda file: (file.stem, file))
    if not files:
        return [], (f"{folder}: expected task files (*.yaml) in this folder",)
    read_files = [(file, *read_task(file, world, split_of(file, folder))) for file in files]
    tasks = [(file, task) for file, task, _ in read_files if task is not None]
    problems = [problem for _, _, wrong in read_files for problem in wrong]
    return [task for _, task in tasks], (*problems, *set_problems(tasks))


def task_files(folder: Path) -> Iterator[Path]:
    """The task files of a folder and the folders in it, but for a world that lies beside them."""
    for file in folder.rglob("*.yaml"):
        if file.relative_to(folder).parts[0] not in WORLD_FOLDERS:
            yield file


def split_of(file: Path, folder: Path) -> Split | None:
    """The split whose folder a file lies in, `train` or `test` right below the tasks."""
    first = file.relative_to(folder).parts[0]
    return next((split for split in get_args(Split) if split == first), None)


def read_task(
    file: Path, world: World, split: Split | None = None
) -> tuple[Task | None, list[str]]:
    """One task and what is wrong with it; the task is None if anything is."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None, [f"{file}:1: expected text in UTF-8"]
    except OSError as error:
        return None, [f"{file}:1: expected a readable file, but {error.strerror}"]
    return parse_task(text, file, world, split)


def parse_task(
    text: str, file: Path, world: World, split: Split | None = None
) -> tuple[Task | None, list[str]]:
    """The same for a text that stands in `file`."""
    try:
        marked = read(text)
    except BadYaml as error:
        return None, [f"{file}:{error.line}: {error.expected}"]
    if not isinstance(marked.value, dict):
        return None, [f"{file}:1: expected fields such as task_id, car, driver and expect"]
    task, problems = _task(marked.value, file.stem, world, split)
    return (None if problems else task), [marked.problem_line(file, one) for one in problems]


def _task(
    written: dict[str, Any], name: str, world: World, split: Split | None
) -> tuple[Task | None, list[FieldProblem]]:
    problems = [*_given_too_much(written), *_start_problems(written, world)]
    try:
        task = Task.model_validate({**_filled_in(written, world), "split": split})
    except ValidationError as error:
        return None, [*problems, *_schema_problems(error)]
    problems += problems_of(task, world)
    if task.task_id != name:
        problems.append((("task_id",), f"expected the name of the file, {name}"))
    return task, problems


def _given_too_much(written: dict[str, Any]) -> Iterator[FieldProblem]:
    for where, names in FILLED_IN.items():
        part = _at(written, where)
        if isinstance(part, dict):
            for name in sorted(names & part.keys()):
                yield ((*where, name), "expected nothing here, this is filled in")


def _at(written: Any, where: Where) -> Any:
    for name in where:
        written = written.get(name) if isinstance(written, dict) else None
    return written


def _filled_in(written: dict[str, Any], world: World) -> dict[str, Any]:
    """The fields of a `Task` from what is written shorter in a file."""
    filled = dict(written)
    car, driver, expect = (written.get(part) for part in ("car", "driver", "expect"))
    if isinstance(car, dict):
        filled["car"] = {**car, "start": _start(car.get("start", {}), world)}
        if isinstance(driver, dict):
            filled["driver"] = {**driver, "removed": car.get("removed", ())}
    if isinstance(expect, dict) and isinstance(expect.get("actions"), list):
        filled["expect"] = {**expect, "actions": [_action(one) for one in expect["actions"]]}
        if isinstance(expect.get("says"), list):
            filled["expect"]["says"] = [_telling(one) for one in expect["says"]]
    return filled


def _start(start: Any, world: World) -> Any:
    if not isinstance(start, dict):
        return start
    filled = {name: value for name, value in start.items() if name in STATE_NAMES | CONTEXT_NAMES}
    place = _place(start.get("current_location"), world)
    moment = _moment(start.get("current_datetime"))
    if place is not None:
        filled["current_location"] = {key: place[key] for key in ("id", "name", "position")}
    if moment is not None:
        filled["current_datetime"] = moment
    return filled


def _place(written: Any, world: World) -> Row | None:
    return next((row for row in world.locations() if row["name"] == written), None)


def _moment(written: Any) -> dict[str, int] | None:
    """`2025-03-10 07:45` as the parts of a date and time."""
    try:
        moment = datetime.strptime(written, "%Y-%m-%d %H:%M")  # noqa: DTZ007 - the car's own clock
    except (TypeError, ValueError):
        return None
    return {part: getattr(moment, part) for part in ("year", "month", "day", "hour", "minute")}


def _start_problems(written: dict[str, Any], world: World) -> Iterator[FieldProblem]:
    start = _at(written, START)
    if not isinstance(start, dict):
        return
    known = sorted(STATE_NAMES | CONTEXT_NAMES)
    for name in start:
        if name not in known:
            yield ((*START, name), f"no car has this{_did_you_mean(name, known)}")
    place, moment = start.get("current_location"), start.get("current_datetime")
    if place is not None and _place(place, world) is None:
        known = [row["name"] for row in world.locations()]
        near = _did_you_mean(str(place), known)
        yield ((*START, "current_location"), f"expected a place of the world{near}")
    if moment is not None and _moment(moment) is None:
        expected = "expected a time such as 2025-03-10 07:45"
        yield ((*START, "current_datetime"), expected)


def _action(written: Any) -> Any:
    """`- get_climate_settings` or `- set_fan_speed: {level: 2}`."""
    if isinstance(written, str):
        return {"name": written}
    if isinstance(written, dict) and len(written) == 1:
        [(name, arguments)] = written.items()
        return {"name": name, "arguments": {} if arguments is None else arguments}
    return written


def _telling(written: Any) -> Any:
    """`- get_weather.current_slot.condition`, or a list of which one is enough."""
    if isinstance(written, str):
        return {"any_of": [written]}
    return {"any_of": written} if isinstance(written, list) else written


def _schema_problems(error: ValidationError) -> Iterator[FieldProblem]:
    for item in error.errors(include_url=False):
        where = item["loc"]
        if where[:2] == START and where[2:3] in (("current_location",), ("current_datetime",)):
            continue  # already reported in our words
        match item["type"]:
            case "missing":
                yield (where, "expected this field, it is missing")
            case "default_factory_not_called":
                continue  # something it is made of is wrong
            case "extra_forbidden":
                known = _did_you_mean(str(where[-1]), _known(where[:-1]))
                yield (where, f"no such field here{known}")
            case "literal_error":
                choices = item["ctx"]["expected"].replace("'", "")
                near = _nearest(str(item["input"]), re.split(", | or ", choices))
                yield (where, f"expected {choices}{near}")
            case _:
                yield (where, _expected(item["msg"]))


def _expected(message: str) -> str:
    message = message.removeprefix("Value error, ")
    message = message.replace("tuple", "list").replace("dictionary", "mapping")
    return re.sub(r"^\w+ should (be )?", "expected ", message)


def _known(where: Where) -> list[str]:
    """The fields a file may have at this place."""
    model: type[BaseModel] = Task
    for name in where:
        if isinstance(name, int):
            continue
        field = model.model_fields.get(name)
        annotation = FixedContext if name == "start" else field and field.annotation
        models = (kind for kind in (annotation, *get_args(annotation)) if _is_model(kind))
        model = next(models, BaseModel)
    return sorted(set(model.model_fields) - FILLED_IN.get(where, frozenset()))


def _is_model(kind: Any) -> bool:
    return isclass(kind) and issubclass(kind, BaseModel)


def _did_you_mean(name: str, known: list[str]) -> str:
    near = _nearest(name, known)
    return near or (f"; known are {', '.join(known)}" if known else "")


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""
