"""A stored run as Python objects, read one unit after the other: `codriver.open_run(FOLDER)`."""

import sqlite3
from array import array
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.problems import missing_extra
from evaluator.results.broken_agent import given_everywhere, may_be_broken, relabelled
from evaluator.results.manifest import Manifest
from evaluator.results.store import (
    LAST,
    MANIFEST,
    NEWEST,
    PLANNED,
    SAME_ANSWERS,
    VERSION,
    UnitResult,
    check_holds_run,
    check_version,
    in_planning_order,
    manifest_in,
    most_common,
    no_unit,
    read_row,
    run_uri,
    unit_place,
    usable,
)
from evaluator.stored_run.rows import Level, rows
from evaluator.stored_run.unit import StoredUnit

if TYPE_CHECKING:
    import pandas

ROW = "SELECT result, record, task_id FROM unit WHERE saved ="


@dataclass(frozen=True)
class StoredRun:
    """A run in a folder; iterating over it gives its units in planning order.

    Nothing is kept in memory but the names of units, and nothing is kept open: the run may go on
    while it is read.
    """

    folder: Path
    manifest: Manifest

    @property
    def run_id(self) -> str:
        return self.manifest.run_id

    @property
    def label(self) -> str:
        """What its user calls it; empty without --label."""
        return self.manifest.label

    @property
    def agent(self) -> str:
        return self.manifest.agent

    @property
    def user(self) -> str:
        """The driver: `scripted`, or a model."""
        return self.manifest.user

    @property
    def pace(self) -> str:
        return self.manifest.pace

    @property
    def profile(self) -> str:
        """How it was scored."""
        return self.manifest.profile

    @property
    def created_at(self) -> datetime:
        return datetime.fromisoformat(self.manifest.created_at)

    @property
    def planned(self) -> int:
        """How many units the run is meant to have."""
        return self.manifest.planned

    def __len__(self) -> int:
        """How many units were played."""
        with self._database() as database:
            [number] = database.execute(f"SELECT COUNT(*) FROM ({NEWEST})").fetchone()
            return int(number)

    def __iter__(self) -> Iterator[StoredUnit]:
        return self.units()

    def units(self) -> Iterator[StoredUnit]:
        """What was saved last for each unit; `StoreError` if one is damaged.

        Failures of an agent that answers all tasks alike are of the kind `broken_agent`.
        """
        with self._database() as database:
            answer = _answer_to_everything(database)
            by_task: dict[str, array[int]] = {}
            for saved, task_id in database.execute(PLANNED):
                by_task.setdefault(task_id, array("q")).append(saved)
            for saved in in_planning_order(by_task, self.manifest.tasks):
                for raw, record, task_id in database.execute(f"{ROW} ?", (saved,)):
                    yield StoredUnit(relabelled(self._result(raw, task_id), answer), record)

    def unit(self, name: str) -> StoredUnit:
        """The unit called TASK or TASK:TRIAL; raises `UsageProblem`."""
        with self._database() as database:
            row = database.execute(f"{ROW} ({LAST})", unit_place(name)).fetchone()
            if row is None:
                raise no_unit(name)
            raw, record, task_id = row
            result = self._result(raw, task_id)
            if may_be_broken(result):
                result = relabelled(result, _answer_to_everything(database))
            return StoredUnit(result, record)

    def to_dataframe(self, of: Level = "units") -> "pandas.DataFrame":
        """A table with a row for each of the `units`, `turns`, `calls` or `spans`.

        Needs the extra `notebook`; raises `UsageProblem`.
        """
        try:
            import pandas
        except ImportError as error:
            raise missing_extra("to_dataframe", "notebook") from error
        return pandas.DataFrame.from_records(list(rows(self, of)))

    def _result(self, raw: bytes, task_id: str) -> UnitResult:
        return read_row(UnitResult, raw, self.folder, f"the result of {task_id}")

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        with _opened(self.folder) as database:
            yield database


def open_run(folder: str | Path) -> StoredRun:
    """Open a run folder for reading, such as `runs/mine`; raises `StoreError`."""
    folder = Path(folder)
    check_holds_run(folder)
    with _opened(folder) as database:
        [version] = database.execute(VERSION).fetchone()
        check_version(folder, version)
        return StoredRun(folder, manifest_in(folder, database.execute(MANIFEST).fetchone()))


@contextmanager
def _opened(folder: Path) -> Iterator[sqlite3.Connection]:
    with usable(folder), closing(sqlite3.connect(run_uri(folder, "ro"), uri=True)) as database:
        yield database


def _answer_to_everything(database: sqlite3.Connection) -> str | None:
    return given_everywhere(most_common(database.execute(SAME_ANSWERS).fetchall()))
