"""What a page asks of stored runs: their list, one run, one conversation, two runs compared."""

import asyncio
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from evaluator.problems import Problem, UsageProblem
from evaluator.report.comparison_content import comparison_content
from evaluator.report.heard import heard
from evaluator.report.overview import caveats, facts, figures, run_headline
from evaluator.report.report import report_of
from evaluator.report.single_page import comparison_page, unit_page
from evaluator.report.unit_content import Content, captions, listed, told
from evaluator.results.broken_agent import diagnosed_unit
from evaluator.results.compared import Compared, Incomparable, compared, stored_sides
from evaluator.results.manifest import Manifest
from evaluator.results.rows.sample import read_run
from evaluator.results.run_list import described, newest_first, run_folders
from evaluator.results.store import FILE, WAL, open_store
from evaluator.results.summary import summary
from evaluator.task.selection import load_world
from evaluator.views.captions import SPANS
from vehicle_bus.world.world import World

Versions = tuple[tuple[str, int, int], ...]


def run_list(folder: Path) -> Content:
    """All runs in a folder, newest first; `run` is what the other questions call it."""
    if not folder.is_dir():
        return {"folder": str(folder), "runs": []}
    rows = [
        {**_row(path, _version(path)), "run": name} for name, path in run_folders(folder).items()
    ]
    return {"folder": str(folder), "runs": newest_first(rows)}


@lru_cache(1000)
def _row(folder: Path, version: Versions) -> Content:
    return asyncio.run(described(folder))


def _version(folder: Path) -> Versions:
    """Differs if something was written to a run."""
    files = [path for name in (FILE, WAL) if (path := folder / name).is_file()]
    return tuple((path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in files)


def _found(folder: Path, run: str) -> Path:
    """A run by its name in the list: nothing outside the folder has one."""
    found = run_folders(folder).get(run)
    if found is None:
        raise UsageProblem(f"there is no run {run!r} in {folder}")
    return found


def one_run(folder: Path, run: str) -> Content:
    """The units of a run with its headline."""
    path = _found(folder, run)
    return {**_one_run(path, _version(path)), "run": run}


@lru_cache(8)
def _one_run(folder: Path, version: Versions) -> Content:
    return asyncio.run(_read_run(folder))


async def _read_run(folder: Path) -> Content:
    async with open_store(folder) as store:
        rows, shown = await read_run(store)
        judged = await store.judged(store.manifest.profile)
        run = summary(store.manifest, rows, out=str(folder), judged=judged)
        more = [f"{shown.left_out}."] if shown.left_out else []
        return {
            "headline": run_headline(run),
            "facts": list(facts(store.manifest, run).items()),
            "figures": list(figures(run)),
            "caveats": [*caveats(run), *more],
            "units": [listed(unit) for unit in shown.units],
            "captions": captions(),
        }


def one_unit(folder: Path, run: str, unit: str) -> Content:
    """One conversation, and the names of its neighbours; `unit` is TASK or TASK:TRIAL."""
    return {**asyncio.run(_read_unit(_found(folder, run), unit)), "run": run}


async def _read_unit(folder: Path, name: str) -> Content:
    async with open_store(folder) as store:
        unit = await diagnosed_unit(store, name)
        rows = await store.planned_rows()
        place = rows.index(await store.row_of(name))
        before, after = rows[max(place - 1, 0) : place], rows[place + 1 : place + 2]
        return {
            "unit": listed(unit),
            "told": told(
                unit,
                await store.record(*unit.unit),
                _world_of(store.manifest),
                heard(unit, folder),
            ),
            "captions": captions(),
            "before": [each.name for each in await store.units_in(before)],
            "after": [each.name for each in await store.units_in(after)],
        }


async def stored_unit_page(folder: Path, name: str) -> str:
    """One conversation of a run folder as a file."""
    async with open_store(folder) as store:
        unit = await diagnosed_unit(store, name)
        record = await store.record(*unit.unit)
        world, sound = _world_of(store.manifest), heard(unit, folder)
        return unit_page(store.manifest, unit, record, world, sound)


def _world_of(manifest: Manifest) -> World | None:
    """The world of a run, for the names of places; None if it is not here."""
    tasks_from, world = manifest.sources(None, None)
    try:
        return _world(tasks_from, world)
    except Problem:
        return None


@lru_cache(4)
def _world(tasks_from: Path | None, world: Path | None) -> World:
    return load_world(tasks_from, world)


def comparison(folder: Path, first: str, second: str, force: str = "") -> Content:
    """Two runs compared; `incomparable` says why not, unless it is forced."""
    try:
        return comparison_content(_compared(folder, first, second, force))
    except Incomparable as problem:
        return {"incomparable": str(problem).partition("; --force")[0]}


def _compared(folder: Path, first: str, second: str, force: str) -> Compared:
    paths = _found(folder, first), _found(folder, second)
    return _compare(*((path, _version(path)) for path in paths), bool(force))


@lru_cache(4)
def _compare(one: tuple[Path, Versions], two: tuple[Path, Versions], force: bool) -> Compared:
    sides = asyncio.run(stored_sides(one[0], two[0]))
    return compared(sides, force=force, more_spans=SPANS)


# --- files to keep


def unit_file(folder: Path, run: str, unit: str) -> str:
    return asyncio.run(stored_unit_page(_found(folder, run), unit))


def comparison_file(folder: Path, first: str, second: str, force: str = "") -> str:
    return comparison_page(_compared(folder, first, second, force))


def report_file(folder: Path, run: str) -> str:
    """The report of a run, with all its conversations."""
    return asyncio.run(report_of(_found(folder, run)))[0]


def answer(question: str, folder: Path, arguments: dict[str, str]) -> Any:
    """JSON content, or the text of a file; raises `Problem`."""
    asked = {**CONTENT, **FILES}[question]
    return asked(folder, **arguments)


CONTENT: Mapping[str, Callable[..., Content]] = {
    "list": run_list,
    "run": one_run,
    "unit": one_unit,
    "compare": comparison,
}
FILES: Mapping[str, Callable[..., str]] = {
    "unit.html": unit_file,
    "compare.html": comparison_file,
    "report.html": report_file,
}
