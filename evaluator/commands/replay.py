"""`codriver replay`: a stored unit plays in the terminal at the time it was recorded in."""

import asyncio
import re
import shutil
import sys
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

import orjson
from rich.console import Console, RenderableType

from assistant_gateway.timing.timeline import sleep_until, wall_ns
from evaluator.printable import rich_console
from evaluator.problems import UsageProblem
from evaluator.results.store import open_store, sound_of
from evaluator.views.score_findings import annotated
from evaluator.views.transcript import Line
from evaluator.views.unit_timeline import head, moments, verdict

PLAYERS = (
    ("pw-play",),
    ("paplay",),
    ("aplay", "-q"),
    ("afplay",),
    ("ffplay", "-nodisp", "-autoexit"),
    ("play", "-q"),
)
WORDS = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class Piece:
    """Text to print `at_ns` after the session began."""

    at_ns: int
    text: str


def replay(folder: Path, unit: str, speed: float, *, sound: bool = False, as_json: bool) -> None:
    """Play a unit `speed` times as fast as it was; 0 prints all at once."""
    if sound and speed != 1:
        raise UsageProblem("--sound is played as it was: leave --speed out")
    if not 0 <= speed < inf:
        raise UsageProblem("--speed is 0 (all at once) or more, 1 is as it was")
    try:
        asyncio.run(_replay(folder, unit, speed, sound=sound, as_json=as_json))
    except KeyboardInterrupt:
        sys.exit(130)


async def _replay(folder: Path, name: str, speed: float, *, sound: bool, as_json: bool) -> None:
    async with open_store(folder) as store:
        unit = await store.unit(name)
        record = await store.record(unit.task_id, unit.trial)
    lines = annotated(record, unit.score)
    async with _heard(sound_of(unit).wav(folder)) if sound else nullcontext():
        if as_json:
            pieces = [Piece(line.t_ns, orjson.dumps(line).decode() + "\n") for line in lines]
            await play(pieces, speed, sys.stdout)
            return
        console = rich_console()
        sys.stdout.write(_printed(console, head(unit)))
        await play(list(script(lines, console)), speed, sys.stdout)
        sys.stdout.write(_printed(console, verdict(unit.score)))


@asynccontextmanager
async def _heard(wav: bytes) -> AsyncIterator[None]:
    """What plays files on this machine plays this one until its end, or that of the block."""
    player = next((each for each in PLAYERS if shutil.which(each[0])), None)
    if player is None:
        names = ", ".join(name for name, *_ in PLAYERS)
        raise UsageProblem(f"--sound needs a program that plays WAV files: one of {names}")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "said.wav"
        file.write_bytes(wav)
        process = await asyncio.create_subprocess_exec(
            *player, str(file), stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL
        )
        try:
            yield
            await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def play(pieces: Sequence[Piece], speed: float, out: TextIO) -> None:
    """Write each piece at its time, `speed` times as fast; 0 does not wait."""
    began_ns = wall_ns()
    for piece in pieces:
        if speed:
            out.flush()
            await sleep_until(began_ns + int(piece.at_ns / speed))
        out.write(piece.text)
    out.flush()


def script(lines: Sequence[Line], console: Console) -> Iterator[Piece]:
    """A conversation as `view` shows it, in pieces: speech comes word by word.

    When something else happens before the end of a sentence, the rest is printed at once.
    """
    shown = list(moments(lines))
    for index, (line, things) in enumerate(shown):
        text = _printed(console, things)
        begins_ns = line.detail.get("heard_ns") or line.t_ns
        until_ns = line.until_ns or begins_ns
        if index + 1 < len(shown):
            until_ns = min(until_ns, shown[index + 1][0].t_ns)
        words = WORDS.findall(text)
        for number, word in enumerate(words):
            yield Piece(begins_ns + (until_ns - begins_ns) * number // len(words), word)


def _printed(console: Console, things: Iterable[RenderableType]) -> str:
    with console.capture() as captured:
        for thing in things:
            console.print(thing)
    return captured.get()
