"""`codriver compare`: is the second run better than the first?"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from evaluator.problems import GateFailed, InfraProblem, UsageProblem
from evaluator.results.comparison import (
    Comparison,
    Difference,
    Side,
    SlowerTask,
    TaskChange,
    compare,
)
from evaluator.results.store import open_store
from evaluator.results.turn_figures import (
    HarnessFigures,
    Latency,
    evaluated_turns,
    harness,
    latency_ms,
)
from evaluator.results.unpaired import Unpaired, UnpairedDifference, unpaired
from evaluator.scoring.scores import TurnScore
from evaluator.views.captions import MAIN_TYPES, caption
from evaluator.views.captions import SPANS as CAPTIONS
from evaluator.views.gates import USUAL, Tolerance, worse_latencies, worse_shares
from evaluator.views.printing import print_json, print_rich
from evaluator.views.sentences import readable, untrusted_latencies

STYLE = {"better": "bold green", "worse": "bold red", "undecided": "", "equal": ""}
VERDICTS = {"better": "better", "worse": "worse", "undecided": "unclear", "equal": "equal"}
SPANS = ("upl", "upl_content", "effect_latency")
MOST_SLOWER = 5


def compare_runs(
    first: Path,
    second: Path,
    *,
    force: bool,
    as_json: bool,
    gate: bool = False,
    tolerance: Tolerance = USUAL,
) -> None:
    """Print a comparison; raises `UsageProblem` for runs of different kinds.

    Runs that share no task are compared unpaired, but for a gate.

    With `gate` it raises `GateFailed` if the second run is worse than tolerated, and not by chance,
    and `InfraProblem` if the bench kept that from being known.
    """
    one, two = asyncio.run(_sides(first, second))
    found = compare(one, two)
    others = unpaired(one, two) if found.solved is None and not gate else None
    if others is not None:  # other tasks may well play in another world
        found = replace(found, mixed=tuple(name for name in found.mixed if name != "world"))
    if found.mixed and not force:
        raise UsageProblem(
            f"these runs cannot be compared: they differ in {', '.join(found.mixed)}; "
            "--force compares them anyway"
        )
    if found.solved is None and others is None:
        raise UsageProblem(
            "these runs cannot be compared: no task is in both with the same wording"
        )
    turns = [evaluated_turns(side.units) for side in (one, two)]
    if as_json:
        print_json(_fields(found, others, one, two, turns))
    elif others is not None:
        print_rich(*_lines_of_others(found, others, one, two, turns))
    else:
        print_rich(*_lines(found, one, two, turns))
    if gate:
        _check(found, (one, two), list(map(harness, turns)), tolerance)


def _check(
    found: Comparison, sides: Sequence[Side], exact: Sequence[HarnessFigures], tolerance: Tolerance
) -> None:
    """What was solved is known whatever the bench delayed; how long it took is not."""
    trusted = all(each.trusted for each in exact)
    known = found if trusted else replace(found, in_time=None, latencies={})
    if worse := [*worse_shares(known, tolerance), *worse_latencies(known, tolerance)]:
        raise GateFailed(
            f"{sides[1].name} is worse than {sides[0].name}, and not by chance: {'; '.join(worse)}"
        )
    for side, figures in zip(sides, exact, strict=True):
        if not figures.trusted and side.manifest.latencies_judged:
            raise InfraProblem(f"{side.name}: {untrusted_latencies(figures)}")


async def _sides(*folders: Path) -> list[Side]:
    sides = []
    for folder in folders:
        async with open_store(folder) as store:
            judged = await store.judged(store.manifest.profile)
            sides.append(Side(store.manifest, await store.units(), judged, str(folder)))
    return sides


# --- for people


def _lines(found: Comparison, one: Side, two: Side, turns: Sequence[list[TurnScore]]) -> list[Any]:
    lines: list[Any] = [
        f"first   {_named(one)}",
        f"second  {_named(two)}",
        "",
        _differences(found),
        "",
        _latencies(*map(latency_ms, turns)),
        *(Text(warning, "yellow") for warning in _warnings(found, one, two, turns)),
    ]
    for names, text in (
        (found.only_first, "only in the first run"),
        (found.only_second, "only in the second run"),
        (found.reworded, "changed between the runs and left out"),
    ):
        if names:
            more = ", …" if len(names) > 5 else ""
            lines.append(f"{len(names)} tasks {text}: {', '.join(names[:5])}{more}")
    if found.slower:
        lines += ["", _slower(found.slower[:MOST_SLOWER])]
    return [*lines, "", _changes(found.changes)] if found.changes else lines


def _lines_of_others(
    found: Comparison, others: Unpaired, one: Side, two: Side, turns: Sequence[list[TurnScore]]
) -> list[Any]:
    lines = _table("", "first", "second", "change", "95 % interval", "tasks", "tasks")
    lines.add_column("")
    rows = [("tasks solved", others.solved)]
    rows += [(f"  {caption(MAIN_TYPES, name)}", row) for name, row in others.by_type.items()]
    for name, row in (*rows, ("solved in time", others.in_time)):
        if row is not None:
            cells = _share_cells(row)
            numbers = map(str, (row.first_tasks, row.second_tasks))
            lines.add_row(name, *cells[:-1], *numbers, cells[-1])
    return [
        f"first   {_named(one)}",
        f"second  {_named(two)}",
        "",
        lines,
        "",
        "these are different tasks: compared are those of one main type and band of calls, and "
        "weighted as in the first run",
        *(Text(warning, "yellow") for warning in _warnings(found, one, two, turns)),
    ]


def _share_cells(row: UnpairedDifference) -> tuple[Text, ...]:
    style = STYLE[row.verdict]
    lo, difference, hi = (f"{each * 100:+.1f}" for each in (row.lo, row.difference, row.hi))
    return (
        Text(f"{row.first:.0%}"),
        Text(f"{row.second:.0%}"),
        Text(difference, style=style),
        Text(f"{lo} to {hi}"),
        Text(VERDICTS[row.verdict], style=style),
    )


def _named(side: Side) -> str:
    """Label, folder, run id and agent."""
    names = dict.fromkeys([side.name, side.folder, side.manifest.run_id])
    return f"{'  '.join(names)}  agent {side.manifest.described_agent}"


def _warnings(
    found: Comparison, one: Side, two: Side, turns: Sequence[list[TurnScore]]
) -> Iterator[str]:
    if found.mixed:
        yield f"forced, although they differ in {', '.join(found.mixed)}"
    for name in found.not_judged:
        yield f"{name}: latencies not judged: run with --patience; solved in time is left out"
    if found.conditions:
        yield f"played under different conditions: {', '.join(found.conditions)}"
    for side, exact in zip((one, two), map(harness, turns), strict=True):
        if not exact.trusted and side.manifest.latencies_judged:
            yield f"{side.name}: {untrusted_latencies(exact)}"


def _table(*columns: str) -> Table:
    """All but the first column are numbers."""
    lines = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, name in enumerate(columns):
        lines.add_column(name, justify="right" if number else "left", no_wrap=True)
    return lines


def _differences(found: Comparison) -> Table:
    """What was compared in pairs; what is worse about a latency is that it grew."""
    lines = _table("", "first", "second", "change", "95 % interval", "tasks")
    lines.add_column("")
    shares = [("tasks solved", found.solved)]
    shares += [
        (f"  {caption(MAIN_TYPES, main_type)}", row) for main_type, row in found.by_type.items()
    ]
    for name, row in (*shares, ("solved in time", found.in_time)):
        if row is not None:
            lines.add_row(name, *_cells(row, "{:.0%}", 100, "{:+.1f}"))
    for span, waited in found.latencies.items():
        lines.add_row(f"{caption(CAPTIONS, span)}, ms", *_cells(waited, "{:.0f}", 1, "{:+.0f}"))
    return lines


def _cells(row: Difference, value: str, scale: float, change: str) -> tuple[Text, ...]:
    """Shares in percent and points, latencies in ms."""
    style = STYLE[row.verdict]
    lo, difference, hi = (change.format(each * scale) for each in (row.lo, row.difference, row.hi))
    return (
        Text(value.format(row.first)),
        Text(value.format(row.second)),
        Text(difference, style=style),
        Text(f"{lo} to {hi}"),
        Text(str(row.tasks)),
        Text(VERDICTS[row.verdict], style=style),
    )


def _latencies(before: Mapping[str, Latency], after: Mapping[str, Latency]) -> Table:
    lines = _table("ms", "first p50", "second p50", "first p95", "second p95")
    for span in SPANS:
        if span in before and span in after:
            one, two = before[span], after[span]
            cells = map(_ms, (one.p50, two.p50, one.p95, two.p95))
            lines.add_row(caption(CAPTIONS, span), *cells)
    return lines


def _ms(value: float | None) -> str:
    return "never" if value is None else f"{value:.0f}"


def _slower(tasks: Iterable[SlowerTask]) -> Table:
    lines = _table("slower in the second run", "first ms", "second ms")
    lines.add_column("")
    for task in tasks:
        ms = (f"{task.first_ms:.0f}", f"{task.second_ms:.0f}")
        lines.add_row(Text(task.task_id), *ms, caption(CAPTIONS, task.span))
    return lines


def _changes(changes: Iterable[TaskChange]) -> Table:
    lines = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    lines.add_column("task", overflow="fold", min_width=16)
    for name in ("first", "second"):
        lines.add_column(name, justify="right", no_wrap=True)
    lines.add_column("", no_wrap=True)
    lines.add_column("why the second failed", overflow="fold")
    for change in changes:
        lost = change.change < 0
        lines.add_row(
            Text(change.task_id),
            *(f"{tally.successes} of {tally.trials}" for tally in (change.first, change.second)),
            Text("lost" if lost else "won", style="red" if lost else "green"),
            Text(readable(change.reason) if lost else ""),
        )
    return lines


# --- for scripts


def _fields(
    found: Comparison,
    others: Unpaired | None,
    one: Side,
    two: Side,
    turns: Sequence[list[TurnScore]],
) -> dict[str, Any]:
    return {
        "first": one.manifest.run_id,
        "second": two.manifest.run_id,
        "runs": [_about(side) for side in (one, two)],
        "mixed": found.mixed,
        "conditions": found.conditions,
        "latencies_not_judged": found.not_judged,
        "unpaired": others,
        "solved": found.solved,
        "in_time": found.in_time,
        "by_type": found.by_type,
        "latency_difference_ms": found.latencies,
        "slower": found.slower,
        "latency_ms": dict(zip(("first", "second"), map(latency_ms, turns), strict=True)),
        "changes": [
            {
                "task_id": change.task_id,
                "first": (change.first.successes, change.first.trials),
                "second": (change.second.successes, change.second.trials),
                "change": change.change,
                "reason": change.reason,
            }
            for change in found.changes
        ],
        "only_first": found.only_first,
        "only_second": found.only_second,
        "reworded": found.reworded,
    }


def _about(side: Side) -> dict[str, Any]:
    manifest = side.manifest
    return {
        "run_id": manifest.run_id,
        "folder": side.folder,
        "label": manifest.label or None,
        "agent": manifest.described_agent,
    }
