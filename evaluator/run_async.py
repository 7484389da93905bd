"""Runs a command's coroutine and tells what comes out of its task groups as one problem."""

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any, TypeVar

from assistant_gateway.model import ModelUnusable
from assistant_gateway.server import NoAgent, PortTaken
from evaluator.problems import InfraProblem, Problem, first_cause
from vehicle_bus.bus import BusError

Result = TypeVar("Result")


def run_async(work: Coroutine[Any, Any, Result]) -> Result:
    """`asyncio.run`, with what comes out of task groups told as one problem."""
    try:
        return asyncio.run(_until_terminated(work))
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
