"""Finishing a run: the options it was begun with, and the command line that does it."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluator.event_loop import run_async
from evaluator.options import RunOptions, option_fields
from evaluator.problems import UsageProblem
from evaluator.results.manifest import Manifest
from evaluator.results.store import holds_run, open_store
from evaluator.secret_options import HIDDEN, may_be_secret

PATHS = {"tasks_from", "world", "prices", "scenario", "junit", "summary"}
OF_TASKS = {"task_ids", "task_type", "task_split", "num_tasks", "tasks_from", "scenario"}


def resume_command(given: Mapping[str, Any], folder: Path) -> str:
    """The command as text; what may hold a secret has to be given again, and is hidden."""
    again = [
        f"{flag(name)}={HIDDEN}" for name, value in given.items() if may_be_secret(name, value)
    ]
    return shlex.join(["codriver", "run", "--out", str(folder), "--resume", *again])


def with_options_of_run(options: RunOptions) -> RunOptions:
    """Options that are not given now are as when the run in `out` began; raises `UsageProblem`.

    Its tasks are those of the run, unless some are chosen now.
    """
    if options.out is None or not holds_run(options.out):
        return options
    manifest = run_async(_manifest(options.out))
    fields, stored = option_fields(RunOptions), manifest.options.get("given", {})
    missing = {name for name in stored.keys() & fields.keys() if stored[name] is None}
    if unknown := sorted(missing - options.given.keys()):
        flags = " and ".join(map(flag, unknown))
        raise UsageProblem(f"give {flags} again: it may hold a secret and is not stored")
    begun = {name: _read(name, value) for name, value in stored.items() if name in fields}
    if not options.given.keys() & OF_TASKS:
        begun["task_ids"] = (*manifest.tasks, *manifest.unsupported)
    given = {**begun, **options.given}
    return replace(options, **given, given=given)


def flag(name: str) -> str:
    """The flag of an option."""
    return f"--{name.removesuffix('_s').replace('_', '-')}"


def _read(name: str, value: Any) -> Any:
    if name in PATHS:
        return Path(value)
    return tuple(value) if isinstance(value, list) else value


async def _manifest(folder: Path) -> Manifest:
    async with open_store(folder) as store:
        return store.manifest
