"""`codriver tasks`: look at tasks and check them."""

from typing import Annotated

import typer

from evaluator.cli.options import (
    Broker,
    Json,
    MaxConcurrency,
    TaskIds,
    TasksFrom,
    TaskSplit,
    TaskType,
    WorldFrom,
    separated,
)


def list_tasks(
    tasks_from: TasksFrom = None,
    task_type: TaskType = "all",
    task_split: TaskSplit = "all",
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose/--no-verbose",
            envvar="CODRIVER_VERBOSE",
            help="Say what is scored instead of type and title.",
        ),
    ] = False,
    json_: Json = False,
) -> None:
    """List tasks with type, title and number of expected actions."""
    from evaluator.commands.tasks import list_all

    list_all(tasks_from, task_type, task_split, verbose=verbose, as_json=json_)


def show_task(task_id: str, tasks_from: TasksFrom = None, json_: Json = False) -> None:
    """Show one task: what the driver wants, how the car stands, what is expected and scored."""
    from evaluator.commands.tasks import show_one

    show_one(task_id, tasks_from, as_json=json_)


def validate_tasks(
    tasks_from: TasksFrom = None,
    world: WorldFrom = None,
    task_ids: TaskIds = None,
    max_concurrency: MaxConcurrency = 8,
    broker: Broker = "embedded",
    json_: Json = False,
) -> None:
    """Check task files, then play them: `reference` must pass, `null` and `claims` must fail."""
    from evaluator.commands.tasks import validate

    validate(tasks_from, world, separated(task_ids), max_concurrency, broker, as_json=json_)
