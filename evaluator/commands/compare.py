"""`codriver compare`: is the second run better than the first?"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from evaluator.problems import Problem, UsageProblem
from evaluator.results.comparison import (
    Comparison,
    Difference,
    Side,
    TaskChange,
    compare,
)
from evaluator.results.store import open_store
from evaluator.results.turn_figures import Latency, evaluated_turns, harness, latency_ms
from evaluator.scoring.scores import TurnScore
from evaluator.views.captions import FAMILIES, caption
from evaluator.views.captions import SPANS as CAPTIONS
from evaluator.views.printing import print_json, print_rich
from evaluator.views.sentences import readable, untrusted_latencies

STYLE = {"better": "bold green", "worse": "bold red", "undecided": "", "equal": ""}
VERDICTS = {"better": "better", "worse": "worse", "undecided": "unclear", "equal": "no difference"}
SPANS = ("upl", "upl_content", "effect_latency")


class Worse(Problem):
    """With `--gate`: the second run is worse, and not by chance."""


def compare_runs(first: Path, second: Path, *, force: bool, gate: bool, as_json: bool) -> None:
    """Raises `UsageProblem` for runs of different kinds, with `gate` `Worse` if the second is."""
    one, two = asyncio.run(_sides(first, second))
    found = compare(one, two)
    if found.mixed and not force:
        raise UsageProblem(
            f"these runs cannot be compared: they differ in {', '.join(found.mixed)}; "
            "--force compares them anyway"
        )
    if found.solved is None:
        raise UsageProblem(
            "these runs cannot be compared: no task is in both with the same wording"
        )
    turns = [evaluated_turns(side.units) for side in (one, two)]
    if as_json:
        print_json(_fields(found, one, two, turns))
    else:
        print_rich(*_lines(found, one, two, turns))
    if gate and found.solved.verdict == "worse":
        raise Worse(f"{second} solves less than {first}, and not by chance")


async def _sides(*folders: Path) -> list[Side]:
    sides = []
    for folder in folders:
        async with open_store(folder) as store:
            judged = await store.judged(store.manifest.profile)
            sides.append(Side(store.manifest, await store.units(), judged))
    return sides


# --- for people


def _lines(found: Comparison, one: Side, two: Side, turns: Sequence[list[TurnScore]]) -> list[Any]:
    lines: list[Any] = [
        f"first   {one.manifest.run_id}  agent {one.manifest.agent}",
        f"second  {two.manifest.run_id}  agent {two.manifest.agent}",
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
    return [*lines, "", _changes(found.changes)] if found.changes else lines


def _warnings(
    found: Comparison, one: Side, two: Side, turns: Sequence[list[TurnScore]]
) -> Iterator[str]:
    if found.mixed:
        yield f"forced, although they differ in {', '.join(found.mixed)}"
    for run_id in found.not_judged:
        yield f"{run_id}: latencies not judged: run with --patience; solved in time is left out"
    if found.conditions:
        yield f"played under different conditions: {', '.join(found.conditions)}"
    for side, exact in zip((one, two), map(harness, turns), strict=True):
        if not exact.trusted and side.manifest.latencies_judged:
            yield f"{side.manifest.run_id}: {untrusted_latencies(exact)}"


def _table(*columns: str) -> Table:
    """All but the first column are numbers."""
    lines = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, name in enumerate(columns):
        lines.add_column(name, justify="right" if number else "left", no_wrap=True)
    return lines


def _differences(found: Comparison) -> Table:
    lines = _table("", "first", "second", "points", "95 % interval", "tasks")
    lines.add_column("")
    rows = [("solved", found.solved)]
    rows += [(f"  {caption(FAMILIES, family)}", row) for family, row in found.by_type.items()]
    for name, row in (*rows, ("solved in time", found.in_time)):
        if row is not None:
            lines.add_row(name, *_cells(row))
    return lines


def _cells(row: Difference) -> tuple[Text, ...]:
    style = STYLE[row.verdict]
    return (
        Text(f"{row.first:.0%}"),
        Text(f"{row.second:.0%}"),
        Text(_points(row.difference), style=style),
        Text(f"{_points(row.lo)} to {_points(row.hi)}"),
        Text(str(row.tasks)),
        Text(VERDICTS[row.verdict], style=style),
    )


def _points(share: float) -> str:
    return f"{share * 100:+.1f}"


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
    found: Comparison, one: Side, two: Side, turns: Sequence[list[TurnScore]]
) -> dict[str, Any]:
    return {
        "first": one.manifest.run_id,
        "second": two.manifest.run_id,
        "mixed": found.mixed,
        "conditions": found.conditions,
        "latencies_not_judged": found.not_judged,
        "solved": found.solved,
        "in_time": found.in_time,
        "by_type": found.by_type,
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
