"""`codriver compare`: is the second run better than the first?"""

import asyncio
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
    difference_fields,
)
from evaluator.results.statistics import Tally
from evaluator.results.store import open_store
from evaluator.results.summary import summary
from evaluator.views.captions import FAMILIES, caption
from evaluator.views.captions import SPANS as CAPTIONS
from evaluator.views.printing import print_json, print_rich

STYLE = {"better": "bold green", "worse": "bold red", "undecided": "", "equal": ""}
WORDS = {"better": "better", "worse": "worse", "undecided": "unclear", "equal": "no difference"}
SPANS = ("upl", "upl_content", "effect_latency")


class Worse(Problem):
    """The gate of `--gate`: the second run is worse, and not by chance."""


def compare_runs(first: Path, second: Path, *, force: bool, gate: bool, as_json: bool) -> None:
    """Raises `UsageProblem` if the runs measured different things, `Worse` if a gate was asked."""
    one, two = asyncio.run(_sides(first, second))
    found = compare(one, two)
    if found.mixed and not force:
        raise UsageProblem(
            f"these runs do not compare: they differ in {', '.join(found.mixed)}; "
            "--force compares them all the same"
        )
    if found.solved is None:
        raise UsageProblem("these runs do not compare: no task was played in both, word by word")
    if as_json:
        print_json(_fields(found, one, two))
    else:
        print_rich(*_told(found, one, two))
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


def _told(found: Comparison, one: Side, two: Side) -> list[Any]:
    lines: list[Any] = [
        f"first   {one.manifest.run_id}  agent {one.manifest.agent}",
        f"second  {two.manifest.run_id}  agent {two.manifest.agent}",
        "",
        _differences(found),
        "",
        _latency(one, two),
    ]
    if found.mixed:
        lines.append(Text(f"forced, though they differ in {', '.join(found.mixed)}", "yellow"))
    if found.conditions:
        lines.append(
            Text(f"played under other conditions: {', '.join(found.conditions)}", "yellow")
        )
    for names, text in (
        (found.only_first, "only in the first run"),
        (found.only_second, "only in the second run"),
        (found.reworded, "changed between the runs and left out"),
    ):
        if names:
            lines.append(f"{len(names)} tasks {text}: {', '.join(names[:5])}{_more(names)}")
    lines += [
        Text(f"{side.manifest.run_id}: {excluded} turns spoilt by the bench itself are left out, "
             "too many for its latencies to be trusted", "yellow")
        for side in (one, two)
        if (excluded := _spoilt(side))
    ]  # fmt: skip
    if found.changes:
        lines += ["", _changes(found.changes)]
    return lines


def _spoilt(side: Side) -> int:
    """How many turns the bench spoilt, if they are too many."""
    harness = summary(side.manifest, side.units)["harness"]
    return 0 if harness["trusted"] else int(harness["excluded"])


def _more(names: tuple[str, ...]) -> str:
    return ", …" if len(names) > 5 else ""


def _differences(found: Comparison) -> Table:
    lines = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("", "first", "second", "difference", "95 %", "tasks"):
        lines.add_column(name, justify="right" if name else "left", no_wrap=True)
    lines.add_column("")
    rows = [("solved", found.solved), ("solved in time", found.in_time)]
    rows += [(f"  {caption(FAMILIES, family)}", row) for family, row in found.by_type.items()]
    for name, row in rows:
        if row is not None:
            lines.add_row(name, *_cells(row))
    return lines


def _cells(row: Difference) -> tuple[Text, ...]:
    style = STYLE[row.verdict]
    return (
        Text(f"{row.first:.0%}"),
        Text(f"{row.second:.0%}"),
        Text(_points(row.value), style=style),
        Text(f"{_points(row.lo)} to {_points(row.hi)}"),
        Text(str(row.tasks)),
        Text(WORDS[row.verdict], style=style),
    )


def _points(share: float) -> str:
    return f"{share * 100:+.1f}"


def _latency(one: Side, two: Side) -> Table:
    before, after = (summary(side.manifest, side.units)["latency_ms"] for side in (one, two))
    lines = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("ms", "first p50", "second p50", "first p95", "second p95"):
        lines.add_column(name, justify="left" if name == "ms" else "right", no_wrap=True)
    for span in SPANS:
        if span in before and span in after:
            cells = [_ms(side[span][p]) for p in ("p50", "p95") for side in (before, after)]
            lines.add_row(caption(CAPTIONS, span), *cells)
    return lines


def _ms(value: float | None) -> str:
    return "never" if value is None else f"{value:.0f}"


def _changes(changes: tuple[TaskChange, ...]) -> Table:
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
            _of(change.first),
            _of(change.second),
            Text("lost" if lost else "won", style="red" if lost else "green"),
            Text(change.reason if lost else ""),
        )
    return lines


def _of(tally: Tally) -> str:
    return f"{tally.successes} of {tally.trials}"


# --- for scripts


def _fields(found: Comparison, one: Side, two: Side) -> dict[str, Any]:
    return {
        "first": one.manifest.run_id,
        "second": two.manifest.run_id,
        "mixed": list(found.mixed),
        "conditions": list(found.conditions),
        "solved": difference_fields(found.solved),
        "in_time": difference_fields(found.in_time),
        "by_type": {name: difference_fields(row) for name, row in found.by_type.items()},
        "latency_ms": {
            side: summary(run.manifest, run.units)["latency_ms"]
            for side, run in (("first", one), ("second", two))
        },
        "changes": [
            {
                "task_id": change.task_id,
                "first": [change.first.successes, change.first.trials],
                "second": [change.second.successes, change.second.trials],
                "change": change.change,
                "reason": change.reason,
            }
            for change in found.changes
        ],
        "only_first": list(found.only_first),
        "only_second": list(found.only_second),
        "reworded": list(found.reworded),
    }
