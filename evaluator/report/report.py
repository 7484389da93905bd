"""`codriver report`: a stored run as one HTML file."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

from assistant_gateway.wording.spoken import counted
from evaluator.report.content import RunContent
from evaluator.report.heard import MOST_BYTES, heard
from evaluator.report.page import Parts, page
from evaluator.report.unit_content import Content, told
from evaluator.report.written import write_page
from evaluator.results.broken_agent import diagnosed_units
from evaluator.results.rows.run_rows import RunRows
from evaluator.results.rows.sample import shown_units
from evaluator.results.store import StoreError, UnitResult, open_store
from evaluator.results.summary import summary
from evaluator.views.printing import print_json, print_rich

FILE = "report.html"
MOST_CONVERSATIONS = 2000  # on one page


def report(folder: Path, out: Path | None, *, as_json: bool) -> None:
    """Write the report, by default into the run folder; raises `UsageProblem`."""
    html, units, unheard = asyncio.run(report_of(folder))
    file = out or folder
    file = file / FILE if file.is_dir() else file
    write_page(file, html, "--out")
    sys.stderr.write("".join(f"without sound: {problem}\n" for problem in unheard))
    if as_json:
        print_json(
            {
                "report": str(file),
                "units": units,
                "bytes": file.stat().st_size,
                "unheard": unheard,
            }
        )
    else:
        print_rich(
            f"{file}: {counted(units, 'unit')}, {file.stat().st_size / 1e6:.1f} MB; open it offline"
        )


async def report_of(folder: Path) -> tuple[str, int, list[str]]:
    """The page of a stored run, the number of its units, and what is wrong with kept sound."""
    async with open_store(folder) as store:
        rows, content, first = RunRows(), RunContent(), list[UnitResult]()
        async for unit in diagnosed_units(store):
            rows.add(unit)
            content.add(unit)
            if len(rows.units) <= MOST_CONVERSATIONS:
                first.append(unit)
        shown = await shown_units(store, rows.units, first, MOST_CONVERSATIONS, content.named)
        conversations: dict[tuple[str, int], Content] = {}
        room, unheard = MOST_BYTES, list[str]()
        for unit in shown.units:
            # An attempt may be stored without a record; its unit is listed anyway.
            with suppress(StoreError):
                record, sound = await store.record(*unit.unit), heard(unit, folder, room)
                conversations[unit.unit] = told(unit, record, heard=sound)
                room -= unit.sound.size_bytes if sound and "flac" in sound and unit.sound else 0
                unheard += [sound["lost"]] if sound and "lost" in sound else []
        judged = await store.judged(store.manifest.profile)
        run = summary(store.manifest, rows, out=str(folder), judged=judged)
        parts = Parts(rows.units, content, shown)
        return page(store.manifest, parts, conversations, run), len(rows.units), unheard
