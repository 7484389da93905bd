"""Every command of the pages is run by `scripts/documented`, or marked as not run."""

import pytest

from tests.documented.pages import COMMANDS, OTHERS, ROOT, blocks, expected
from tests.documented.reference import pages


def test_every_block_says_what_it_is() -> None:
    assert [block.name for block in blocks() if block.label not in COMMANDS | OTHERS] == []


def test_every_command_has_its_line_of_output() -> None:
    known = expected().commands
    run = [block for block in blocks() if block.label in COMMANDS and not block.not_run]
    assert len(run) > 20
    missing = [
        f"{block.name}: {command}"
        for block in run
        for command in block.commands
        if command not in known and not command.startswith("export ")
    ]
    assert missing == [], "add them to tests/documented/expected.yaml"


def test_the_table_holds_nothing_else() -> None:
    documented = {command for block in blocks() for command in block.commands}
    assert sorted(expected().commands.keys() - documented) == []


@pytest.mark.parametrize("block", [block for block in blocks() if block.not_run])
def test_what_is_not_run_says_why(block: object) -> None:
    assert len(getattr(block, "not_run", "").split()) >= 3


def test_pages_made_from_code_are_those_of_this_code() -> None:
    stale = [
        str(page.relative_to(ROOT))
        for page, text in pages().items()
        if not page.is_file() or page.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run scripts/reference"
