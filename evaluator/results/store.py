"""The run store: a folder with one SQLite file, one row per attempt at a unit.

What `save` has returned for survives a kill -9 (write-ahead log, synchronous FULL). One process
writes at a time; readers do not disturb it.
"""

import sqlite3
from array import array
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import aiosqlite
import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from assistant_gateway.models.spending import Usage
from evaluator.problems import InfraProblem, UsageProblem
from evaluator.record.record import Record
from evaluator.record.stored_form import BlobError, decode_record, encode_record
from evaluator.reference.difficulty import Difficulty
from evaluator.results.kept_sound import KeptSound
from evaluator.results.manifest import Invocation, Manifest, differing_fields, is_part, options_of
from evaluator.scoring.judgements import Judged
from evaluator.scoring.scores import Score
from user_sim.script import ScriptOrigin
from vehicle_bus.validation_problem import first_problem

FILE = "run.sqlite"
WAL = "run.sqlite-wal"
LOCK = "run.lock"
AGENT_LOG = "agent.log"  # what the command of an agent writes
SCHEMA_VERSION = 1
SCHEMA = (
    "CREATE TABLE manifest (json BLOB NOT NULL)",
    """CREATE TABLE unit (
        saved INTEGER PRIMARY KEY AUTOINCREMENT,
        task_id TEXT NOT NULL, trial INTEGER NOT NULL, attempt INTEGER NOT NULL,
        outcome TEXT NOT NULL, result BLOB NOT NULL, record BLOB,
        UNIQUE (task_id, trial, attempt))""",
)
COLUMNS = "task_id, trial, attempt, outcome, result, record"
COPIED_AT_ONCE = 200
SAVE = f"INSERT OR REPLACE INTO unit ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
JUDGEMENTS = """CREATE TABLE IF NOT EXISTS judgement (
    saved INTEGER PRIMARY KEY AUTOINCREMENT, judge TEXT NOT NULL, profile TEXT NOT NULL,
    task_id TEXT NOT NULL, trial INTEGER NOT NULL, policy TEXT NOT NULL, result BLOB NOT NULL,
    UNIQUE (judge, profile, task_id, trial, policy))"""
SAVE_JUDGEMENT = """INSERT OR REPLACE INTO judgement
    (judge, profile, task_id, trial, policy, result) VALUES (?, ?, ?, ?, ?, ?)"""
UNITS = "SELECT COUNT(*) FROM unit"
VERSION = "PRAGMA user_version"
MANIFEST = "SELECT json FROM manifest"
REPLACE_MANIFEST = "UPDATE manifest SET json = ?"
DISK_TROUBLE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
CLOSED_TO_US = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
TABLES = "SELECT COUNT(*) FROM sqlite_master"
# A resumed run counts attempts from 0 again, so the newest is the one that was saved last.
NEWEST = "SELECT MAX(saved) FROM unit GROUP BY task_id, trial"

LAST = "SELECT MAX(saved) FROM unit WHERE task_id = ? AND trial = ?"
PLANNED = "SELECT MAX(saved), task_id FROM unit GROUP BY task_id, trial ORDER BY task_id, trial"
NAMED = "SELECT MAX(saved), task_id || ':' || trial FROM unit GROUP BY task_id, trial"
EVERY_ATTEMPT = "SELECT saved, task_id FROM unit ORDER BY task_id, trial, attempt"
FINISHED = f"""SELECT task_id, trial FROM unit
    WHERE saved IN ({NEWEST}) AND outcome != 'infra_error'"""
# What the agent says in most episodes. A damaged result is left to whoever reads it.
SAME_ANSWERS = f"""SELECT
        CASE WHEN json_valid(json) THEN json_extract(json, '$.score.same_answer') END AS answer,
        COUNT(*) AS episodes, COUNT(DISTINCT task_id)
    FROM (SELECT CAST(result AS TEXT) AS json, task_id FROM unit
          WHERE saved IN ({NEWEST}) AND outcome IN ('success', 'failure'))
    GROUP BY answer ORDER BY episodes DESC"""
