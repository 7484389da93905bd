"""Files of one JSON object per line, which worlds are made of."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

Row = dict[str, Any]


class WorldError(Exception):
    """A world cannot be read; the text names the file and line."""


def rows(path: Path) -> Iterator[Row]:
    """The objects of a JSON Lines file; may raise `WorldError`."""
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _object(line, path, number)
    except OSError as error:
        raise WorldError(f"{path}: {error.strerror}; a world needs this file") from error


def _object(line: bytes, path: Path, number: int) -> Row:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise WorldError(f"{path}:{number}: expected one JSON object per line") from error
    if not isinstance(row, dict):
        raise WorldError(f"{path}:{number}: expected a JSON object")
    return row
