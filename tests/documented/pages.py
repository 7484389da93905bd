"""The command blocks of README and documents, and how each command in them ends.

A command is a line of a block labelled `sh`, or a whole block labelled `python`. What it has to
print stands in `expected.yaml`. A block is not run if a comment
`<!-- not run: WHY -->` precedes it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "benchmarks/README.md",
    "examples/integration/README.md",
    *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md")),
)
COMMANDS = {"sh", "python"}
# `py` are lines of a program, not a whole one.
OTHERS = {"text", "yaml", "json", "py", "mermaid", "groovy"}
FENCE = re.compile(
    r"(?:^<!-- not run: (?P<why>[^\n]*) -->\n\n?)?^```(?P<label>\S*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
COMMENT = re.compile(r"(?:^|\s+)#\s.*$")
UNTIL = re.compile(r"<<'(\w+)'")


class Ending(BaseModel):
    """What a command has to do. `shows` is part of a line that it prints.

    It ends by itself with `exit`. With `stop` it is interrupted: as soon as it has shown this, or,
    where it runs `beside` the commands after it, when these have ended. `before` are commands
    that make what the page takes for granted, `words` stand in for placeholders, `input` is typed.
    Its block is run in an `empty_venv` of its own, else in the one that has codriver.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    shows: str
    exit: int = 0
    stop: bool = False
    beside: bool = False
    before: tuple[str, ...] = ()
    words: dict[str, str] = {}
    input: str = ""
    needs: Literal["", "public tasks"] = ""
    empty_venv: bool = False


class Expected(BaseModel):
    """The table: endings by command; where blocks of a page are run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: dict[str, str]
    folders: dict[str, str]
    commands: dict[str, Ending]


@cache
def expected() -> Expected:
    """The table as it stands beside this file."""
    text = (Path(__file__).parent / "expected.yaml").read_text(encoding="utf-8")
    return Expected.model_validate(yaml.safe_load(text))


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page; `not_run` says why nothing of it is run."""

    page: str
    line: int
    label: str
    text: str
    not_run: str

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def commands(self) -> tuple[str, ...]:
        """As they stand in `expected.yaml`: without comments, and with single spaces."""
        if self.label == "python":
            return (f"python {self.page} {self.text.strip().splitlines()[-1].strip()}",)
        return tuple(_commands(self.text))


def blocks() -> list[Block]:
    """Those of all pages, in their order."""
    return [block for page in PAGES for block in _blocks(page)]


def _blocks(page: str) -> Iterator[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start("text")) + 1
        yield Block(page, line, found["label"], found["text"], found["why"] or "")


def _commands(text: str) -> Iterator[str]:
    lines = iter(text.splitlines())
    for line in lines:
        while line.endswith("\\"):
            line = f"{line[:-1]} {next(lines).strip()}"
        if document := UNTIL.search(line):
            rest = []
            for each in lines:
                rest.append(each)
                if each == document[1]:
                    break
            yield "\n".join([line, *rest])
        elif command := " ".join(COMMENT.sub("", line).split()):
            yield command
