"""Requests of a run to one endpoint, counted where they arrive."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from assistant_gateway.net.web import listening, serving
from evaluator.options import RunOptions
from evaluator.run.models import model_at
from evaluator.run.settings import limits_of, run_settings
from tests.evaluator.command_line import USAGE, Here, codriver

ANSWER = (
    b'data: {"choices": [{"index": 0, "delta": {"content": "Done."}, "finish_reason": null}]}\n\n',
    b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n',
    b"data: [DONE]\n\n",
)
RUN = (
    *("run", "--agent", "openai:mock", "--broker", "embedded", "--num-tasks", "8"),
    *("--max-concurrency", "8", "--out", "run"),
)


class Endpoint:
    """A model that takes its time; counts how many requests are under way."""

    def __init__(self) -> None:
        self.now = self.most = self.requests = 0

    async def answer(self, _: Request) -> StreamingResponse:
        return StreamingResponse(self._chunks(), media_type="text/event-stream")

    async def _chunks(self) -> AsyncIterator[bytes]:
        self.now += 1
        self.requests += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.2)
        self.now -= 1
        for chunk in ANSWER:
            yield chunk


@pytest.mark.parametrize(
    ("workers", "limits", "most"),
    [(1, (), 8), (1, ("--max-in-flight", "2"), 2), (2, ("--max-in-flight", "3"), 3)],
)
async def test_an_endpoint_is_asked_no_more_at_a_time_than_allowed(
    tmp_path: Path, workers: int, limits: tuple[str, ...], most: int
) -> None:
    endpoint, at = Endpoint(), listening("127.0.0.1", 0)
    app = Starlette(
        routes=[Route("/v1/chat/completions", endpoint.answer, methods=["POST"])],
    )
    where = ("--base-url", f"http://127.0.0.1:{at.getsockname()[1]}/v1")
    async with serving(app, at, "endpoint"):
        command = (*RUN, *where, "--workers", workers, *limits)
        done = await asyncio.to_thread(codriver, *command, folder=tmp_path)
    assert done.code == 0, done.stderr
    assert endpoint.requests >= 8
    assert 1 < endpoint.most <= most
    if workers == 1:
        assert ("requests to http://127.0.0.1" in done.stderr) == bool(limits)


def test_whoever_judges_counts_together_with_the_agent_at_one_address() -> None:
    where = "http://127.0.0.1:9/v1"
    options = RunOptions(agent="openai:mock", max_requests_per_minute=5, base_url=where)
    limits = limits_of(options)
    agent = run_settings(options, "r", limits).agent.model
    judge = limits.model(model_at("judge", "mock", where, None))
    assert agent is not None
    assert agent.access.permits is judge.access.permits


@pytest.mark.parametrize("limit", ["--max-in-flight", "--max-requests-per-minute"])
def test_a_limit_is_shared_out_to_workers(here: Here, limit: str) -> None:
    refused = here("run", "--agent", "openai:mock", limit, "2", "--workers", "3")
    assert (refused.code, refused.stderr.count("\n")) == (USAGE, 1)
    assert f"{limit} 2 is shared out, and 3 workers need one each at least" in refused.stderr


def test_a_voice_that_speaks_all_the_time_has_no_requests_to_limit(here: Here) -> None:
    live = (
        "--agent",
        "live:mock",
        "--backend-model",
        "mock",
        "--speech",
        "audio",
        "--pace",
        "live",
    )
    refused = here("run", *live, "--max-in-flight", "2")
    assert (refused.code, refused.stderr.count("\n")) == (USAGE, 1)
    assert "--agent live:MODEL makes no single requests" in refused.stderr