UNITS_AT_ONCE = 250  # read from the file in one go
MOST_DIGITS = 18  # of a number that SQLite takes

Stored = TypeVar("Stored", bound=BaseModel)


class StoreError(UsageProblem):
    """A run folder cannot be used; the text is one line that says what to do."""


class StoreFull(InfraProblem):
    """The disk takes nothing more."""


class DriverChecks(BaseModel):
    """What checking a driver played by a model has found in an episode.

    `repairs` are turns that it had to say again. `disputed` says why its last word did not seem to
    fit what the assistant had said, which it kept to when asked; null if it fitted.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    repairs: int = 0
    disputed: str | None = None


class UnitResult(BaseModel):
    """One attempt at one unit as it is kept; stamps are wall time, ISO 8601.

    `family` and `twin` are those of the task; `family` is empty in runs of earlier versions.
    `persona` is how the driver talks, `expected_actions` how many calls the task expects,
    `settled_by` the priority meant to settle what it leaves open. `words` are the lines of the
    script that were chosen for this trial where there are several ways. `cost` is in USD, it and
    `usage` by payer: agent, user, judge. `driver` is null for a script, `sound` if none was kept.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    task_id: str
    trial: int
    attempt: int = 0
    task_type: str
    title: str = ""
    script: ScriptOrigin | None = None
    words: dict[str, str] = {}
    persona: str | None = None
    expected_actions: int | None = None
    settled_by: int | None = None
    family: str = ""
    twin: str | None = None
    difficulty: Difficulty | None = None
    driver: DriverChecks | None = None
    score: Score
    digest: str | None = None
    started_at: str
    finished_at: str
    cost: dict[str, float | None] = {}
    usage: dict[str, Usage | None] = {}
    sound: KeptSound | None = None

    @property
    def unit(self) -> tuple[str, int]:
        return self.task_id, self.trial

    @property
    def name(self) -> str:
        """What commands and pages call it: TASK:TRIAL."""
        return f"{self.task_id}:{self.trial}"

    def billed(self, judge: Usage) -> "UnitResult":
        """The same with the bill of a judge."""
        usage, cost = self.usage | {"judge": judge}, self.cost | {"judge": judge.cost_usd}
        return self.model_copy(update={"usage": usage, "cost": cost})

    @property
    def main_type(self) -> str:
        """`base`, `hallucination` or `disambiguation`."""
        return self.task_type.split("_")[0]


class CommonAnswer(NamedTuple):
    """What the agent said in so many `episodes` of `evaluated` ones, of so many `tasks`."""

    answer: str
    episodes: int
    tasks: int
    evaluated: int


