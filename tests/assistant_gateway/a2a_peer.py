"""An A2A agent that answers what a test tells it to, over real HTTP, from a thread of its own."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

Json = dict[str, Any]
Answer = Json | int | str | None
"""A result of JSON-RPC, a status of HTTP, a body as it is, or never anything."""


def said(*parts: Json, context_id: str = "", **fields: Any) -> Json:
    """A `message` with these parts."""
    message = {"messageId": "m", "role": "ROLE_AGENT", "parts": list(parts), **fields}
    return {"message": message | ({"contextId": context_id} if context_id else {})}


def called(*calls: Json) -> Json:
    return {"data": {"tool_calls": list(calls)}}


@dataclass
class Peer:
    """What the agent was asked, and where it is."""

    answers: Callable[[Json], Answer]
    card: Json | None = None
    url: str = ""
    asked: list[Json] = field(default_factory=list)
    headers: list[Json] = field(default_factory=list)
    over: Event = field(default_factory=Event)
    delay_s: float = 0.0

    @property
    def messages(self) -> list[Json]:
        return [request["params"]["message"] for request in self.asked if "message" in str(request)]

    async def show_card(self, request: Request) -> Response:
        self.headers.append(dict(request.headers))
        named = {"name": "peer", "description": "a peer", "version": "1"}
        offered = {"url": self.url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        return JSONResponse(self.card or {**named, "supportedInterfaces": [offered]})

    async def answer(self, request: Request) -> Response:
        asked = await request.json()
        self.asked.append(asked)
        self.headers.append(dict(request.headers))
        answer = self.answers(asked)
        await asyncio.sleep(self.delay_s)
        if isinstance(answer, int):
            return Response("trouble", answer)
        if isinstance(answer, str):
            return Response(answer, media_type="application/json")
        if answer is None:
            await request.is_disconnected()
            self.over.wait(5)
            return Response()
        content = answer if "error" in answer else {"result": answer}
        return JSONResponse({"jsonrpc": "2.0", "id": asked["id"], **content})


@contextmanager
def peer(
    *answers: Answer, card: Json | None = None, path: str = "/", delay_s: float = 0.0
) -> Iterator[Peer]:
    """Answers one after the other, the last one again and again."""
    left = list(answers)
    with answering(lambda _: left.pop(0) if len(left) > 1 else left[0], card, path) as found:
        found.delay_s = delay_s
        yield found


@contextmanager
def answering(
    answer: Callable[[Json], Answer], card: Json | None = None, path: str = "/"
) -> Iterator[Peer]:
    """Answers whatever `answer` makes of a request."""
    found = Peer(answer, card)
    app = Starlette(
        routes=[
            Route("/.well-known/agent-card.json", found.show_card),
            Route(path, found.answer, methods=["POST"]),
        ]
    )
    listening = socket.create_server(("127.0.0.1", 0))
    found.url = f"http://127.0.0.1:{listening.getsockname()[1]}{path}".rstrip("/")
    config = uvicorn.Config(
        app, log_config=None, lifespan="off", ws="none", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, name="a2a peer")
    thread.start()
    try:
        yield found
    finally:
        found.over.set()
        server.should_exit = True
        thread.join(10)
