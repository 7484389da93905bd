"""Work that runs beside a block and belongs to it."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any


@contextmanager
def alone() -> Iterator[None]:
    """Let an error that is the only one come out as it is, not in groups, to be caught by type."""
    only: BaseException | None = None
    try:
        yield
    except BaseExceptionGroup as group:
        only = group
        while isinstance(only, BaseExceptionGroup) and len(only.exceptions) == 1:
            only = only.exceptions[0]
        if only is group:
            raise
    if only is not None:
        raise only


@asynccontextmanager
async def background(work: Coroutine[Any, Any, None], name: str) -> AsyncIterator[None]:
    """Run `work` until the block ends; if it crashes, the block ends with its error."""
    with alone():
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(work, name=name)
            try:
                yield
            finally:
                task.cancel()


async def stopped(task: asyncio.Task[None] | None) -> bool:
    """Cancel a task and wait for its end; False if there is none or it was over."""
    if task is None or task.done():
        return False
    task.cancel()
    await asyncio.wait([task])
    return True
