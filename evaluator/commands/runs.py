"""`codriver runs`: the run folders in a folder, newest first."""

import asyncio
from pathlib import Path
from typing import Any

from evaluator.problems import UsageProblem
from evaluator.results.store import FILE, StoreError, open_store
from evaluator.results.summary import summary
from evaluator.views.captions import percent
from evaluator.views.printing import print_json, print_rows

HEADER = ("folder", "begun (UTC)", "units", "solved", "in time", "agent")


def list_runs(folder: Path, *, as_json: bool) -> None:
    """Print a line for each run in a folder and those below; raises `UsageProblem`."""
    if not folder.is_dir():
        raise UsageProblem(f"{folder} is no folder; runs are stored in runs/ unless --out is given")
    found = [asyncio.run(_described(file.parent)) for file in sorted(folder.rglob(FILE))]
    rows = sorted(found, key=lambda row: row["created_at"] or "", reverse=True)
    if as_json:
        print_json(rows)
        return
    below = ["look into one with: codriver view RUN; two with: codriver compare FIRST SECOND"]
    if not rows:
        raise UsageProblem(f"{folder} holds no run; make one with: codriver run --agent rules")
    print_rows(HEADER, [_line(row) for row in rows], *below)


async def _described(folder: Path) -> dict[str, Any]:
    """What there is to say of a run; of one that cannot be read `problem` says why."""
    row: dict[str, Any] = {"folder": str(folder), "created_at": None, "problem": None}
    try:
        async with open_store(folder) as store:
            figures = summary(store.manifest, await store.units())
            return row | {
                "created_at": store.manifest.created_at,
                "label": store.manifest.label or None,
                "agent": store.manifest.described_agent,
                "pace": store.manifest.pace,
                "evaluated": figures.evaluated,
                "planned": figures.planned,
                "reward_mean": figures.reward_mean,
                "in_time_mean": figures.in_time_mean,
            }
    except StoreError as error:
        return row | {"problem": str(error)}


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
