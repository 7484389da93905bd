"""A program that writes down what somebody said: sound on stdin, text on stdout."""

import asyncio
import os
import shlex
import signal
from asyncio.subprocess import PIPE

from assistant_gateway.sound.pcm import Samples, to_wav
from assistant_gateway.sound.resampling import resampled

RATE = 16_000  # what programs of this kind expect
LONGEST_S = 30.0


class NotRecognised(Exception):
    """The program did not write anything down; the text says why."""


async def recognised(samples: Samples, command: str) -> str:
    """The words in samples of ours, on one line; raises `NotRecognised`."""
    program = shlex.split(command)
    try:
        process = await asyncio.create_subprocess_exec(
            *program, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
        )
    except OSError as error:
        raise NotRecognised(f"{program[0]} cannot be started: {error.strerror}") from error
    try:
        async with asyncio.timeout(LONGEST_S):
            wav = await asyncio.to_thread(_as_wav, samples)
            output, errors = await process.communicate(wav)
    except TimeoutError as error:
        raise NotRecognised(f"{program[0]} took longer than {LONGEST_S:g} s") from error
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)  # it may have processes of its own
            await process.wait()
    if process.returncode:
        last_line = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise NotRecognised(f"{program[0]} ended with {process.returncode}: {last_line}")
    if not (text := " ".join(output.decode(errors="replace").split())):
        raise NotRecognised("Nothing was understood; say it again.")
    return text


def _as_wav(samples: Samples) -> bytes:
    return to_wav(resampled(samples, 24_000, RATE), RATE)
