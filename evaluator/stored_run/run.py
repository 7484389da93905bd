"""A stored run as Python objects, read one unit after the other: `codriver.open_run(FOLDER)`."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from evaluator.problems import UsageProblem, missing_extra
from evaluator.results.manifest import Manifest
from evaluator.results.store import FILE, SCHEMA_VERSION, StoreError, UnitResult, holds_run, run_uri
from evaluator.stored_run.rows import Level, rows
from evaluator.stored_run.unit import StoredUnit
from vehicle_bus.validation_problem import first_problem

if TYPE_CHECKING:
    import pandas

NEWEST = "SELECT MAX(saved), task_id, trial FROM unit GROUP BY task_id, trial"


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
            return len(database.execute(NEWEST).fetchall())

    def __iter__(self) -> Iterator[StoredUnit]:
        return self.units()

    def units(self) -> Iterator[StoredUnit]:
        """What was saved last for each unit; `StoreError` if one is damaged."""
        with self._database() as database:
            for saved in self._in_order(database.execute(NEWEST).fetchall()):
                query = "SELECT result, record FROM unit WHERE saved = ?"
                for result, record in database.execute(query, (saved,)):
                    yield StoredUnit(self._result(result), record)

    def unit(self, name: str) -> StoredUnit:
        """The unit called TASK or TASK:TRIAL; raises `UsageProblem`."""
        task_id, _, trial = name.partition(":")
        with self._database() as database:
            query = "SELECT result, record FROM unit WHERE task_id = ? AND trial = ? "
            found = database.execute(f"{query} ORDER BY saved DESC", (task_id, trial or "0"))
            for result, record in found:
                return StoredUnit(self._result(result), record)
        raise UsageProblem(f"the run has no unit {name!r}; `codriver view RUN` lists them")

    def to_dataframe(self, of: Level = "units") -> "pandas.DataFrame":
        """A table with a row for each of the `units`, `turns`, `calls` or `spans`.

        Needs the extra `notebook`; raises `UsageProblem`.
        """
        try:
            import pandas
        except ImportError as error:
            raise missing_extra("to_dataframe", "notebook") from error
        return pandas.DataFrame.from_records(list(rows(self, of)))

    def _in_order(self, found: list[tuple[int, str, int]]) -> list[int]:
        place = {task_id: index for index, task_id in enumerate(self.manifest.tasks)}
        found.sort(key=lambda row: (place.get(row[1], len(place)), *row[1:]))
        return [saved for saved, _, _ in found]

    def _result(self, raw: bytes) -> UnitResult:
        try:
            return UnitResult.model_validate_json(raw)
        except ValidationError as error:
            why = first_problem(error, "it")
            raise StoreError(f"{self.folder}: a unit cannot be read: {why}") from error

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        with _opened(self.folder) as database:
            yield database


def open_run(folder: str | Path) -> StoredRun:
    """Open a run folder for reading, such as `runs/mine`; raises `StoreError`."""
    folder = Path(folder)
    if not holds_run(folder):
        raise StoreError(f"{folder} is no run folder; `codriver run --out {folder}` makes one")
    with _opened(folder) as database:
        [version] = database.execute("PRAGMA user_version").fetchone()
        if version != SCHEMA_VERSION:
            raise StoreError(
                f"{folder} was written by another version of codriver (format {version}, this one "
                f"reads {SCHEMA_VERSION})"
            )
        row = database.execute("SELECT json FROM manifest").fetchone()
    try:
        return StoredRun(folder, Manifest.model_validate_json(row[0] if row else b""))
    except ValidationError as error:
        why = first_problem(error, "it")
        raise StoreError(f"{folder / FILE}: the manifest cannot be read: {why}") from error


@contextmanager
def _opened(folder: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(run_uri(folder, "ro"), uri=True)) as database:
            yield database
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{folder / FILE} cannot be read: {error}") from error
