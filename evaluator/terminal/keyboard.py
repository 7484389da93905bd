"""Lines that are typed or come through a pipe, read without blocking the event loop."""

import asyncio
import os
import stat
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Protocol

from evaluator.problems import UsageProblem

LONGEST_LINE = 64 << 10


class Lines(Protocol):
    """A source of typed lines; `echoed` if the terminal shows them already."""

    echoed: bool

    async def line(self, prompt: str) -> str | None:
        """The next line, or None when there are no more."""
        ...


class Keyboard:
    """A person at a terminal, who can edit and recall lines."""

    echoed = True

    async def line(self, prompt: str) -> str | None:
        loop = asyncio.get_running_loop()
        typed: asyncio.Future[str | None] = loop.create_future()

        def ask() -> None:
            line: str | None = None
            with suppress(EOFError):
                line = input(prompt)
            with suppress(RuntimeError):  # the loop is gone: nobody waits any more
                loop.call_soon_threadsafe(_answer, typed, line)

        # A thread, because a person may take any time; outside a pool, so that nothing waits for it
        # when the program ends.
        threading.Thread(target=ask, name="keyboard", daemon=True).start()
        return await typed


class Pipe:
    """The output of another program."""

    echoed = False

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def line(self, prompt: str) -> str | None:
        try:
            line = (await self._reader.readline()).decode(errors="replace")
        except ValueError as error:
            raise UsageProblem(f"a line is longer than {LONGEST_LINE >> 10} KiB") from error
        return line.rstrip("\n") if line else None


class FileInput:
    """A file, whose lines can be read at once."""

    echoed = False

    async def line(self, prompt: str) -> str | None:
        line = sys.stdin.buffer.readline().decode(errors="replace")
        return line.rstrip("\n") if line else None


@asynccontextmanager
async def typed_lines() -> AsyncIterator[Lines]:
    """The lines of stdin: a terminal, a pipe or a file."""
    if sys.stdin.isatty():
        with _as_it_was():
            yield Keyboard()
        return
    mode = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        yield FileInput()
        return
    reader, loop = asyncio.StreamReader(LONGEST_LINE), asyncio.get_running_loop()
    pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        yield Pipe(reader)
    finally:
        pipe.close()


@contextmanager
def _as_it_was() -> Iterator[None]:
    """Leave the terminal as it was found, also when a line was being edited."""
    import readline  # noqa: F401 - makes lines editable
    import termios

    before = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _answer(typed: "asyncio.Future[str | None]", line: str | None) -> None:
    if not typed.done():
        typed.set_result(line)
