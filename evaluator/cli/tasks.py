"""`codriver tasks`: list, show and check tasks."""

from pathlib import Path
from typing import Annotated

from evaluator.options import (
    NATURAL,
    OUTPUT,
    TASKS,
    Broker,
    Json,
    MaxConcurrency,
    Option,
    RunOptions,
    Seed,
    TaskIds,
    TasksFrom,
    TaskSplit,
    TaskType,
    World,
)


def list_tasks(
    tasks_from: TasksFrom = None,
    task_type: TaskType = "all",
    task_split: TaskSplit = "all",
    verbose: Annotated[bool, Option("Show what is scored instead of type and title.")] = False,
    as_json: Json = False,
) -> None:
    """List tasks with type, title and number of expected actions."""
    from evaluator.commands.tasks.listing import list_all

    list_all(tasks_from, task_type, task_split, verbose=verbose, as_json=as_json)


def show_task(task_id: str, tasks_from: TasksFrom = None, as_json: Json = False) -> None:
    """Show one task: what the driver wants, the state of the car, what is expected and scored."""
    from evaluator.commands.tasks.listing import show_one

    show_one(task_id, tasks_from, as_json=as_json)


def show_graph(tasks_from: TasksFrom = None, world: World = None, as_json: Json = False) -> None:
    """Which tools tell what others need, and in how many tasks each of these edges is used."""
    from evaluator.commands.tasks.graph import graph

    graph(tasks_from, world, as_json=as_json)


def generate_tasks(
    out: Annotated[
        Path, Option("New folder for the tasks.", OUTPUT, variable="CODRIVER_TASKS_GENERATE_OUT")
    ] = Path("fresh_tasks"),
    seed: Seed = 10,
    num: Annotated[int, Option("How many tasks.", TASKS, limits=NATURAL)] = 250,
    task_split: TaskSplit = "all",
    world: World = None,
    as_json: Json = False,
) -> None:
    """Make a fresh set of tasks from the motifs, with templated wording, by seed.

    Beside the task files lies skeletons.jsonl: motif, family, twin, the careless course and the
    facts of each task.
    """
    from evaluator.commands.tasks.generate import generate

    generate(out, seed, num, task_split, world, as_json=as_json)


def hear_replies(
    file: Path, tasks_from: TasksFrom = None, world: World = None, as_json: Json = False
) -> None:
    """What the scripted driver does after each reply in FILE, and what the scoring notes of it.

    Each line of FILE (`-` is standard input) is `{"task": id, "reply": text}`, and if need be
    `"earlier": [turns of the assistant before]` and `"done": "nothing", "all" or a number`, how
    many of the expected calls the car has carried out. With --json one line is printed for each.
    """
    from evaluator.commands.tasks.hear import hear

    hear(file, tasks_from, world, as_json=as_json)


def validate_tasks(
    tasks_from: TasksFrom = None,
    world: World = None,
    task_ids: TaskIds = (),
    max_concurrency: MaxConcurrency = 8,
    courses: Annotated[
        tuple[str, ...],
        Option(
            "Only these courses: foolish, sensible, none, or a name such as foolish:guess; "
            "repeat the option or separate by comma."
        ),
    ] = (),
    one_in: Annotated[
        int, Option("Play each course on one in so many tasks only.", limits=NATURAL)
    ] = 1,
    broker: Broker = "embedded",
    seed: Seed = 10,
    as_json: Json = False,
) -> None:
    """Check task files, then play them with agents that must pass, and others that must fail.

    `reference` and eight sensible courses must pass, `null`, `claims` and ten foolish ones fail.
    """
    from evaluator.commands.tasks.validate import validate

    options = RunOptions(
        tasks_from=tasks_from,
        world=world,
        task_ids=task_ids,
        max_concurrency=max_concurrency,
        pace="virtual",
        broker=broker,
        seed=seed,
    )
    validate(options, courses, one_in, as_json=as_json)
