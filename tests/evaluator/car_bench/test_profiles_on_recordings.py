"""What docs/compatibility.md says about the two profiles, held against the recorded runs."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluator.car_bench.importing import import_into
from evaluator.commands.score import rescore

FOLDER = Path(os.environ.get("CODRIVER_CAR_BENCH", ""))
DOCUMENT = Path(__file__).parents[3] / "docs" / "compatibility.md"
pytestmark = pytest.mark.skipif(
    not FOLDER.name, reason="CODRIVER_CAR_BENCH names no folder with the public tasks"
)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recordings as a run under `car-bench`."""
    out = tmp_path_factory.mktemp("recorded") / "run"
    import_into(out, None, [FOLDER / "trajectories"], None, FOLDER, None, as_json=True)
    return out


@pytest.fixture
def figures(scored: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What the documented command says with `--json`."""
    capsys.readouterr()
    rescore(scored, "codriver", FOLDER, None, None, as_json=True)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def documented(first_column: str) -> Iterator[list[str]]:
    """The cells of the table that begins with this column."""
    lines = iter(DOCUMENT.read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line.startswith(f"| {first_column} | "):
            break
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip().strip("`") for cell in line.strip("|").split("|")]


def test_rules_differ_as_documented(figures: dict[str, Any]) -> None:
    rows = [cells[:4] for cells in documented("rule")]
    assert rows == [
        [row["rule"], row["before"], row["after"], str(row["units"])]
        for row in figures["changed_rules"]
    ]


def test_rewards_differ_as_documented(figures: dict[str, Any]) -> None:
    found = [
        [f"{unit['task_id']}:{unit['trial']}", f"{was:g}", f"{now:g}"]
        for unit in figures["changed"]
        if (was := unit["before"]["reward_coded"]) != (now := unit["after"]["reward_coded"])
    ]
    assert found == [cells[:3] for cells in documented("run")]


def test_each_difference_has_its_reason() -> None:
    assert all(cells[-1] for column in ("rule", "run") for cells in documented(column))
