"""`replay:FILE[#UNIT]`: the agent's side of a stored run, unit by unit."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assistant_gateway.agents.replay import ReplayAgent, recorded_turns
from evaluator.problems import UsageProblem
from evaluator.results.store import FILE, open_store


@dataclass(frozen=True, slots=True)
class ReplayedRun:
    """A run folder and, if always the same unit is to be played, its name."""

    folder: Path
    unit: str | None = None

    @classmethod
    def named(cls, target: str) -> "ReplayedRun":
        """Read `FILE[#UNIT]`; the file may be the run folder or the database in it."""
        file, _, unit = target.partition("#")
        folder = Path(file)
        return cls(folder.parent if folder.name == FILE else folder, unit or None)

    async def check(self, units: Iterable[tuple[str, int]]) -> None:
        """Raises `UsageProblem` naming what cannot be played from this run."""
        async with open_store(self.folder) as store:
            if self.unit is not None:
                await store.row_of(self.unit)
                return
            stored = await store.stored_units()
            missing = [f"{task_id}:{trial}" for task_id, trial in units
                       if (task_id, trial) not in stored]  # fmt: skip
            if missing:
                more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
                raise UsageProblem(
                    f"{self.folder} has no unit {missing[0]}{more} to replay; "
                    f"`codriver view {self.folder}` lists its units"
                )

    async def words(self, unit: tuple[str, int]) -> dict[str, str] | None:
        """The lines of the driver in what is played for a unit; None if that is another task."""
        async with open_store(self.folder) as store:
            result = await store.unit(self.unit or f"{unit[0]}:{unit[1]}")
        return result.words if result.task_id == unit[0] else None

    async def agents(self, unit: tuple[str, int] | None) -> Callable[[], ReplayAgent]:
        """What makes agents of the unit that was named, else of this one; raises `UsageProblem`."""
        if unit is None and self.unit is None:
            name = f"replay:{self.folder}#TASK"
            raise UsageProblem(f"name the unit to be played as {name} or {name}:TRIAL")
        async with open_store(self.folder) as store:
            if self.unit is not None:
                unit = (await store.unit(self.unit)).unit
            assert unit is not None
            record = await store.record(*unit)
        return partial(ReplayAgent, recorded_turns(record.frames))