class RunStore:
    """An open run; get one from `open_store`."""

    def __init__(self, folder: Path, database: aiosqlite.Connection, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._database = database

    async def save(self, result: UnitResult, record: Record | bytes | None = None) -> None:
        """Keep one attempt, its record perhaps encoded already; when this returns it is on disk."""
        row = (
            *(result.task_id, result.trial, result.attempt, result.score.outcome),
            _dumped(result),
            encode_record(record) if isinstance(record, Record) else record,
        )
        with usable(self.folder):
            await self._database.execute(SAVE, row)

    async def note(self, invocation: Invocation) -> None:
        """Keep how the run is played now; it replaces what was noted of the same invocation."""
        noted = self.manifest.invocations
        if invocation in noted:
            return
        others = [each for each in noted if each.began_at != invocation.began_at]
        update = {"invocations": (*others, invocation)}
        self.manifest = self.manifest.model_copy(update=update)
        with usable(self.folder):
            await self._database.execute(REPLACE_MANIFEST, (_dumped(self.manifest),))

    async def rescored(self, results: AsyncIterator[UnitResult]) -> None:
        """Replace the newest attempt at each unit, all or none; its record stays."""
        await self._database.execute("BEGIN")
        async for result in results:
            row = (result.score.outcome, _dumped(result), *result.unit)
            await self._database.execute(
                f"UPDATE unit SET outcome = ?, result = ? WHERE saved = ({LAST})", row
            )
        await self._database.commit()

    async def save_judged(self, judged: Judged) -> None:
        """Store an answer of a judge; it replaces an earlier one of the same judge."""
        await self._database.execute(JUDGEMENTS)
        row = (judged.judge, judged.profile, *judged.question, _dumped(judged))
        await self._database.execute(SAVE_JUDGEMENT, row)

    async def judged(self, profile: str, judge: str | None = None) -> list[Judged]:
        """The answers of one judge under a profile, by default of the latest judge."""
        if not await self._all("SELECT 1 FROM sqlite_master WHERE name = 'judgement'"):
            return []
        rows = await self._all(
            "SELECT result FROM judgement WHERE profile = ? ORDER BY saved", (profile,)
        )
        found = [read_row(Judged, row[0], self.folder, "a judgement") for row in rows]
        judge = judge or (found[-1].judge if found else None)
        return [judged for judged in found if judged.judge == judge]

    async def finished_units(self) -> set[tuple[str, int]]:
        """(task id, trial) of what a resume skips: all that did not end as `infra_error`."""
        return {(task_id, trial) for task_id, trial in await self._all(FINISHED)}

    async def stored_units(self) -> set[tuple[str, int]]:
        """(task id, trial) of all that has an attempt."""
        rows = await self._all("SELECT DISTINCT task_id, trial FROM unit")
        return {(task_id, trial) for task_id, trial in rows}

    async def units(self, *, every_attempt: bool = False) -> list[UnitResult]:
        """What was saved last for each unit, in planning order; or every attempt."""
        return [unit async for unit in self.each_unit(every_attempt=every_attempt)]

    async def each_unit(self, *, every_attempt: bool = False) -> AsyncIterator[UnitResult]:
        """The same one after the other, whatever their number: only some are in memory."""
        rows = await self.planned_rows(every_attempt=every_attempt)
        for begin in range(0, len(rows), UNITS_AT_ONCE):
            for unit in await self.units_in(rows[begin : begin + UNITS_AT_ONCE]):
                yield unit

    async def planned_rows(self, *, every_attempt: bool = False) -> "array[int]":
        """Where units stand in the file, in planning order."""
        by_task: dict[str, array[int]] = {}
        async with self._database.execute(EVERY_ATTEMPT if every_attempt else PLANNED) as cursor:
            async for saved, task_id in cursor:
                by_task.setdefault(task_id, array("q")).append(saved)
        return in_planning_order(by_task, self.manifest.tasks)

    async def units_in(self, rows: Sequence[int]) -> list[UnitResult]:
        """The units of some rows, in this order; rows that were replaced meanwhile are left out."""
        marks = ",".join("?" * len(rows))
        query = f"SELECT saved, result, task_id FROM unit WHERE saved IN ({marks})"
        found = {saved: (raw, name) for saved, raw, name in await self._all(query, tuple(rows))}
        return [self._unit(*found[saved]) for saved in rows if saved in found]

    async def row_of(self, name: str) -> int:
        """Where the unit called TASK or TASK:TRIAL stands; raises `UsageProblem`."""
        [(saved,)] = await self._all(LAST, unit_place(name))
        if saved is None:
            raise no_unit(name)
        return int(saved)

    async def unit(self, name: str) -> UnitResult:
        """What was saved last for the unit called TASK or TASK:TRIAL; raises `UsageProblem`."""
        [unit] = await self.units_in([await self.row_of(name)])
        return unit

    async def units_named(self, names: Sequence[str]) -> AsyncIterator[UnitResult]:
        """What was saved last for each unit of these names that there is, in this order."""
        wanted, rows = set(names), dict[str, int]()
        async with self._database.execute(NAMED) as cursor:
            async for saved, name in cursor:
                if name in wanted:
                    rows[name] = saved
        found = [rows[name] for name in names if name in rows]
        for begin in range(0, len(found), UNITS_AT_ONCE):
            for unit in await self.units_in(found[begin : begin + UNITS_AT_ONCE]):
                yield unit

    async def number_of_units(self) -> int:
        """How many units have at least one attempt."""
        [(number,)] = await self._all(f"SELECT COUNT(*) FROM ({NEWEST})")
        return int(number)

    async def common_answer(self) -> CommonAnswer | None:
        """What the agent said, and nothing else, in most episodes that count; None if nothing."""
        return most_common(await self._all(SAME_ANSWERS))

    def _unit(self, raw: bytes, task_id: str) -> UnitResult:
        return read_row(UnitResult, raw, self.folder, f"the result of {task_id}")

    async def record(self, task_id: str, trial: int = 0, attempt: int | None = None) -> Record:
        """The record of an attempt, by default of the last; `StoreError` if there is none."""
        which = "" if attempt is None else "AND attempt = ?"
        parameters = (task_id, trial) if attempt is None else (task_id, trial, attempt)
        rows = await self._all(
            f"SELECT record FROM unit WHERE task_id = ? AND trial = ? {which} "
            "ORDER BY saved DESC LIMIT 1",
            parameters,
        )
        if not rows or rows[0][0] is None:
            raise StoreError(f"{self.folder} has no record of {task_id}, trial {trial}")
        try:
            return decode_record(rows[0][0])
        except BlobError as error:
            raise StoreError(f"{self.folder}, {task_id}, trial {trial}: {error}") from error

    async def outcomes(self) -> dict[tuple[str, int], str]:
        """How each unit ended that has an attempt, by (task id, trial)."""
        rows = await self._all(
            f"SELECT task_id, trial, outcome FROM unit WHERE saved IN ({NEWEST})"
        )
        return {(task_id, trial): outcome for task_id, trial, outcome in rows}

    async def take_over(self, other: "RunStore", units: Collection[tuple[str, int]]) -> None:
        """Copy every attempt at some units of another run as it stands there."""
        query = f"SELECT {COLUMNS} FROM unit ORDER BY saved"
        with usable(self.folder):
            async with other._database.execute(query) as cursor:
                while rows := await cursor.fetchmany(COPIED_AT_ONCE):
                    wanted = [tuple(row) for row in rows if (row[0], row[1]) in units]
                    await self._database.execute("BEGIN")
                    await self._database.executemany(SAVE, wanted)
                    await self._database.commit()

    async def _all(self, query: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        async with self._database.execute(query, parameters) as cursor:
            return [tuple(row) for row in await cursor.fetchall()]


@asynccontextmanager
async def open_store(
    folder: Path,
    *,
    manifest: Manifest | None = None,
    resume: bool = False,
    judging: bool = False,
) -> AsyncIterator[RunStore]:
    """Open a run folder; raises `StoreError`.

    Without a manifest: read a run, or with `judging` add judgements to it. With one: begin a new
    run, or with `resume` go on with the run that is there, whose content has to be the same but for
    fewer tasks or more trials (where there is none, it is simply begun).
    """
    if judging:
        async with _database(folder, "rw") as database:
            kept = await _stored_manifest(folder, database)
            await database.execute("PRAGMA synchronous = FULL")
            with _only_writer(folder):
                yield RunStore(folder, database, kept)
        return
    if manifest is None:
        async with _database(folder, "ro") as database:
            yield RunStore(folder, database, await _stored_manifest(folder, database))
        return
    held_run, existed = holds_run(folder), _prepare(folder)
    try:
        with _only_writer(folder):
            async with _database(folder, "rwc") as database:
                kept = await _begin_or_resume(folder, database, manifest, resume)
                yield RunStore(folder, database, kept)
    except BaseException:  # also interrupted: no empty run stays behind
        if not held_run:
            _remove_if_empty(folder, existed)
        raise


def _remove_if_empty(folder: Path, existed: bool) -> None:
    """Take a run without any unit away again, and its folder if that was not there before."""
    with suppress(OSError, sqlite3.Error):
        with closing(sqlite3.connect(run_uri(folder, "ro"), uri=True)) as database:
            if database.execute(UNITS).fetchone()[0]:
                return
        for name in (FILE, f"{FILE}-wal", f"{FILE}-shm", LOCK):
            (folder / name).unlink(missing_ok=True)
        if not existed:
            folder.rmdir()


def holds_run(folder: Path) -> bool:
    """Whether a run was begun there."""
    return (folder / FILE).is_file()


def check_holds_run(folder: Path) -> None:
    """Raises `StoreError` if no run was begun there."""
    if not holds_run(folder):
        raise StoreError(f"{folder} is no run folder; `codriver run --out {folder}` makes one")


def finished_in(folder: Path) -> int:
    """How many units a resume would skip; 0 where no run is."""
    if not holds_run(folder):
        return 0
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(run_uri(folder, "ro"), uri=True)) as database,
    ):
        return len(database.execute(FINISHED).fetchall())
    return 0


