"""A baseline file compares as the run does that it was made of."""

import asyncio
from pathlib import Path

import orjson
import pytest

from evaluator.commands.compare import compare_runs, keep_baseline
from evaluator.problems import GateFailed, UsageProblem
from evaluator.results.compared import compared, stored_sides
from evaluator.results.store import open_store
from tests.evaluator.episodes import Episode, manifest, unit

MS = 1_000_000


async def stored(
    folder: Path, solved: int, upl_ms: int, planned: int = 12, played: int = 12
) -> Path:
    """So many tasks, some of them solved, each with a turn that was answered after `upl_ms`."""
    names = [f"base_{i}" for i in range(played)]
    tasks = [*names, *(f"base_{i}" for i in range(played, planned))]
    async with open_store(folder, manifest=manifest(*tasks)) as store:
        for number, name in enumerate(names):
            outcome = "success" if number < solved else "failure"
            episode = Episode().turn(upl=upl_ms * MS)
            await store.save(unit(name, 0, outcome, episode=episode))
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A good run, its baseline, and one that is slower and solves less."""
    good = asyncio.run(stored(tmp_path / "good", 12, 500))
    bad = asyncio.run(stored(tmp_path / "bad", 2, 3000))
    file = tmp_path / "baseline.json"
    keep_baseline(good, file, as_json=True)
    return good, file, bad


def test_a_baseline_compares_as_its_run_does(runs: tuple[Path, Path, Path]) -> None:
    good, file, bad = runs
    of_run = compared(asyncio.run(stored_sides(good, bad)), force=False)
    of_file = compared(asyncio.run(stored_sides(file, bad)), force=False)
    assert of_file.found == of_run.found
    assert of_file.found.latencies
    assert file.stat().st_size < 20_000


def test_the_gate_holds_a_run_against_a_baseline(
    runs: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    good, file, bad = runs
    compare_runs(file, good, force=False, gate=True, as_json=True)
    with pytest.raises(GateFailed, match=r"solved 100.0 %, now 16.7 %"):
        compare_runs(
            file, bad, force=False, gate=True, as_json=True, summary=tmp_path / "summary.md"
        )
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "- **worse**: solved 100.0 %, now 16.7 %" in summary
    assert "| first speech, p50 | 500 ms | 3000 ms | +2500 ms | " in summary
    assert "| turns too late | 0 % | " in summary
    assert "| `base_2` | 1 of 1 | 0 of 1 | " in summary
    assert "`base_1`" not in summary


def test_a_gate_that_can_never_fail_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = asyncio.run(stored(tmp_path / "good", 4, 500, planned=4, played=4))
    bad = asyncio.run(stored(tmp_path / "bad", 0, 3000, planned=4, played=4))
    file = tmp_path / "baseline.json"
    keep_baseline(good, file, as_json=True)
    compare_runs(file, bad, force=False, gate=True, as_json=True)
    warnings = capsys.readouterr().err.splitlines()
    assert len(warnings) == 2
    assert all("4 tasks cannot show that a run is worse" in each for each in warnings)


def test_a_run_that_lacks_units_makes_no_baseline(tmp_path: Path) -> None:
    folder = asyncio.run(stored(tmp_path / "part", 12, 500, planned=13))
    with pytest.raises(UsageProblem, match="has 12 of 13 units; finish it"):
        keep_baseline(folder, tmp_path / "baseline.json", as_json=True)


def test_a_baseline_that_is_missing_is_no_run_folder(tmp_path: Path) -> None:
    missing = tmp_path / "baseline.json"
    with pytest.raises(UsageProblem, match=r"there is no file .*; `codriver baseline RUN --out"):
        asyncio.run(stored_sides(missing, missing))


@pytest.mark.parametrize("content", [b"{}", b"no JSON", orjson.dumps({"codriver_baseline": 2})])
def test_another_file_is_no_baseline(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "other.json"
    file.write_bytes(content)
    with pytest.raises(UsageProblem, match=r"is no baseline: .*; `codriver baseline RUN --out"):
        asyncio.run(stored_sides(file, file))
