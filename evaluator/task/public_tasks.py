"""The public benchmark's tasks, read from its files as they lie."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from assistant_gateway.timing.budgets import TurnClass
from evaluator.problems import UsageProblem
from evaluator.task.checked_tasks import FEW, keep, kept, place_of
from evaluator.task.public_scripts import Review, review_of
from evaluator.task.task import Action, Expectation, Request, Task
from user_sim.derived.derive import derive_script
from user_sim.script import DriverBrief, Persona
from vehicle_bus.car.state import CarSetup
from vehicle_bus.car.tool import CONFIRM
from vehicle_bus.tools import BY_NAME, CHANGING
from vehicle_bus.validation_problem import first_problem

Row = dict[str, Any]
MAIN_TYPES = ("base", "hallucination", "disambiguation")
SPLITS_FILE = "task_splits.json"
# Navigation, search and charging, by what their tools are called.
TAKES_LONG = re.compile(r"navig|route|_poi_|waypoint|charging|_soc|location_id")
SIMPLE_LOOK_UPS = 2
LONGEST_NAME = 36
# What notes on disambiguation tasks call the thing that settles them, by priority.
SETTLED = (
    (1, re.compile(r"\bexplicit (user )?request\b")),
    (2, re.compile(r"\bpreferences?\b")),
    (3, re.compile(r"\b(heuristic|rule)\b")),
    (4, re.compile(r"\bcontext\b")),
)


def is_public(folder: Path) -> bool:
    """Whether a folder holds the public benchmark's files rather than ours."""
    return any((folder / _file_name(main_type)).is_file() for main_type in MAIN_TYPES)


def public_tasks(
    folder: Path, types: Sequence[str] = MAIN_TYPES, split: str | None = None
) -> list[Task]:
    """Read the public tasks of some types, in file order; `UsageProblem` names what is wrong.

    What was made of the same files before is kept, for deriving their scripts takes long.
    """
    files = [folder / _file_name(main_type) for main_type in types]
    at = place_of([*files, folder / SPLITS_FILE], folder, "public tasks")
    tasks = kept(at) if at else None
    if tasks is None:
        tasks = _read(files, _splits(folder / SPLITS_FILE))
        if at and len(tasks) >= FEW:
            keep(tasks, at)
    return [task for task in tasks if split in (None, task.split)]


def _read(files: Sequence[Path], splits: dict[str, str]) -> list[Task]:
    return [_task(row, splits, f"{file}:{number}") for file in files for number, row in _rows(file)]


def unsupported(task: Task) -> list[str]:
    """Names of the tools a task needs and this car does not have."""
    return sorted({action.name for action in task.expect.actions} - BY_NAME.keys())


def _file_name(main_type: str) -> str:
    return f"tasks_{main_type}.jsonl"


def _rows(file: Path) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(_bytes(file).splitlines(), start=1):
        if line.strip():
            yield number, _object(line, f"{file}:{number}")


def _splits(file: Path) -> dict[str, str]:
    """Task id to `train` or `test`; the file lists ids by `family_split`."""
    listed = _object(_bytes(file), str(file))
    return {task_id: name.rpartition("_")[2] for name, ids in listed.items() for task_id in ids}


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageProblem(
            f"{file}: {error.strerror}; expected the public benchmark's task files there"
        ) from error


def _object(text: bytes, where: str) -> Row:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UsageProblem(f"{where}: expected JSON, but {error}") from error
    if not isinstance(found, dict):
        raise UsageProblem(f"{where}: expected a JSON object")
    return found


def _task(row: Row, splits: dict[str, str], where: str) -> Task:
    try:
        return _from_row(row, splits)
    except KeyError as error:
        raise UsageProblem(f"{where}: expected the field {error}") from error
    except ValidationError as error:
        raise UsageProblem(f"{where}: {first_problem(error)}") from error


def _from_row(row: Row, splits: dict[str, str]) -> Task:
    task_type, removed = row["task_type"], tuple(row["removed_part"] or ())
    instruction, settle_alone = row["instruction"], row["disambiguation_element_internal"]
    review = review_of(row["task_id"], instruction)
    derived = derive_script(instruction, task_type, settle_alone=settle_alone)
    actions = tuple(Action(name=a["name"], arguments=a["kwargs"]) for a in row["actions"])
    return Task(
        task_id=row["task_id"],
        task_type=task_type,
        title=_title(actions),
        source="public",
        split=splits.get(row["task_id"]),
        car=CarSetup(
            start=row["context_init_config"],
            calendar_id=row["calendar_id"],
            removed=removed,
            compat="car-bench",
            public_tools_only=True,
        ),
        driver=DriverBrief(
            instruction=instruction,
            persona=Persona(text=row["persona"]),
            script=review.script(derived) if review else derived,
            removed=removed,
            settle_alone=settle_alone,
        ),
        expect=Expectation(
            actions=actions,
            requests=_requests(review),
            turn_classes=turn_classes(task_type, actions),
            settled_by=settled_by(row),
        ),
    )


def _requests(review: Review | None) -> tuple[Request, ...]:
    shared_out = review.requests if review else ()
    return tuple(Request(actions=n, reply="" if n else "All right.") for n in shared_out)


def settled_by(row: Row) -> int | None:
    """The priority the author's note names; None if it names none that is known here."""
    noted = f"{row.get('disambiguation_element_note')} {row['disambiguation_element_internal']}"
    return next((number for number, words in SETTLED if words.search(noted)), None)


def _title(actions: Sequence[Action]) -> str:
    """The call that matters most, and how many others there are."""
    changes = [action for action in actions if action.name in CHANGING]
    name = (changes or list(actions))[0].name[:LONGEST_NAME]
    return f"{name} +{len(actions) - 1}" if len(actions) > 1 else name


def turn_classes(task_type: str, actions: Sequence[Action]) -> tuple[TurnClass, ...]:
    """The latency budget of each turn, from the kind of calls a task expects.

    Where a question is due before anything changes, the first turns end in it.
    """
    look_ups = [action for action in actions if action.name not in CHANGING]
    work = _work_class(actions)
    if task_type.startswith("hallucination"):
        return (_work_class(look_ups) if look_ups else "G",)
    asking: TurnClass = _work_class(look_ups) if look_ups else "E"
    confirms = any(_needs_a_yes(action) for action in actions)
    if task_type == "disambiguation_user":
        return (asking, "E", "F") if confirms else (asking, work)
    return (asking, "F") if confirms else (work,)


def _work_class(actions: Sequence[Action]) -> TurnClass:
    look_ups = sum(action.name not in CHANGING for action in actions)
    if any(TAKES_LONG.search(action.name) for action in actions):
        return "D"
    if look_ups == len(actions):
        return "C" if look_ups <= SIMPLE_LOOK_UPS else "D"
    return "B" if len(actions) <= 1 else "D"


def _needs_a_yes(action: Action) -> bool:
    tool = BY_NAME.get(action.name)
    return tool is not None and tool.description.startswith(CONFIRM)
