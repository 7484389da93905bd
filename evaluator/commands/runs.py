"""`codriver runs`: the run folders in a folder, newest first."""

import asyncio
from pathlib import Path
from typing import Any

from evaluator.problems import UsageProblem
from evaluator.results.run_list import described, newest_first, run_folders
from evaluator.views.captions import percent
from evaluator.views.printing import print_json, print_rows

HEADER = ("folder", "begun (UTC)", "units", "solved", "in time", "agent")


def list_runs(folder: Path, *, as_json: bool) -> None:
    """Print a line for each run in a folder and those below; raises `UsageProblem`."""
    if not folder.is_dir():
        raise UsageProblem(f"{folder} is no folder; runs are stored in runs/ unless --out is given")
    rows = newest_first([asyncio.run(described(each)) for each in run_folders(folder).values()])
    if as_json:
        print_json(rows)
        return
    below = ["look into one with: codriver view RUN; two with: codriver compare FIRST SECOND"]
    if not rows:
        raise UsageProblem(f"{folder} holds no run; make one with: codriver run --agent rules")
    print_rows(HEADER, [_line(row) for row in rows], *below)


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    if row["problem"] is not None:
        return (row["folder"], "", "", "", "", row["problem"])
    agent = f"{row['label']}: {row['agent']}" if row["label"] else row["agent"]
    return (
        row["folder"],
        row["created_at"][:16].replace("T", " "),
        f"{row['evaluated']}/{row['planned']}",
        _share(row["reward_mean"]),
        _share(row["in_time_mean"]),
        agent,
    )


def _share(value: float | None) -> str:
    return "-" if value is None else percent(value)
