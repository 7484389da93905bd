"""Turns text into sound, by eSpeak NG or by a command. What was spoken once is kept in a folder."""

import asyncio
import hashlib
import importlib.util
import os
import shutil
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from assistant_gateway.sound.pcm import BadSound
from assistant_gateway.sound.sound import Sound
from assistant_gateway.sound.synthesis import PROBLEM

PROGRAM = (sys.executable, "-P", "-m", "assistant_gateway.sound.synthesis")
FORMAT = "2"  # of what is kept; another one whenever other samples are made of the same
LONGEST_S = 60.0
WITHOUT = "no speech synthesiser is installed"
INSTALL = (
    "install espeak-ng (`apt install espeak-ng`, `brew install espeak-ng`) "
    "or its library alone (`pip install espeakng-loader`)"
)

Library = tuple[str, str]  # of eSpeak NG, and its data if it cannot find that by itself


class NoSynthesiser(Exception):
    """Nothing here can speak; the text says what to install."""


class Voice(BaseModel):
    """How somebody speaks. `name` is one of eSpeak NG, such as `en-us` or `en-gb-x-rp+f2`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1)] = "en-us"
    words_per_minute: Annotated[int, Field(ge=80, le=450)] = 165
    pitch: Annotated[int, Field(ge=0, le=99)] = 50


@dataclass(frozen=True, slots=True)
class Synthesiser:
    """What speaks, with its version, and the arguments that our program for speaking needs.

    It says as many texts at a time as there are cores, so that a gateway beside it is not delayed.
    """

    name: str
    arguments: tuple[str, ...]
    has_voices: bool = True
    option: str = ""  # what it was given by, in front of what is wrong with it
    free: asyncio.Semaphore = field(
        default_factory=lambda: asyncio.Semaphore(os.cpu_count() or 1), compare=False, repr=False
    )

    def arguments_for(self, voice: Voice) -> tuple[str, ...]:
        if not self.has_voices:
            return self.arguments
        return (*self.arguments, voice.name, str(voice.words_per_minute), str(voice.pitch))

    def key(self, text: str, voice: Voice) -> str:
        """The same for the same sound, and for nothing else."""
        parts = (FORMAT, self.name, *self.arguments_for(voice)[len(self.arguments) :], text)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


async def espeak(libraries: Iterable[Library] | None = None) -> Synthesiser:
    """That of the program on the PATH, else that of the extra; raises `NoSynthesiser`."""
    for library, data in chain(of_program(), of_extra()) if libraries is None else libraries:
        with suppress(BadSound):
            version = (await _run(("version", library, data))).decode()
            return Synthesiser(f"espeak-ng {version}", ("espeak", library, data))
    raise NoSynthesiser(f"{WITHOUT}: {INSTALL}")


def by_command(command: str, rate: int = 22_050) -> Synthesiser:
    """A command with a voice of its own: text on stdin, PCM16 at this rate or WAV on stdout."""
    arguments = ("command", str(rate), command)
    return Synthesiser(f"{command} at {rate}", arguments, False, "--voice-command: ")


def of_program() -> Iterator[Library]:
    """Where the library may be that belongs to the program on the PATH."""
    if program := shutil.which("espeak-ng"):
        folder = Path(program).resolve().parent
        places = (
            folder / "libespeak-ng.dll",
            folder.parent / "lib" / "libespeak-ng.dylib",
            folder.parent / "lib" / "libespeak-ng.so.1",
        )
        yield from ((str(place), "") for place in places if place.exists())
        yield "libespeak-ng.so.1", ""  # where the dynamic linker finds it


def of_extra() -> Iterator[Library]:
    """The library that the extra audio brings, which is not loaded here."""
    if (extra := importlib.util.find_spec("espeakng_loader")) and extra.origin:
        folder = Path(extra.origin).parent
        for library in sorted(folder.glob("*espeak-ng.*")):
            yield str(library), str(folder / "espeak-ng-data")


async def spoken(text: str, voice: Voice, synthesiser: Synthesiser, folder: Path) -> Sound:
    """The sound of a text, from the folder if it is there; raises `BadSound`."""
    file = folder / f"{synthesiser.key(text, voice)}.sound"
    if file.exists():
        return Sound.from_bytes(file.read_bytes())
    async with synthesiser.free:
        if not file.exists():  # somebody else may have wanted the same
            try:
                _keep(await _run(synthesiser.arguments_for(voice), text), file)
            except BadSound as error:
                raise BadSound(f"{synthesiser.option}{error}") from error
    return Sound.from_bytes(file.read_bytes())


def _keep(content: bytes, file: Path) -> None:
    """Whole or not at all, also if several processes keep the same."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(f".{os.getpid()}.part")
    unfinished.write_bytes(content)
    unfinished.replace(file)


async def _run(arguments: tuple[str, ...], text: str = "") -> bytes:
    """What our program for speaking prints, in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, *arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
    )
    try:
        async with asyncio.timeout(LONGEST_S):
            output, errors = await process.communicate(text.encode())
    except TimeoutError as error:
        raise BadSound(f"the synthesiser took longer than {LONGEST_S:g} s") from error
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)  # a command may have processes of its own
            await process.wait()
    if process.returncode == PROBLEM:
        raise BadSound(errors.decode(errors="replace"))
    if process.returncode:
        raise RuntimeError(f"the program that speaks broke down: {errors.decode(errors='replace')}")
    return output
