"""`codriver view`: the units of a stored run, those that failed, one of them, or their digests."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from rich.text import Text

from assistant_gateway.wording.spoken import counted
from evaluator.allowed_values import check_ending
from evaluator.problems import UsageProblem
from evaluator.report.stored import stored_unit_page
from evaluator.report.written import write_page
from evaluator.results.broken_agent import diagnosed_unit, diagnosed_units
from evaluator.results.rows.sample import read_run
from evaluator.results.slow_turns import SlowTurn, SlowTurns
from evaluator.results.store import RunStore, UnitResult, open_store, sound_of
from evaluator.results.summary import summary
from evaluator.views.captions import TURN_CLASSES, caption
from evaluator.views.printing import print_json, print_json_list, print_rich, print_rows
from evaluator.views.score_findings import annotated
from evaluator.views.sentences import missed_limit, solved_too_late, what_took, why_failed
from evaluator.views.table import headline, table
from evaluator.views.totals import priorities_table, totals_table
from evaluator.views.unit_timeline import story

MOST_LINES = 10_000


def show(
    folder: Path,
    unit: str | None,
    *,
    failed: bool = False,
    slow: bool = False,
    digest: bool,
    html: Path | None = None,
    audio: Path | None = None,
    as_json: bool,
) -> None:
    """Print what was asked for, or write one unit to a file; raises `UsageProblem`."""
    if audio is not None:
        if unit is None or digest or html is not None:
            raise UsageProblem("--audio writes what was said in one conversation: name its --unit")
        print_rich(_write_audio(folder, unit, audio))
        return
    if html is not None and (unit is None or digest):
        raise UsageProblem("--html writes one conversation: name its --unit")
    for option, given in (("--failed", failed), ("--slow", slow)):
        if given and (unit is not None or digest or (failed and slow)):
            raise UsageProblem(f"{option} cannot be combined with another selection")
    if html is not None and unit is not None:
        write_page(html, asyncio.run(stored_unit_page(folder, unit)), "--html")
        print_rich(f"{html}: {unit}; open it offline")
        return
    asyncio.run(_show(folder, unit, failed=failed, slow=slow, digest=digest, as_json=as_json))


def _write_audio(folder: Path, name: str, file: Path) -> str:
    """What was kept, as FLAC if the file is called so, else as WAV."""
    check_ending("--audio", file, (".wav", ".flac"))
    unit = asyncio.run(_stored_unit(folder, name))
    sound = sound_of(unit)
    content = sound.content(folder) if file.suffix.lower() == ".flac" else sound.wav(folder)
    try:
        file.write_bytes(content)
    except OSError as error:
        raise UsageProblem(f"{file} cannot be written: {error.strerror}") from error
    return f"{file}: {sound.seconds:.1f} s of {unit.name}; the driver left, the assistant right"


async def _stored_unit(folder: Path, name: str) -> UnitResult:
    async with open_store(folder) as store:
        return await store.unit(name)


async def _show(
    folder: Path, unit: str | None, *, failed: bool, slow: bool, digest: bool, as_json: bool
) -> None:
    async with open_store(folder) as store:
        if unit is not None:
            found = await diagnosed_unit(store, unit)
            if digest:
                _print_digests({found.name: found.digest}, as_json=as_json)
            else:
                await _print_unit(store, found, as_json=as_json)
        elif failed:
            await _print_failed(store, as_json=as_json)
        elif slow:
            await _print_slow(store, as_json=as_json)
        elif digest:
            digests = {unit.name: unit.digest async for unit in store.each_unit()}
            _print_digests(digests, as_json=as_json)
        else:
            await _print_run(store, as_json=as_json)


async def _failed(store: RunStore) -> AsyncIterator[UnitResult]:
    async for unit in diagnosed_units(store):
        if unit.score.outcome != "success":
            yield unit


async def _print_failed(store: RunStore, *, as_json: bool) -> None:
    if as_json:
        about = {"run_id": store.manifest.run_id, "units": await store.number_of_units()}
        rows = (_failure_fields(unit) async for unit in _failed(store))
        await print_json_list(about, "failed", rows)
        return
    lines, units, failed, late = list[tuple[str, str, str]](), 0, 0, 0
    async for unit in diagnosed_units(store):
        units += 1
        late += solved_too_late([unit])
        if unit.score.outcome != "success":
            failed += 1
            if failed <= MOST_LINES:
                lines.append(_failure_line(unit))
    below = [f"{failed} of {counted(units, 'unit')} failed"]
    if failed > MOST_LINES:
        below[0] += f", the first {MOST_LINES} of them are listed (all: --json)"
    if late:
        below.append(f"solved, but too late: {late}; see codriver view {store.folder} --slow")
    if failed:
        first = lines[0][0]
        below.append(f"to read one conversation: codriver view {store.folder} --unit {first}")
    print_rows(("task:trial", "failure", "reason"), lines, *below)


async def _print_slow(store: RunStore, *, as_json: bool) -> None:
    found, turns = SlowTurns(MOST_LINES), 0
    async for unit in store.each_unit():
        found.add(unit)
        turns += len(unit.score.turns) if unit.score.evaluated else 0
    worst = [each for of_class in found.worst().values() for each in of_class]
    if as_json:
        rows = [{**each.model_dump(), "parts": dict(each.parts)} for each in worst]
        print_json({"run_id": store.manifest.run_id, "turns": turns, "slow": rows})
        return
    late, slow = found.late.total(), found.slow.total()
    below = [f"of {counted(turns, 'turn')}, {late} too late and {slow} slow"]
    if len(worst) < found.number:
        below[0] += f"; the worst {MOST_LINES} of each class are listed"
    if not store.manifest.latencies_judged:
        below = ["latencies of this run are not judged"]
    head = ("task:trial", "#turn", "#took", "#limit", "class", "missed", "what took the time")
    print_rows(head, [_slow_line(each) for each in worst], *below)


def _slow_line(slow: SlowTurn) -> tuple[str, ...]:
    return (
        f"{slow.task_id}:{slow.trial}",
        str(slow.turn),
        "never" if slow.took_ms is None else f"{slow.took_ms / 1000:.2f} s",
        f"{slow.limit_ms / 1000:.2f} s",
        f"{slow.turn_class} {caption(TURN_CLASSES, slow.turn_class)}",
        missed_limit(slow),
        what_took(slow),
    )


def _failure_fields(unit: UnitResult) -> dict[str, Any]:
    """`t_ns` is the moment in session time, null if unknown."""
    failure = unit.score.failure
    return {
        "task_id": unit.task_id,
        "trial": unit.trial,
        "task_type": unit.task_type,
        "outcome": unit.score.outcome,
        "kind": failure.kind if failure else None,
        "why": failure.evidence if failure else unit.score.reason,
        "t_ns": failure.t_ns if failure else None,
    }


def _failure_line(unit: UnitResult) -> tuple[str, str, str]:
    """The unit as `--unit` takes it, the kind of failure, and the reason."""
    return unit.name, *why_failed(unit.score)


def _print_digests(digests: dict[str, str | None], *, as_json: bool) -> None:
    if as_json:
        print_json(digests)
    else:
        print_rich(*(f"{digest or 'incomplete'}  {name}" for name, digest in digests.items()))


async def _print_unit(store: RunStore, unit: UnitResult, *, as_json: bool) -> None:
    lines = annotated(await store.record(*unit.unit), unit.score)
    if as_json:
        print_json({**unit.model_dump(mode="json"), "timeline": lines})
    else:
        print_rich(*story(lines, unit))


async def _print_run(store: RunStore, *, as_json: bool) -> None:
    rows, shown = await read_run(store)
    judged = await store.judged(store.manifest.profile)
    figures = summary(store.manifest, rows, out=str(store.folder), judged=judged)
    if as_json:
        about = {"manifest": store.manifest, "summary": figures}
        await print_json_list(about, "units", diagnosed_units(store))
        return
    by_priority = priorities_table(figures)
    more = () if by_priority is None else (by_priority, "")
    totals = ("", totals_table(figures), "", *more)
    one = shown.units[0].task_id if shown.units else "TASK"
    print_rich(
        table(store.manifest, shown.units),
        *((f"{shown.left_out} (all: --json)",) if shown.left_out else ()),
        *totals,
        Text(headline(figures)),
        f"to read one conversation: codriver view {store.folder} --unit {one}",
    )
