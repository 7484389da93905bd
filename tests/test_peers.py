"""docs/peers.md speaks of commands, options and files that are there."""

import re
from pathlib import Path

from tests.evaluator.cli.test_cli import OPTIONS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "peers.md").read_text(encoding="utf-8")
QUOTED = re.findall(r"`([^`]+)`", TEXT)


def test_every_item_has_an_answer() -> None:
    rows = [
        line.strip("|").split("|") for line in TEXT.splitlines() if re.match(r"\| \d+ \|", line)
    ]
    assert [int(cells[0]) for cells in rows] == list(range(1, 35))
    assert all(cells[2].strip() for cells in rows)


def test_every_option_it_names_exists() -> None:
    known = {option.name for option in OPTIONS}
    named = {option for quoted in QUOTED for option in re.findall(r"--[a-z-]+", quoted)}
    assert len(named) > 8
    assert named <= known


def test_every_file_it_names_exists() -> None:
    named = [quoted for quoted in QUOTED if "/" in quoted]
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
