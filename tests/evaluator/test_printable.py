"""What models and files say cannot steer the terminal it is printed on."""

import logging

import pytest
from rich.table import Table
from rich.text import Text

from evaluator.printable import LogLine, printable, rich_console
from evaluator.progress import progress
from evaluator.views.printing import print_rich, print_rows
from evaluator.views.row_table import RowTable
from tests.evaluator.command_line import ROOT

SHIPPED_TEXTS = (".py", ".js", ".css", ".html")
HOSTILE = "a\x1b[2J\x1b]0;title\x00\x9b31m\u202eb\ud800[red]c[/x] :car:"
SHOWN = r"a\x1b[2J\x1b]0;title\x00\x9b31m\u202eb\ud800[red]c[/x] :car:"


def test_control_characters_are_written_as_escapes() -> None:
    assert printable(HOSTILE) == SHOWN
    assert printable("\x07 \r") == r"\x07 \r"
    assert printable("Zürich\t—\n日本 🚗") == "Zürich\t—\n日本 🚗"


@pytest.mark.parametrize("thing", [HOSTILE, Text(HOSTILE)])
def test_what_is_printed_shows_what_it_quotes(
    thing: str | Text, capsys: pytest.CaptureFixture[str]
) -> None:
    print_rich(thing)
    assert capsys.readouterr().out == f"{SHOWN}\n"


def test_tables_show_what_they_quote(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("said", width=120)
    table.add_row(HOSTILE)
    print_rich(table)
    print_rows(("id", "said"), [("one", HOSTILE)])
    assert capsys.readouterr().out.count(SHOWN) == 2


def test_nothing_is_broken_in_a_pipe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    words = " ".join(["word"] * 50)
    table = Table("task", "why", box=None)
    table.add_row("limit_trunk_or_light_no_contact_card", words)
    rows = RowTable(("task", "why"), [[Text("limit_trunk_or_light_no_contact_card"), Text(words)]])
    print_rich(table, rows, Text(words), words)
    lines = capsys.readouterr().out.splitlines()
    assert [line.count("word") for line in lines] == [0, 50, 0, 50, 50, 50]
    assert all(line == line.rstrip() for line in lines)


def test_styles_still_reach_a_terminal() -> None:
    console = rich_console(force_terminal=True, color_system="standard")
    with console.capture() as captured:
        console.print(Text(HOSTILE, style="red"))
    assert captured.get() == f"\x1b[31m{SHOWN}\x1b[0m\n"


def test_progress_and_log_show_what_they_quote(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(1) as shown:
        shown.advance(HOSTILE)
    assert SHOWN in capsys.readouterr().err
    record = logging.LogRecord("a", logging.WARNING, "", 1, "%s", (HOSTILE,), None)
    assert LogLine("%(message)s").format(record) == SHOWN


def test_pages_and_terminal_need_no_emoji_font() -> None:
    """Arrows, signs, boxes and four marks are in every font; other symbols may be an empty box."""
    files = [each for each in (ROOT / "evaluator").rglob("*.*") if each.suffix in SHIPPED_TEXTS]
    assert len(files) > 100
    found = {
        (str(file.relative_to(ROOT)), sign)
        for file in files
        for sign in file.read_text(encoding="utf-8")
        if ord(sign) >= 0x2300 and not (0x2500 <= ord(sign) < 0x25A0 or sign in "✓✔✗✘")
    }
    assert found == set()
