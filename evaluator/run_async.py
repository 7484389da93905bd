"""Runs a command's coroutine and tells what comes out of its task groups as one problem."""

import asyncio
import errno
from collections.abc import Coroutine
from typing import Any, TypeVar

from assistant_gateway.model import ModelUnusable
from assistant_gateway.server import NoAgent
from evaluator.problems import InfraProblem, Problem, first_cause
from vehicle_bus.bus import BusError

Result = TypeVar("Result")


def run_async(work: Coroutine[Any, Any, Result]) -> Result:
    """`asyncio.run`, with what comes out of task groups told as one problem."""
    try:
        return asyncio.run(work)
    except (BaseExceptionGroup, BusError, NoAgent, ModelUnusable, OSError) as error:
        cause = first_cause(error)
        if isinstance(cause, Problem | KeyboardInterrupt):
            raise cause from error
        if isinstance(cause, OSError) and cause.errno == errno.EADDRINUSE:
            advice = "name another --gateway-port, or 0 for any free one"
            raise InfraProblem(f"the port is taken; {advice}") from error
        if isinstance(cause, BusError | NoAgent | ModelUnusable | OSError):
            raise InfraProblem(str(cause)) from error
        raise
