"""Every command of the pages is run by `scripts/documented`, or marked as not run."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.documented.pages import COMMANDS, OTHERS, ROOT, blocks, expected
from tests.documented.reference import pages
from tests.documented.site import build, links, navigation, sources


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


# --- the site


def test_links_between_pages_and_to_files_lead_somewhere() -> None:
    broken = [
        f"{source}: {target}"
        for source in (*sources(), "README.md")
        for target in links((ROOT / source).read_text(encoding="utf-8"))
        if "://" not in target and not target.startswith(("#", "mailto:"))
        if not ((ROOT / source).parent / target.partition("#")[0]).exists()
    ]
    assert broken == []


def test_the_navigation_has_every_page_and_no_other() -> None:
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    places = list(_places(navigation(config)))
    assert sorted(places) == sorted(sources().values())


def _places(entries: Any) -> Iterator[str]:
    if isinstance(entries, str):
        yield entries
        return
    for entry in entries:
        for below in entry.values():
            yield from _places(below)


def test_the_site_is_built_without_a_network(tmp_path: Path) -> None:
    """The builder is strict: a link to a page or heading that is not there fails it."""
    site = build(tmp_path)
    built = {str(page.relative_to(site)) for page in site.rglob("*.html")}
    assert {str(Path(place).with_suffix(".html")) for place in sources().values()} - built <= {
        "contract/README.html"
    }
    loaded = re.compile(r"<(?:script|link|img)[^>]* (?:src|href)=\"?(https?://[^\" >]+)")
    foreign = {
        address
        for page in built
        for address in loaded.findall((site / page).read_text(encoding="utf-8"))
    }
    assert foreign == set(), "the site loads something from other servers"