def _prepare(folder: Path) -> bool:
    """Make the folder, if it is not there; returns whether it was."""
    existed = folder.is_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = {path.name for path in folder.iterdir()} - {LOCK, AGENT_LOG}
    except OSError as error:
        raise StoreError(f"cannot use {folder}: {error.strerror}; name another --out") from error
    if others and FILE not in others:
        raise StoreError(f"{folder} holds other files and no run; name another --out")
    return existed


@contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    """Hold a lock that ends with the process, however it ends."""
    with ExitStack() as stack:
        try:
            connected = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None)
            lock = stack.enter_context(closing(connected))
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                why = f"another codriver writes to {folder}; wait for it"
            elif error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
                why = f"{folder / LOCK} is no lock of codriver; delete it"
            else:
                why = f"cannot write to {folder} ({error}); make it writable"
            raise StoreError(f"{why} or name another --out") from error
        yield


@asynccontextmanager
async def _database(
    folder: Path, mode: Literal["ro", "rw", "rwc"]
) -> AsyncIterator[aiosqlite.Connection]:
    if mode != "rwc":
        check_holds_run(folder)
    with usable(folder):
        # Each statement is a transaction unless it stands after BEGIN: one thread turn less.
        connecting = aiosqlite.connect(run_uri(folder, mode), uri=True, isolation_level=None)
        async with connecting as opened:
            yield opened


