"""Runs a command's coroutine and tells what comes out of its task groups as one problem."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

from assistant_gateway.model import ModelUnusable
from assistant_gateway.server import NoAgent, PortTaken
from evaluator.problems import InfraProblem, Problem, UsageProblem, first_cause
from vehicle_bus.bus import BusError

Result = TypeVar("Result")


def run_async(work: Coroutine[Any, Any, Result], *, uvloop: bool = False) -> Result:
    """`asyncio.run`, with what comes out of task groups told as one problem."""
    try:
        with asyncio.Runner(loop_factory=_uvloop() if uvloop else None) as runner:
            return runner.run(_until_terminated(work))
    except (BaseExceptionGroup, BusError, NoAgent, ModelUnusable, OSError) as error:
        cause = first_cause(error)
        if isinstance(cause, Problem | KeyboardInterrupt):
            raise cause from error
        if isinstance(cause, PortTaken):
            advice = "name another --gateway-port, or 0 for any free one"
            raise InfraProblem(f"{cause}; {advice}") from error
        if isinstance(cause, BusError | NoAgent | ModelUnusable | OSError):
            raise InfraProblem(str(cause)) from error
        raise


def _uvloop() -> Callable[[], asyncio.AbstractEventLoop]:
    factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    return factory


def check_uvloop() -> None:
    """Raises `UsageProblem` when it was asked for and is not there."""
    if find_spec("uvloop") is None:
        raise UsageProblem("--uvloop needs an extra: pip install 'codriver[uvloop]'")


async def _until_terminated(work: Coroutine[Any, Any, Result]) -> Result:
    """SIGTERM ends a run like an interrupt does: all we started is stopped, the rest is kept."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        return await work
    except asyncio.CancelledError as error:
        raise KeyboardInterrupt from error
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
