"""A mock model with a client for it, both over a real socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from assistant_gateway.mock_llm.script import as_script
from assistant_gateway.mock_llm.server import MockModel, mock_llm
from assistant_gateway.models.access import Access
from assistant_gateway.models.model import (
    ChatTurn,
    Model,
    ModelChoice,
    RetryPolicy,
    Shape,
    open_model,
)
from assistant_gateway.models.spending import Prices

QUICK = RetryPolicy(timeout_s=5.0, attempts=3, first_wait_s=0.01, longest_wait_s=0.05)
KEY = "sk-canary-7f3a"
SHAPE = Shape("verdict", {"type": "object", "properties": {"reason": {"type": "string"}}})


@asynccontextmanager
async def scripted(
    *rules: dict[str, Any],
    retry: RetryPolicy = QUICK,
    prices: Prices | None = None,
    patience_s: float | None = None,
) -> AsyncIterator[tuple[MockModel, Model]]:
    """Serve rules and connect to them with `KEY`."""
    async with mock_llm(as_script({"rules": list(rules)})) as server:
        choice = ModelChoice("mock", Access(server.url, KEY), prices or Prices(), patience_s)
        async with open_model(choice, retry) as model:
            yield server, model


def user(text: str) -> list[ChatTurn]:
    return [{"role": "user", "content": text}]
