"""A model server that plays a script: OpenAI-compatible Chat Completions, no model inside.

    codriver mock-llm --script examples/mock_driver.yaml --port 8099
    export OPENAI_BASE_URL=http://127.0.0.1:8099/v1
    codriver run --user llm:mock --judge mock

Any client that speaks Chat Completions can use it: drivers, judges, agents under test. It answers
plain and streaming requests, structured output, tool calls and token counts, and it can be slow,
cut answers off, send broken JSON, refuse, limit the rate or fail, whenever the script says so. What
a script looks like stands in docs/mock-llm.md.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import orjson
import uvicorn
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from assistant_gateway.mock_llm.answer import Answer, error_body
from assistant_gateway.mock_llm.request import ChatRequest
from assistant_gateway.mock_llm.script import MockScript, Player, Reply

SHOWN = 200
GARBAGE = b"<html>upstream went away"


class MockModel:
    """The running server: its address and how often it was asked."""

    def __init__(self, script: MockScript) -> None:
        self.player = Player(script)
        self.requests = 0
        self.host, self.port = "127.0.0.1", 0

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return f"http://{self.host}:{self.port}/v1"

    async def complete(self, http: Request) -> Response:
        """POST /v1/chat/completions"""
        self.requests += 1
        try:
            request = ChatRequest.model_validate(orjson.loads(await http.body()))
        except (orjson.JSONDecodeError, ValidationError) as error:
            return _error(400, f"this is no chat completion request: {error}")
        reply = self.player.reply_to(request)
        if reply is None:
            last = request.messages[-1].text[-SHOWN:]
            return _error(400, f"no rule of the script matches; the last message was {last!r}")
        await asyncio.sleep(reply.delay_s)
        if reply.status is not None:
            return _failure(reply, reply.status, http.headers.get("authorization", ""))
        if reply.fault == "garbage":
            return Response(GARBAGE, media_type="application/json")
        answer = Answer(request, reply, self.requests)
        return _stream(answer) if request.stream else _whole(answer)

    async def models(self, _: Request) -> Response:
        """GET /v1/models"""
        models = [
            {"id": name, "object": "model", "created": 0, "owned_by": "codriver"}
            for name in self.player.script.models
        ]
        return _json({"object": "list", "data": models})

    async def health(self, _: Request) -> Response:
        """GET /healthz: how often each rule was used."""
        return _json({"ok": True, "requests": self.requests, "used": self.player.used})

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self.complete, methods=["POST"]),
                Route("/v1/models", self.models),
                Route("/healthz", self.health),
            ]
        )


class _Server(uvicorn.Server):
    """Leaves signals to whoever runs the event loop, and stops at once when told to."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.stop = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def main_loop(self) -> None:
        await self.stop.wait()


@asynccontextmanager
async def mock_llm(
    script: MockScript, *, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[MockModel]:
    """Serve a script for as long as the block runs; `OSError` if the port is taken."""
    model = MockModel(script)
    # The socket listens from here on, so whoever connects is served once uvicorn is up.
    listening = socket.create_server((host, port))
    # Inherited by connections; asyncio only sets it on sockets it has made itself.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    model.host, model.port = host, listening.getsockname()[1]
    config = uvicorn.Config(
        model.app(),
        log_config=None,
        access_log=False,
        lifespan="off",
        date_header=False,
        timeout_graceful_shutdown=1,
    )
    # A cut answer is what was asked for, no error of the server.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    server = _Server(config)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve(sockets=[listening]), name="mock-llm")
        try:
            yield model
        finally:
            server.stop.set()


class _Pieces(Response):
    """Sends its pieces one by one; a cut one stops half-way and drops the connection."""

    def __init__(self, pieces: list[bytes], reply: Reply, media_type: str) -> None:
        super().__init__(media_type=media_type)
        # The response announces everything; a cut one is noticed because not all of it comes.
        self.headers["content-length"] = str(sum(map(len, pieces)))
        self._pieces = pieces
        self._reply = reply

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        cut = self._reply.fault == "cut"
        for piece in self._pieces[: len(self._pieces) // 2] if cut else self._pieces:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await asyncio.sleep(self._reply.between_s)
        if not cut:
            await send({"type": "http.response.body", "body": b""})


def _whole(answer: Answer) -> Response:
    body = orjson.dumps(answer.whole())
    halves = [body[: len(body) // 2], body[len(body) // 2 :]]
    return _Pieces(halves, answer.reply, "application/json")


def _stream(answer: Answer) -> Response:
    events = [b"data: " + orjson.dumps(chunk) + b"\n\n" for chunk in answer.chunks()]
    return _Pieces([*events, b"data: [DONE]\n\n"], answer.reply, "text/event-stream")


def _failure(reply: Reply, status: int, authorization: str) -> Response:
    """An error status; 401 repeats the key it was given, as some servers do."""
    key = authorization.removeprefix("Bearer ")
    told = {401: f"Incorrect API key provided: {key}", 429: "Rate limit reached"}
    message = reply.say or told.get(status, "The server had an error")
    headers = {"retry-after": f"{reply.retry_after_s:g}"} if reply.retry_after_s is not None else {}
    return _error(status, message, headers)


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return _json(error_body(status, message), status, headers)


def _json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(orjson.dumps(value), status, headers, "application/json")
