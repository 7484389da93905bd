import asyncio
import json
from pathlib import Path

import pytest

from evaluator.results.store import FILE, open_store
from tests.evaluator.command_line import USAGE, Here
from tests.evaluator.episodes import manifest, unit


async def store(folder: Path, created_at: str, **changed: object) -> None:
    made = manifest("base_1", "base_2").model_copy(update={"created_at": created_at, **changed})
    async with open_store(folder, manifest=made) as run:
        await run.save(unit("base_1"))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two runs, one of them deeper, and a file that says it is one."""
    for name, day in (("runs/a", "01"), ("runs/deeper/b", "02")):
        label = {"label": "new prompt"} if name.endswith("b") else {}
        asyncio.run(store(tmp_path / name, f"2026-01-{day}T10:20:30+00:00", options=label))
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / FILE).write_text("no database, but long enough to be read")
    return tmp_path / "runs"


def test_runs_are_listed_newest_first_with_what_they_came_to(runs: Path, here: Here) -> None:
    done = here("runs")  # in the folder that holds runs/
    newest, oldest, broken = done.stdout.splitlines()
    cells = [cell.strip() for cell in newest.split("  ") if cell]
    assert cells[:5] == ["runs/deeper/b", "2026-01-02 10:20", "1/2", "100 %", "100 %"]
    assert "new prompt: " in newest
    assert oldest.startswith("runs/a ")
    assert broken.startswith("runs/broken ")
    assert "cannot be used" in broken
    assert done.code == 0
    assert "codriver view RUN" in done.stderr


def test_runs_are_one_list_for_machines(runs: Path, here: Here) -> None:
    found = json.loads(here("runs", runs, "--json").stdout)
    assert [row["label"] for row in found if not row["problem"]] == ["new prompt", None]
    assert {row["evaluated"] for row in found if not row["problem"]} == {1}
    assert sum(row["problem"] is not None for row in found) == 1


def test_where_no_run_is_the_way_to_one_is_said(tmp_path: Path, here: Here) -> None:
    for arguments in (("runs",), ("runs", tmp_path)):
        done = here(*arguments)
        assert (done.code, done.stdout, done.stderr.count("\n")) == (USAGE, "", 1)
    assert "make one with: codriver run --agent rules" in done.stderr
