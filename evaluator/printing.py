"""What a command prints: one JSON object, or text for people."""

import sys
from typing import Any

import orjson


def print_json(value: Any) -> None:
    sys.stdout.write(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n")


def print_rich(*things: Any) -> None:
    """Tables and sentences; rich is imported only when somebody looks."""
    from rich.console import Console

    console = Console(highlight=False)
    for thing in things:
        if isinstance(thing, str):
            console.print(thing, markup=False, soft_wrap=True)
        else:
            console.print(thing)
