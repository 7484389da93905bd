"""What a command prints: one JSON object, or text for people."""

import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import orjson
from pydantic import BaseModel

from evaluator.printable import printable, rich_console

UNBROKEN = 100_000  # columns
HERE = "\u2026 a list \u2026"


def print_json(value: Any) -> None:
    """Pydantic models may stand anywhere in the value."""
    sys.stdout.write(_json(value) + "\n")


def _model_fields(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    raise TypeError(f"no JSON for {type(value).__name__}")


async def print_json_list(
    before: Mapping[str, Any], name: str, items: AsyncIterator[Any], after: Mapping[str, Any] = {}
) -> None:
    """One JSON object with a list of any length in it, which is never in memory as a whole.

    An error of `items` leaves it unfinished on stdout, with the line ended.
    """
    whole = {**before, name: [HERE], **after}
    head, tail = _json(whole).split(f'[\n    "{HERE}"\n  ]')
    sys.stdout.write(head)
    try:
        async for text in json_list(items, indent=2):
            sys.stdout.write(text)
    except BaseException:  # also interrupted: what comes next begins a line
        sys.stdout.write("\n")
        sys.stdout.flush()
        raise
    sys.stdout.write(tail + "\n")


async def json_list(items: AsyncIterator[Any], indent: int = 0) -> AsyncIterator[str]:
    """The text of a JSON list in pieces; its brackets are indented by so much."""
    margin = " " * (indent + 2)
    begun = False
    async for item in items:
        lines = _json(item).replace("\n", f"\n{margin}")
        yield f"{',' if begun else '['}\n{margin}{lines}"
        begun = True
    yield f"\n{' ' * indent}]" if begun else "[]"


def _json(value: Any) -> str:
    return orjson.dumps(value, default=_model_fields, option=orjson.OPT_INDENT_2).decode()


def print_rich(*things: Any) -> None:
    """Tables and lines; what they quote cannot steer the terminal.

    A string may hold a command and is never broken, so that it can be copied; a `Text` is broken
    between words. In a pipe nothing is broken, and no line ends with spaces.
    """

    console = rich_console()
    if not console.is_terminal:
        _print_unbroken(things)
        return
    for thing in things:
        if isinstance(thing, str):
            console.print(thing, markup=False, soft_wrap=True)
        else:
            console.print(thing)


def _print_unbroken(things: Sequence[Any]) -> None:
    """Each table as wide as it has to be; a rule is as wide as a terminal."""
    from rich.rule import Rule

    usual, wide = rich_console(), rich_console(width=UNBROKEN)
    for thing in things:
        console = usual if isinstance(thing, Rule) else wide
        with console.capture() as captured:
            console.print(thing, soft_wrap=isinstance(thing, str))
        for line in captured.get().splitlines():
            sys.stdout.write(f"{line.rstrip()}\n")


def print_rows(header: Sequence[str], rows: Sequence[Sequence[str]], *below: str) -> None:
    """One row each, with what can be copied first; nothing but the last column is ever wrapped.

    In a pipe stdout has plain lines, one per row; header and what stands below are on stderr.
    """
    from rich.text import Text

    from evaluator.views.row_table import NUMBER, RowTable

    rows = [[printable(cell) for cell in row] for row in rows]
    if rich_console().is_terminal:
        shown = (RowTable(header, [[*map(Text, row)] for row in rows]),) if rows else ()
        print_rich(*shown, *below)
        return
    lines = [[name.removeprefix(NUMBER) for name in header], *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    head, *texts = (_plain_line(line, widths) for line in lines)
    sys.stderr.write(head if rows else "")
    sys.stdout.write("".join(texts))
    sys.stdout.flush()
    sys.stderr.write("".join(f"{line}\n" for line in below))


def _plain_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    line = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"{line.rstrip()}\n"
