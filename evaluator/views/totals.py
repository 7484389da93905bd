"""The figures of a run as people read them in a terminal: a row per type and one for all."""

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from evaluator.views.captions import FAMILIES, PRIORITIES, caption

Figures = Mapping[str, Any]


def totals_table(figures: Figures) -> Table:
    """Shares of tasks from a `summary`, with the 95 % interval; fits 80 columns."""
    most = _most_trials(figures)
    lines = _lines("", most, gap=2)
    for name, row in figures["by_type"].items():
        lines.add_row(caption(FAMILIES, name), *_cells(row, most))
    if len(figures["by_type"]) != 1:
        lines.add_row(Text("all", style="bold"), *_cells(figures, most))
    return lines


def priorities_table(figures: Figures) -> Table | None:
    """The same for disambiguation, by what was to settle it; None if that is one thing for all."""
    rows, most = figures["by_priority"], _most_trials(figures)
    if len(rows) < 2:
        return None
    lines = _lines("settled by", most, gap=1)
    for name, row in rows.items():
        lines.add_row(caption(PRIORITIES, name), *_cells(row, most))
    return lines


def _most_trials(figures: Figures) -> str:
    return max(figures["pass_hat_k"], key=int, default="1")


def _lines(first: str, most: str, gap: int) -> Table:
    lines = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
    lines.add_column(first, no_wrap=True)
    several = (f"Pass^{most}", f"Pass@{most}") if most != "1" else ()
    for name in ("units", "solved", "95 %", "in time", *several, "too slow"):
        lines.add_column(name, justify="right", no_wrap=True)
    return lines


def _cells(row: Figures, most: str) -> list[str]:
    solved = row["pass_hat_k"].get("1")
    several = [_value(row[name].get(most)) for name in ("pass_hat_k", "pass_at_k")]
    return [
        str(row["evaluated"]),
        _value(solved),
        "" if solved is None else f"{solved['lo'] * 100:.0f} to {solved['hi'] * 100:.0f}",
        _value(row["pass_hat_k_in_time"].get("1")),
        *(several if most != "1" else ()),
        _share(row["budget"]["hard_miss_rate"]),
    ]


def _value(estimate: Figures | None) -> str:
    return "" if estimate is None else _share(estimate["value"])


def _share(value: float | None) -> str:
    return "" if value is None else f"{value * 100:.0f} %"
