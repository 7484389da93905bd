"""Whatever a model or server says, the terminal shows it and does nothing else."""

import ast
import io
import logging
import sys
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

import evaluator
from evaluator.console import Console
from evaluator.control_characters import SHOWN, VisibleLines
from evaluator.progress import progress
from evaluator.views.printing import print_rich, print_rows

HOSTILE = "\x1b[2J\x1b]0;owned\x07 \u202eabc \x9b1m \ud83d\r[/red]"
COMMANDS = ("\x1b", "\x07", "\u202e", "\x9b", "\r", "\ud83d")
SOURCES = sorted(Path(evaluator.__path__[0]).rglob("*.py"))


def commands_in(text: str) -> list[str]:
    assert "abc" in text
    return [command for command in COMMANDS if command in text]


def test_no_text_on_stdout_commands_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(HOSTILE)
    table.add_row(Text(HOSTILE))
    for thing in (HOSTILE, Text(HOSTILE), Text.assemble((HOSTILE, "red")), table):
        print_rich(thing)
        assert commands_in(capsys.readouterr().out) == []
    print_rows(["said"], [[HOSTILE]])
    assert commands_in(capsys.readouterr().out) == []


def test_colours_and_bars_are_still_drawn() -> None:
    out = io.StringIO()
    Console(file=out, force_terminal=True, color_system="standard").print(Text(HOSTILE, "red"))
    assert out.getvalue().startswith(f"\x1b[31m{SHOWN}[2J")


def test_progress_shows_what_is_said_and_reads_no_markup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with progress(1) as shown:
        shown.advance(HOSTILE)
    assert commands_in(capsys.readouterr().err) == []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress(2) as shown:
        shown.advance(HOSTILE)
        shown.advance("done")
    assert "owned\x07" not in capsys.readouterr().err


def test_a_line_of_the_log_commands_no_terminal() -> None:
    record = logging.LogRecord("x", logging.WARNING, "x.py", 1, "said %s", (HOSTILE,), None)
    assert commands_in(VisibleLines("%(message)s").format(record)) == []


def test_nothing_is_printed_by_another_console() -> None:
    made_by = {
        file.name
        for file in SOURCES
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Console"
    }
    assert made_by >= {"printing.py", "play.py"}
    imported = {
        file.name
        for file in SOURCES
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "rich.console"
        if "Console" in {alias.name for alias in node.names}
    }
    assert imported <= {"console.py", "table.py"}  # a table says how it is drawn
