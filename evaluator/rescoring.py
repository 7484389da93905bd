"""`codriver score`: judge stored records again; no car, no model, no bus."""

import asyncio
from pathlib import Path
from typing import cast, get_args

from evaluator.printing import print_json, print_rich
from evaluator.problems import UsageProblem
from evaluator.scores import Profile, score
from evaluator.selection import load_tasks, load_world
from evaluator.store import open_store
from evaluator.summary import summary
from evaluator.table import headline, table


def rescore(
    folder: Path,
    profile: str | None,
    tasks_from: Path | None,
    world_folder: Path | None,
    *,
    as_json: bool,
) -> None:
    """Raises `UsageProblem` if the tasks the run was made of are not to be found."""
    if profile is not None and profile not in get_args(Profile):
        raise UsageProblem(f"--profile is one of {', '.join(get_args(Profile))}, not {profile!r}")
    asyncio.run(_rescore(folder, profile, tasks_from, world_folder, as_json=as_json))


async def _rescore(
    folder: Path,
    profile: str | None,
    tasks_from: Path | None,
    world_folder: Path | None,
    *,
    as_json: bool,
) -> None:
    async with open_store(folder) as store:
        chosen = cast(Profile, profile or store.manifest.profile)
        noted = store.manifest.options.get("tasks_from")
        if tasks_from is None and noted not in (None, "shipped"):
            tasks_from = Path(noted)
        tasks = {task.task_id: task for task in load_tasks(tasks_from)}
        world = load_world(tasks_from, world_folder)
        units = []
        for unit in await store.units():
            if unit.task_id not in tasks:
                raise UsageProblem(
                    f"task {unit.task_id} of this run is not among the tasks; name them with "
                    "--tasks-from"
                )
            record = await store.record(unit.task_id, unit.trial)
            infra = unit.score.reason if unit.score.outcome == "infra_error" else None
            again = score(record, tasks[unit.task_id], world, chosen, infra=infra)
            units.append(unit.model_copy(update={"score": again}))
        manifest = store.manifest.model_copy(update={"profile": chosen})
        figures = summary(manifest, units, out=str(folder))
    if as_json:
        print_json(figures)
    else:
        print_rich(table(manifest, units), headline(figures))
