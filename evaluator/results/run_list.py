"""The run folders in a folder: where they are, and what each came to."""

from pathlib import Path
from typing import Any

from evaluator.results.rows.run_rows import RunRows
from evaluator.results.store import FILE, StoreError, open_store
from evaluator.results.summary import means, planned_units


def run_folders(folder: Path) -> dict[str, Path]:
    """The folders of runs in a folder and those below, by their paths within it."""
    found = sorted(file.parent for file in folder.rglob(FILE))
    return {each.relative_to(folder).as_posix(): each for each in found}


async def described(folder: Path) -> dict[str, Any]:
    """What there is to say of a run; of one that cannot be read `problem` says why."""
    row: dict[str, Any] = {"folder": str(folder), "created_at": None, "problem": None}
    try:
        async with open_store(folder) as store:
            manifest, rows = store.manifest, RunRows()
            async for unit in store.each_unit():
                rows.add(unit)
            verdicts = [row.verdict for row in rows.evaluated]
            upl = rows.turns.latency_ms().get("upl")
            figures = means(verdicts, timed=manifest.latencies_judged)
            return row | {
                "created_at": manifest.created_at,
                "label": manifest.label or None,
                "agent": manifest.described_agent,
                "pace": manifest.pace,
                "user": manifest.user,
                "profile": manifest.profile,
                "evaluated": len(verdicts),
                "planned": planned_units(manifest, len(rows.units)),
                "reward_mean": figures["reward_mean"],
                "in_time_mean": figures["in_time_mean"],
                "first_speech_p50_ms": upl.p50 if upl else None,
                "trusted": rows.turns.trusted,
            }
    except StoreError as error:
        return row | {"problem": str(error)}


def newest_first(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: row["created_at"] or "", reverse=True)
