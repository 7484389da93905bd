"""The command line as a page: every command with its options."""

import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import typer

from evaluator.cli.config_file import commands
from evaluator.cli.main import app
from evaluator.options import SECTIONS

ROOT = typer.main.get_command(app)
MANY = 12  # options from which a table has headings


def environment_rows() -> list[str]:
    """A row per variable: `| variable | option | commands | meaning |`."""
    where = defaultdict(list)
    for path, command in commands(ROOT):
        for each in command.params:
            if each.param_type_name == "option":
                meaning = re.split(r"[;:] ", each.help)[0].rstrip(".")
                where[each.envvar, each.opts[0], meaning].append(" ".join(path))
    return [
        f"| `{variable}` | `{name}` | {', '.join(found)} | {meaning} |"
        for (variable, name, meaning), found in sorted(where.items())
    ]


def cli_page() -> str:
    return "\n".join(_cli()) + "\n"


def _cli() -> Iterator[str]:
    yield "# Command line"
    yield ""
    yield "<!-- written by scripts/reference -->"
    yield "Every command with its arguments and options; `codriver COMMAND --help` prints the same."
    yield "Options can also be set in [the environment and in `codriver.toml`](../environment.md)."
    yield "Data goes to stdout, everything else to stderr. [Exit codes](../jobs/ci.md#exit-codes)."
    yield ""
    yield "| command | |"
    yield "|---|---|"
    for path, command in commands(ROOT):
        name = " ".join(path)
        yield f"| [`{name}`](#codriver-{name.replace(' ', '-')}) | {_cell(_first(command))} |"
    for path, command in commands(ROOT):
        yield from ("", *_command(" ".join(path), command))


def _command(name: str, command: Any) -> Iterator[str]:
    yield f"## codriver {name}"
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    usage = "".join(f" {_argument(each)}" for each in arguments)
    yield from ("", "```text", f"codriver {name} [OPTIONS]{usage}", "```", "")
    yield _text(inspect.cleandoc(command.help or ""))
    for each in arguments:
        if each.help:
            yield from ("", f"`{each.metavar or each.name.upper()}`: {_cell(each.help)}")
    options = [each for each in command.params if each.param_type_name == "option"]
    sections = [each.rich_help_panel or "" for each in options]
    titles = ("", *SECTIONS) if len(options) > MANY else (None,)
    for title in titles:
        found = [
            each
            for each, section in zip(options, sections, strict=True)
            if title is None or section == title
        ]
        if found:
            yield from ("", f"| {title or 'option'} | | default |", "|---|---|---|")
            yield from map(_option, found)


def _argument(argument: Any) -> str:
    shown = str(argument.metavar or argument.name.upper())
    return shown if argument.required or shown.startswith("[") else f"[{shown}]"


def _option(option: Any) -> str:
    kind = "" if option.is_flag else f" {_kind(option)}"
    default = option.default
    shown = "" if default in (None, (), [], "", False) or callable(default) else f"`{default}`"
    shown = "on" if default is True else shown
    return f"| `{option.opts[0]}{kind}` | {_cell(option.help)} | {shown} |"


def _kind(option: Any) -> str:
    name = getattr(option.type_descriptor.annotation, "__name__", "text")
    return {"int": "N", "float": "X", "Path": "PATH"}.get(name, "TEXT")


def _first(command: Any) -> str:
    return " ".join((command.help or "").split("\n\n")[0].split())


def _text(text: str) -> str:
    """Paragraphs; what looks like HTML or a table is not."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n")).replace("<", "&lt;")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")
