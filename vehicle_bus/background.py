"""Work that runs beside a block and belongs to it."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def background(work: Coroutine[Any, Any, None], name: str) -> AsyncIterator[None]:
    """Run `work` until the block ends; if it crashes, the block ends with its error.

    One error comes out as it is, not in a group, so that callers can catch it by type.
    """
    alone: BaseException | None = None
    try:
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(work, name=name)
            try:
                yield
            finally:
                task.cancel()
    except BaseExceptionGroup as group:
        if len(group.exceptions) > 1:
            raise
        alone = group.exceptions[0]
    if alone is not None:
        raise alone
