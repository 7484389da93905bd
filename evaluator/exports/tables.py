"""A run as a table with one row per unit: CSV and JSON Lines."""

import csv
from pathlib import Path

import orjson

from evaluator.stored_run.rows import UNIT_COLUMNS, rows
from evaluator.stored_run.run import StoredRun


def write_csv(run: StoredRun, out: Path) -> dict[str, int]:
    """Columns as in `UNIT_COLUMNS`; empty where there is nothing to say. Counts `units`."""
    units = 0
    with out.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, UNIT_COLUMNS)
        table.writeheader()
        for row in rows(run, "units"):
            table.writerow(row)
            units += 1
    return {"units": units}


def write_jsonl(run: StoredRun, out: Path) -> dict[str, int]:
    """One JSON object per line, with the same names; null where there is nothing to say."""
    units = 0
    with out.open("wb") as file:
        for row in rows(run, "units"):
            file.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
            units += 1
    return {"units": units}
