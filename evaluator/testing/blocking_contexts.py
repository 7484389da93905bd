"""Async context managers, entered and left from a thread that has no event loop.

The bench runs on while a test does something else: it has an event loop of its own beside
pytest, independent of the loop of a test.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, Generic, TypeVar

from anyio.from_thread import BlockingPortal

from assistant_gateway.server import NoAgent
from evaluator.live import ConversationBroken
from evaluator.problems import AgentCrashed, Problem, first_cause

Entered = TypeVar("Entered")
Result = TypeVar("Result")


class BenchBroken(Exception):
    """The bench of the test broke down; the text says why."""


GOING_DOWN_S = 10.0
# Their text says everything; a traceback into the bench helps nobody.
PLAIN_ERRORS = (BenchBroken, ConversationBroken, NoAgent)


class Pending(Generic[Result]):
    """An action that has begun: `await` it, or `wait()` for it in a test that is not async."""

    def __init__(self, what: str, future: "Future[Result]") -> None:
        self.what = what
        self.awaited = False
        self._future = future

    def __await__(self) -> Generator[Any, None, Result]:
        __tracebackhide__ = True
        self.awaited = True
        try:
            return (yield from asyncio.wrap_future(self._future).__await__())
        except PLAIN_ERRORS as error:
            raise error.with_traceback(None) from None

    def wait(self) -> Result:
        """Block until it is done."""
        __tracebackhide__ = True
        self.awaited = True
        try:
            return self._future.result()
        except PLAIN_ERRORS as error:
            raise error.with_traceback(None) from None

    def stop(self) -> None:
        """Cancel it if it is not done."""
        self._future.cancel()


class Held(Generic[Entered]):
    """An async context manager that is open in the portal's loop."""

    def __init__(
        self, portal: BlockingPortal, opened: AbstractAsyncContextManager[Entered]
    ) -> None:
        self._portal = portal
        self._opened = opened
        self._leave = asyncio.Event()
        self.reported = False
        self._entered: Future[Entered] = Future()
        self._life = portal.start_task_soon(self._live)

    @property
    def value(self) -> Entered:
        """What was entered; the error if it could not be."""
        return self._entered.result()

    @property
    def broken(self) -> BenchBroken | None:
        """Why it closed by itself, if it did."""
        error = self._life.exception() if self._life.done() else None
        if error is None:
            return None
        self.reported = True
        cause = first_cause(error)
        crashed = isinstance(cause, AgentCrashed)
        return BenchBroken(str(cause) if crashed else f"the bench broke down: {cause}")

    async def breaking(self) -> BenchBroken | None:
        """The same, after waiting until it is closed."""
        await asyncio.wait([asyncio.wrap_future(self._life)], timeout=GOING_DOWN_S)
        return self.broken

    def leave(self) -> None:
        """Close it; raises an error that was not reported yet."""
        self._portal.call(self._leave.set)
        if self.reported or (error := self._life.exception()) is None:
            return
        if isinstance(first_cause(error), Problem) and self.broken is not None:
            raise self.broken from None
        raise error

    async def _live(self) -> None:
        try:
            async with self._opened as entered:
                self._entered.set_result(entered)
                await self._leave.wait()
        except BaseException as error:
            if not self._entered.done():
                self._entered.set_exception(error)
                return
            raise


@contextmanager
def held(
    portal: BlockingPortal, opened: AbstractAsyncContextManager[Entered]
) -> Iterator[Held[Entered]]:
    """Hold it open for as long as the block runs."""
    holding = Held(portal, opened)
    _ = holding.value
    try:
        yield holding
    finally:
        holding.leave()


def start(
    portal: BlockingPortal, what: str, work: Callable[[], Coroutine[Any, Any, Result]]
) -> Pending[Result]:
    """Begin something in the portal's loop at once."""
    return Pending(what, portal.start_task_soon(work))
