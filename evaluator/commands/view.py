"""`codriver view`: the units of a stored run, those that failed, one of them, or their digests."""

import asyncio
from pathlib import Path
from typing import Any

from rich.text import Text

from assistant_gateway.wording.spoken import counted
from evaluator.allowed_values import check_ending
from evaluator.problems import UsageProblem
from evaluator.report.stored import stored_unit_page
from evaluator.report.written import write_page
from evaluator.results.broken_agent import diagnosed
from evaluator.results.slow_turns import SlowTurn, slow_turns
from evaluator.results.store import RunStore, UnitResult, chosen_unit, open_store, sound_of
from evaluator.results.summary import Summary, summary
from evaluator.results.turn_figures import evaluated_turns
from evaluator.views.captions import TURN_CLASSES, caption
from evaluator.views.printing import print_json, print_rich, print_rows
from evaluator.views.score_findings import annotated
from evaluator.views.sentences import missed_limit, solved_too_late, what_took, why_failed
from evaluator.views.table import headline, table
from evaluator.views.totals import priorities_table, totals_table
from evaluator.views.unit_timeline import story


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
        return chosen_unit(await store.units(), name)


async def _show(
    folder: Path, unit: str | None, *, failed: bool, slow: bool, digest: bool, as_json: bool
) -> None:
    async with open_store(folder) as store:
        units = diagnosed(await store.units())
        if unit is not None:
            units = [chosen_unit(units, unit)]
        if failed:
            _print_failed(store, units, as_json=as_json)
        elif slow:
            _print_slow(store, units, as_json=as_json)
        elif digest:
            _print_digests(units, as_json=as_json)
        elif unit is not None:
            await _print_unit(store, units[0], as_json=as_json)
        else:
            judged = await store.judged(store.manifest.profile)
            figures = summary(store.manifest, units, out=str(store.folder), judged=judged)
            _print_run(store, units, figures, as_json=as_json)


def _print_failed(store: RunStore, units: list[UnitResult], *, as_json: bool) -> None:
    failed = [unit for unit in units if unit.score.outcome != "success"]
    if as_json:
        rows = [_failure_fields(unit) for unit in failed]
        print_json({"run_id": store.manifest.run_id, "units": len(units), "failed": rows})
        return
    below = [f"{len(failed)} of {counted(len(units), 'unit')} failed"]
    if late := solved_too_late(units):
        below.append(f"solved, but too late: {late}; see codriver view {store.folder} --slow")
    if failed:
        first = failed[0].name
        below.append(f"to read one conversation: codriver view {store.folder} --unit {first}")
    print_rows(
        ("task:trial", "failure", "reason"), [_failure_line(unit) for unit in failed], *below
    )


def _print_slow(store: RunStore, units: list[UnitResult], *, as_json: bool) -> None:
    slow, turns = slow_turns(units), evaluated_turns(units)
    if as_json:
        rows = [{**each.model_dump(), "parts": dict(each.parts)} for each in slow]
        print_json({"run_id": store.manifest.run_id, "turns": len(turns), "slow": rows})
        return
    late = sum(each.mark != "soft" for each in slow)
    below = [f"of {counted(len(turns), 'turn')}, {late} too late and {len(slow) - late} slow"]
    if not store.manifest.latencies_judged:
        below = ["latencies of this run are not judged"]
    head = ("task:trial", "#turn", "#took", "#limit", "class", "missed", "what took the time")
    print_rows(head, [_slow_line(each) for each in slow], *below)


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


def _print_digests(units: list[UnitResult], *, as_json: bool) -> None:
    digests = {unit.name: unit.digest for unit in units}
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


def _print_run(
    store: RunStore, units: list[UnitResult], figures: Summary, *, as_json: bool
) -> None:
    if as_json:
        print_json({"manifest": store.manifest, "summary": figures, "units": units})
    else:
        by_priority = priorities_table(figures)
        more = () if by_priority is None else (by_priority, "")
        totals = ("", totals_table(figures), "", *more)
        one = units[0].task_id if units else "TASK"
        print_rich(
            table(store.manifest, units),
            *totals,
            Text(headline(figures)),
            f"to read one conversation: codriver view {store.folder} --unit {one}",
        )
