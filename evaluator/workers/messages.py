"""What a conductor and the processes it has started say to each other, over a pair of sockets."""

import asyncio
import pickle
import traceback
from dataclasses import dataclass
from typing import Any

from evaluator.event_loop import problem_in
from evaluator.problems import InfraProblem, UsageProblem

HEAD = 4  # bytes of a length


@dataclass(frozen=True, slots=True)
class Beat:
    """A worker is alive."""


@dataclass(frozen=True, slots=True)
class WorkerFailed:
    """A worker can play nothing; the text is for the user and `exit_code` for the shell.

    With `exit_code` None it is our own fault, and the text says where.
    """

    text: str
    exit_code: int | None

    @property
    def error(self) -> Exception:
        if self.exit_code is None:
            return RuntimeError(f"a worker broke down\n{self.text}")
        kind = UsageProblem if self.exit_code == UsageProblem.exit_code else InfraProblem
        return kind(self.text)


def failed(error: BaseException) -> WorkerFailed:
    """What a worker says of an error that ends it."""
    if problem := problem_in(error):
        return WorkerFailed(str(problem), problem.exit_code)
    return WorkerFailed("".join(traceback.format_exception(error)), None)


async def receive(reader: asyncio.StreamReader) -> Any:
    """The next message; raises `EOFError` when the other end is gone.

    Both ends are processes of one run, so what they send is trusted.
    """
    try:
        size = int.from_bytes(await reader.readexactly(HEAD))
        return pickle.loads(await reader.readexactly(size))
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        raise EOFError from error


def send(writer: asyncio.StreamWriter, message: Any) -> None:
    """Into the buffer; `drain` waits until the other end has room."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    writer.write(len(content).to_bytes(HEAD) + content)