@contextmanager
def usable(folder: Path) -> Iterator[None]:
    """What goes wrong with the file, as one line."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF in DISK_TROUBLE:
            raise StoreFull(f"{folder / FILE} cannot be written: {error}; make room") from error
        raise StoreError(f"{folder / FILE} cannot be used: {error}") from error


def run_uri(folder: Path, mode: Literal["ro", "rw", "rwc"]) -> str:
    """What SQLite opens a run by."""
    address = f"{(folder / FILE).absolute().as_uri()}?mode={mode}"
    if mode == "ro" and _is_closed_to_us(address, folder):
        return f"{address}&immutable=1"
    return address


def _is_closed_to_us(address: str, folder: Path) -> bool:
    """Whether SQLite could not read a run, since it may put no index of the log beside it.

    While there is a log, somebody may be writing.
    """
    if (folder / WAL).exists():
        return False
    with closing(sqlite3.connect(address, uri=True)) as database:
        try:
            database.execute(TABLES)
        except sqlite3.OperationalError as error:
            return error.sqlite_errorcode & 0xFF in CLOSED_TO_US
        except sqlite3.DatabaseError:
            return False
    return False


async def _begin_or_resume(
    folder: Path, database: aiosqlite.Connection, manifest: Manifest, resume: bool
) -> Manifest:
    await database.execute("PRAGMA journal_mode = WAL")
    await database.execute("PRAGMA synchronous = FULL")
    if not await _number(database, VERSION) and not await _number(database, TABLES):
        # One transaction: a run killed here has either everything or nothing.
        await database.execute("BEGIN")
        for statement in SCHEMA:
            await database.execute(statement)
        await database.execute("INSERT INTO manifest VALUES (?)", (_dumped(manifest),))
        await database.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        await database.commit()
        return manifest
    if not resume:
        raise StoreError(f"{folder} already holds a run; add --resume, or name another --out")
    stored = await _stored_manifest(folder, database)
    trials = max(stored.num_trials, manifest.num_trials)
    if is_part(manifest, stored):
        if trials > stored.num_trials:
            raise StoreError(
                f"{folder} has {stored.num_trials} trials of each task and gets more for all its "
                "tasks or none; leave out --task-ids, --num-tasks and the like"
            )
        whole = {"tasks": stored.tasks, "unsupported": stored.unsupported}
        manifest = manifest.model_copy(update=whole)
    grown = stored.model_copy(update={"num_trials": trials})
    if differing := differing_fields(grown, manifest):
        options = " ".join(options_of(grown, manifest))
        had = f"leave that out, as the run has {options}, or " if options else ""
        raise StoreError(
            f"{folder} cannot be resumed, it differs in {', '.join(differing)}; "
            f"{had}name another --out"
        )
    if grown != stored:
        await database.execute(REPLACE_MANIFEST, (_dumped(grown),))
    return grown


async def _stored_manifest(folder: Path, database: aiosqlite.Connection) -> Manifest:
    check_version(folder, await _number(database, VERSION))
    async with database.execute(MANIFEST) as cursor:
        return manifest_in(folder, await cursor.fetchone())


# --- what rows mean, for whoever reads them


def check_version(folder: Path, version: int) -> None:
    """Raises `StoreError` if a file is of another format."""
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{folder} was written by another version of codriver (format {version}, this one "
            f"reads {SCHEMA_VERSION}); use that version or run again with another --out"
        )


def manifest_in(folder: Path, row: Sequence[Any] | None) -> Manifest:
    """The manifest from its row; raises `StoreError`."""
    if row is None:
        raise StoreError(f"{folder} holds a run without a manifest; run again with another --out")
    return read_row(Manifest, row[0], folder, "the manifest")


def unit_place(name: str) -> tuple[str, int]:
    """Task and trial of a unit called TASK or TASK:TRIAL; trial -1 if that is no number."""
    task_id, _, trial = name.partition(":")
    trial = trial or "0"
    number = int(trial) if trial.isdecimal() and len(trial) <= MOST_DIGITS else -1
    return task_id, number if str(number) == trial else -1


def no_unit(name: str) -> UsageProblem:
    return UsageProblem(f"the run has no unit {name!r}; `codriver view RUN` lists them")


def in_planning_order(by_task: Mapping[str, "array[int]"], tasks: Iterable[str]) -> "array[int]":
    """The rows of all tasks, tasks in the order in which they were planned."""
    place = {task_id: index for index, task_id in enumerate(tasks)}
    names = sorted(by_task, key=lambda name: (place.get(name, len(place)), name))
    return array("q", chain.from_iterable(by_task[name] for name in names))


def most_common(rows: Sequence[Sequence[Any]]) -> CommonAnswer | None:
    """What `SAME_ANSWERS` has found; None if most episodes have no answer of this kind."""
    evaluated = sum(episodes for _, episodes, _ in rows)
    for answer, episodes, tasks in rows[:1]:
        return CommonAnswer(answer, episodes, tasks, evaluated) if answer else None
    return None


def read_row(model: type[Stored], raw: Any, folder: Path, what: str) -> Stored:
    """A row as its model."""
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        why = first_problem(error, "it")
    raise StoreError(f"{folder / FILE} is damaged, {what} cannot be read: {why}")


async def _number(database: aiosqlite.Connection, query: str) -> int:
    async with database.execute(query) as cursor:
        row = await cursor.fetchone()
    return int(row[0]) if row else 0


def _dumped(model: BaseModel) -> bytes:
    return orjson.dumps(model.model_dump(mode="json"))


def sound_of(unit: UnitResult) -> KeptSound:
    """What was said in a unit; raises `UsageProblem` if it was not kept."""
    if unit.sound is None:
        raise UsageProblem(
            f"nothing was kept of what was said in {unit.name}; "
            "`codriver run --speech audio --keep-audio all` keeps it"
        )
    return unit.sound
