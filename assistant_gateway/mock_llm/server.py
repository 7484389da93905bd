"""A model server without a model: OpenAI-compatible Chat Completions, Realtime and Live.

    codriver mock-llm --script examples/mock_driver.yaml --port 8099
    export OPENAI_BASE_URL=http://127.0.0.1:8099/v1
    codriver run --user llm:mock --judge mock

Any client that speaks one of them can use it: drivers, judges, agents under test. It answers
plain and streaming requests, structured output, tool calls and token counts, and it can be slow,
cut answers off, send broken JSON, refuse, limit the rate or fail, as its script says. Scripts and
other players are described in docs/mock-llm.md.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from itertools import groupby
from typing import Any

import orjson
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from assistant_gateway.agents.speaking_front import FrontVoice
from assistant_gateway.mock_llm.answer import Answer
from assistant_gateway.mock_llm.chat import chunks, whole
from assistant_gateway.mock_llm.failures import GARBAGE, as_json, bad_request, not_served, refusal
from assistant_gateway.mock_llm.live import LiveSocket
from assistant_gateway.mock_llm.pacing import AT_ONCE, Paced, Timing, paced
from assistant_gateway.mock_llm.player import Impersonator
from assistant_gateway.mock_llm.realtime.known_speech import KeptSpeech
from assistant_gateway.mock_llm.realtime.socket import RealtimeSocket
from assistant_gateway.mock_llm.request import ChatRequest
from assistant_gateway.mock_llm.script import MockScript, Player
from assistant_gateway.net.stamped_http import came_ns
from assistant_gateway.net.web import listening, serving
from assistant_gateway.timing.timeline import SECOND, sleep_until
from vehicle_bus.validation_problem import first_problem

SHOWN = 200


class MockModel:
    """The running server: its address, its player, and how often it was asked."""

    def __init__(
        self, player: Impersonator, timing: Timing, voice: FrontVoice | None = None
    ) -> None:
        self.voice = voice
        self.kept = KeptSpeech(voice.folder) if voice else None
        self.player = player
        self.timing = timing
        self.requests = 0
        self.connections = 0
        self.host, self.port = "127.0.0.1", 0

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return f"http://{self.host}:{self.port}/v1"

    def answer_to(self, request: ChatRequest) -> Answer | None:
        """The answer, or None if the player has none."""
        self.requests += not request.connecting
        reply = self.player.reply_to(request)
        return None if reply is None else Answer(request, reply, self.requests)

    async def complete(self, http: Request) -> Response:
        """POST /v1/chat/completions"""
        came_at_ns = came_ns(http)
        try:
            request = ChatRequest.model_validate(orjson.loads(await http.body()))
        except orjson.JSONDecodeError as error:
            return bad_request(f"this is no JSON: {error}")
        except ValidationError as error:
            return bad_request(f"this is no chat completion request: {first_problem(error)}")
        await _others_first()
        answer = self.answer_to(request)
        if answer is None:
            last = request.messages[-1].text[-SHOWN:]
            return bad_request(f"no rule of the script matches; the last message was {last!r}")
        reply = answer.reply
        if reply.status is not None or reply.fault == "garbage":
            await sleep_until(came_at_ns + round(reply.delay_s * SECOND))
            key = http.headers.get("authorization", "").removeprefix("Bearer ")
            return refusal(reply, key) if reply.status else Response(GARBAGE)
        plan = paced(answer, self.timing)
        await _others_first()
        return _Pieces(plan, came_at_ns)

    async def realtime(self, connection: WebSocket) -> None:
        """WebSocket /v1/realtime?model=…"""
        self.connections += 1
        name = f"sess_{self.connections}"
        await RealtimeSocket(
            connection, self.answer_to, self.timing, name, self.voice, self.kept
        ).run()

    async def live(self, connection: WebSocket) -> None:
        """WebSocket /v1/live/sessions"""
        self.connections += 1
        name = f"live_{self.connections}"
        await LiveSocket(connection, self.answer_to, self.timing, name, self.voice, self.kept).run()

    async def models(self, _: Request) -> Response:
        """GET /v1/models"""
        return as_json({"object": "list", "data": [_model(name) for name in self.player.models]})

    async def model(self, http: Request) -> Response:
        """GET /v1/models/NAME: any name works."""
        return as_json(_model(http.path_params["name"]))

    async def health(self, _: Request) -> Response:
        """GET /healthz: how often each rule was used."""
        return as_json({"ok": True, "requests": self.requests, "used": self.player.used})

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self.complete, methods=["POST"]),
                WebSocketRoute("/v1/realtime", self.realtime),
                WebSocketRoute("/v1/live/sessions", self.live),
                Route("/v1/models", self.models),
                Route("/v1/models/{name:path}", self.model),
                Route("/healthz", self.health),
            ],
            exception_handlers={404: not_served, 405: not_served},
        )


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "codriver"}


@asynccontextmanager
async def mock_llm(
    played_by: MockScript | Impersonator,
    *,
    timing: Timing = AT_ONCE,
    voice: FrontVoice | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
) -> AsyncIterator[MockModel]:
    """Serve a model that is played, as long as the block runs; raises `PortTaken`.

    With a `voice` it speaks over Realtime, and knows the sounds in the folder of that voice.
    """
    player = Player(played_by) if isinstance(played_by, MockScript) else played_by
    model = MockModel(player, timing, voice)
    with listening(host, port) as at:
        model.host, model.port = host, at.getsockname()[1]
        async with serving(model.app(), at, "mock-llm"):
            yield model


class _Pieces(Response):
    """Sends each piece when it is due; a cut answer stops half-way and drops the connection.

    A stream sends its headers at once, as servers do that begin to stream before the model has.
    """

    def __init__(self, plan: Paced, came_at_ns: int) -> None:
        self._streamed = plan.answer.request.stream
        kind = "text/event-stream" if self._streamed else "application/json"
        super().__init__(media_type=kind)
        self._pieces = list(_events(plan) if self._streamed else _halves(plan))
        # The response announces everything; a cut one is noticed because not all of it comes.
        self.headers["content-length"] = str(sum(len(body) for _, body in self._pieces))
        self._cut = plan.answer.reply.fault == "cut"
        self._asked_ns = came_at_ns

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = self._pieces[: len(self._pieces) // 2] if self._cut else self._pieces
        first_ns = self._asked_ns + self._pieces[0][0]
        if not self._streamed:
            await sleep_until(first_ns)
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        await sleep_until(first_ns, exactly=True)
        for after_ns, body in _together(sent):
            await sleep_until(self._asked_ns + after_ns)
            await send({"type": "http.response.body", "body": body, "more_body": True})
        if not self._cut:
            await send({"type": "http.response.body", "body": b""})


async def _others_first() -> None:
    """Let other answers go on between the steps of reading a long request."""
    await asyncio.sleep(0)


def _events(plan: Paced) -> Iterator[tuple[int, bytes]]:
    for after_ns, chunk in chunks(plan):
        yield after_ns, b"data: " + orjson.dumps(chunk) + b"\n\n"
    yield plan.end_ns, b"data: [DONE]\n\n"


def _halves(plan: Paced) -> Iterator[tuple[int, bytes]]:
    body = orjson.dumps(whole(plan.answer))
    half = len(body) // 2
    yield plan.end_ns, body[:half]
    yield plan.end_ns, body[half:]


def _together(pieces: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """What is due at the same time is sent at once."""
    for after_ns, due in groupby(pieces, key=lambda piece: piece[0]):
        yield after_ns, b"".join(body for _, body in due)
