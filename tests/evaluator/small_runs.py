"""Small runs that never were played: three tasks, three trials each."""

from pathlib import Path
from typing import Any

from evaluator.record.record import Record
from evaluator.results.manifest import Manifest
from evaluator.results.store import UnitResult, open_store
from evaluator.scoring.scores import score
from evaluator.task.task import Task, TaskType
from tests.evaluator.episodes import SECOND, Episode, do, manifest, task, unit
from tests.vehicle_bus.cars import WORLD

EVIL = "</script><script>document.title='owned'</script><img src=http://example.org/x>"


def fan(task_id: str, task_type: TaskType = "base") -> Task:
    made = task(do("set_fan_speed", level=3), task_type=task_type)
    return made.model_copy(update={"task_id": task_id})


def played(task_id: str, trial: int, level: int, said: str = "It is at three.") -> Any:
    """A unit and its record: the agent sets the fan to a level and says something."""
    made = fan(task_id)
    episode = Episode(made).said("driver", "Fan to three, please.")
    episode.call("set_fan_speed", level=level).said("agent", said).turn(upl=SECOND).end()
    result = unit(task_id, trial).model_copy(
        update={"score": score(episode.record, made, WORLD), "persona": "calm"}
    )
    return result, episode.record


def small_run(said: str = "It is at three.") -> tuple[Manifest, list[tuple[UnitResult, Record]]]:
    units = [
        played(name, trial, level, said)
        for name, levels in (("base_1", (3, 3, 3)), ("base_2", (3, 2, 99)), ("base_3", (1, 1, 2)))
        for trial, level in enumerate(levels)
    ]
    return manifest("base_1", "base_2", "base_3", num_trials=3), units


async def written(folder: Path, said: str = "It is at three.", **changes: Any) -> Path:
    """A small run stored in a folder; `changes` replace fields of its manifest."""
    made, units = small_run(said)
    made = made.model_copy(update=changes)
    async with open_store(folder, manifest=made) as store:
        for result, record in units:
            await store.save(result, record)
    return folder
