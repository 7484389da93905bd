"""A world in SQLite, in a file or in memory: read-only, one connection per thread."""

import sqlite3
import threading
import weakref
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from vehicle_bus.world.json_lines import WorldError
from vehicle_bus.world.schema import CONTENT, FORMAT

Values = tuple[Any, ...]
MAGIC = b"SQLite format 3\x00"


class WorldFile:
    """A file that nobody writes to any more, or its content; may raise `WorldError`."""

    def __init__(self, source: Path | bytes) -> None:
        self._source = source
        self._mine = threading.local()
        self._all: list[sqlite3.Connection] = []
        self.close = weakref.finalize(self, _close, self._all)
        self.meta = self._read_meta()

    def one(self, query: str, values: Sequence[Any] = ()) -> Values | None:
        """The first row of an answer."""
        row: Values | None = self._connection().execute(query, values).fetchone()
        return row

    def all(self, query: str, values: Sequence[Any] = ()) -> list[Values]:
        return self._connection().execute(query, values).fetchall()

    def __str__(self) -> str:
        return str(self._source) if isinstance(self._source, Path) else "a world in memory"

    def checksum(self) -> str:
        """A hash of what the world holds, whatever file it lies in; reads all of it."""
        return content_checksum(self._connection())

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._mine, "connection", None)
        if connection is None:
            connection = self._mine.connection = _connect(self._source)
            self._all.append(connection)
        return connection

    def _read_meta(self) -> dict[str, Any]:
        try:
            stored: dict[str, str] = dict(self.all("SELECT key, value FROM meta"))
        except sqlite3.Error as error:
            self.close()
            raise WorldError(f"{self}: no world can be read from it: {error}") from error
        meta = {key: orjson.loads(value) for key, value in stored.items()}
        if meta.get("format") != FORMAT:
            self.close()
            text = f"{self}: made by another version of codriver; build or import it again"
            raise WorldError(text)
        return meta


def is_world_file(path: Path) -> bool:
    """Whether it is an SQLite file at all."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def content_checksum(connection: sqlite3.Connection) -> str:
    """The hash of all rows in the order of their keys, the same on every machine."""
    digest = blake2b(digest_size=16)
    for table in CONTENT:
        digest.update(f"[{table}]".encode())
        for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3"):
            digest.update(repr(row).encode())
    return digest.hexdigest()


def _connect(source: Path | bytes) -> sqlite3.Connection:
    """A connection that one thread uses; any thread may close it in the end."""
    if isinstance(source, Path):
        uri = f"{source.resolve().as_uri()}?mode=ro&immutable=1"
        return sqlite3.connect(uri, uri=True, check_same_thread=False)
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.deserialize(source)
    return connection


def _close(connections: list[sqlite3.Connection]) -> None:
    for connection in connections:
        connection.close()
