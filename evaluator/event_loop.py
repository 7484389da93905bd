"""Runs a command's coroutine; errors of its task groups become one problem."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from importlib import import_module
from typing import Any, TypeVar

from assistant_gateway.models.model import ModelUnusable
from assistant_gateway.server import NoAgent
from evaluator.problems import InfraProblem, Problem, first_cause, installed, missing_extra
from vehicle_bus.bus import BusError

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ORDERLY_END_S = 5.0  # for leaving the broker as we found it, once we are asked to end
CANCEL_AGAIN_S = 0.2

Result = TypeVar("Result")


def run_async(work: Coroutine[Any, Any, Result], *, uvloop: bool = False) -> Result:
    """`asyncio.run`, with the errors of task groups as one problem."""
    try:
        with asyncio.Runner(loop_factory=loop_factory(uvloop=uvloop)) as runner:
            return runner.run(_until_ended(work))
    except (BaseExceptionGroup, BusError, NoAgent, ModelUnusable, OSError) as error:
        if isinstance(cause := first_cause(error), KeyboardInterrupt):
            raise cause from error
        if problem := problem_in(error):
            raise problem from error
        raise


def problem_in(error: BaseException) -> Problem | None:
    """What an error, perhaps of a task group, means for a user; None if it is our own fault."""
    cause = first_cause(error)
    if isinstance(cause, BusError | NoAgent | ModelUnusable | OSError):
        return InfraProblem(str(cause))
    return cause if isinstance(cause, Problem) else None


def loop_factory(*, uvloop: bool) -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes the event loop; None leaves it to asyncio."""
    if not uvloop:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    return factory


def on_uvloop() -> bool:
    """Whether the running event loop is one of uvloop, as the processes we start should be."""
    return type(asyncio.get_running_loop()).__module__.startswith("uvloop")


def check_uvloop() -> None:
    """Raises `UsageProblem` when it was asked for and is not there."""
    if not installed("uvloop"):
        raise missing_extra("--uvloop", "uvloop")


async def _until_ended(work: Coroutine[Any, Any, Result]) -> Result:
    """Ctrl-C, SIGTERM or a closed terminal: all we started is stopped, what is stored is kept."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    asked_to_end = asyncio.Event()

    def end() -> None:
        if asked_to_end.is_set():  # somebody has no patience for an orderly end
            end_at_once()
        else:
            asked_to_end.set()
            loop.call_later(ORDERLY_END_S, end_at_once)
            task.cancel()

    def end_at_once() -> None:
        """What waits on its way down, such as for a broker that is gone, waits no more."""
        for each in asyncio.all_tasks(loop):
            each.cancel()
        loop.call_later(CANCEL_AGAIN_S, end_at_once)

    # Whoever was started with nohup wants to outlive the terminal.
    heeded = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]
    for number in heeded:
        loop.add_signal_handler(number, end)
    try:
        return await work
    except BaseException as error:
        if asked_to_end.is_set():  # whatever else breaks on the way down is no news
            raise KeyboardInterrupt from error
        raise
    finally:
        for number in heeded:
            loop.remove_signal_handler(number)


def run_until_interrupted(work: Coroutine[Any, Any, None], *, uvloop: bool = False) -> None:
    """Run something that serves; Ctrl-C is its normal end."""
    with suppress(KeyboardInterrupt):
        run_async(work, uvloop=uvloop)
