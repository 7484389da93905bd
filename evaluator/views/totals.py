"""The numbers of a run in a terminal: a row per task type and one for all."""

from rich.table import Table
from rich.text import Text

from evaluator.results.statistics import Estimate
from evaluator.results.summary import Shares, Summary
from evaluator.views.captions import MAIN_TYPES, PRIORITIES, caption, percent


def totals_table(run: Summary) -> Table:
    """Shares of tasks with their 95 % intervals; fits 80 columns."""
    most = _most_trials(run)
    lines = _lines("", most, gap=2)
    for name, row in run.by_type.items():
        lines.add_row(caption(MAIN_TYPES, name), *_cells(row, most))
    if len(run.by_type) != 1:
        lines.add_row(Text("all", style="bold"), *_cells(run, most))
    if run.pairs is not None:
        lines.add_row("limit and twin", str(run.pairs.played), *_estimate(run.pairs.solved))
    return lines


def priorities_table(run: Summary) -> Table | None:
    """The same for disambiguation by what decides; None if that is one thing for all."""
    rows, most = run.by_priority, _most_trials(run)
    if len(rows) < 2:
        return None
    lines = _lines("decided by", most, gap=1)
    for name, row in rows.items():
        lines.add_row(caption(PRIORITIES, name), *_cells(row, most))
    return lines


def _most_trials(run: Summary) -> str:
    return max(run.pass_hat_k, key=int, default="1")


def _lines(first: str, most: str, gap: int) -> Table:
    lines = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
    lines.add_column(first, no_wrap=True)
    several = (f"Pass^{most}", f"Pass@{most}") if most != "1" else ()
    for name in ("units", "solved", "95 % interval", "in time", *several, "too late"):
        lines.add_column(name, justify="right", no_wrap=True)
    return lines


def _cells(row: Shares, most: str) -> list[str]:
    several = [_value(found.get(most)) for found in (row.pass_hat_k, row.pass_at_k)]
    return [
        str(row.evaluated),
        *_estimate(row.solved),
        _value(row.solved_in_time),
        *(several if most != "1" else ()),
        _share(row.budget.hard_miss_rate),
    ]


def _estimate(estimate: Estimate | None) -> tuple[str, str]:
    """With its interval."""
    interval = f"{estimate.lo * 100:.0f} to {estimate.hi * 100:.0f}" if estimate else ""
    return _value(estimate), interval


def _value(estimate: Estimate | None) -> str:
    return _share(estimate.value if estimate else None)


def _share(value: float | None) -> str:
    return "" if value is None else percent(value)
