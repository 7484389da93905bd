"""A mock model in another thread: runs have an event loop of their own."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from assistant_gateway.mock_llm.player import Impersonator
from assistant_gateway.mock_llm.script import MockScript
from assistant_gateway.mock_llm.server import MockModel, mock_llm


@contextmanager
def model_server(played_by: MockScript | Impersonator) -> Iterator[MockModel]:
    """Serve it as long as the block runs."""
    models: list[MockModel] = []
    up, over = Event(), Event()

    async def serve() -> None:
        async with mock_llm(played_by) as model:
            models.append(model)
            up.set()
            await asyncio.to_thread(over.wait)

    thread = Thread(target=asyncio.run, args=(serve(),), name="mock-llm")
    thread.start()
    try:
        assert up.wait(10)
        yield models[0]
    finally:
        over.set()
        thread.join(10)
