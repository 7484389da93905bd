"""`a2a:URL`: an assistant behind the Agent2Agent protocol, 1.0 or 0.3, over JSON-RPC.

An answer arrives whole: there is no text before the last word of it is known.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from uuid import uuid4

import httpx
from a2a.client import Client, ClientCallContext, ClientConfig, ClientFactory
from a2a.types import AgentCard, CancelTaskRequest, SendMessageRequest
from a2a.utils.constants import A2A_JSON_MEDIA_TYPE
from a2a.utils.errors import A2AError
from google.protobuf.json_format import (  # type: ignore[import-untyped]
    Error,
    MessageToDict,
    ParseDict,
)

from assistant_gateway.access import Access
from assistant_gateway.agents.a2a_card import fetch_card, http_client, reachable
from assistant_gateway.agents.a2a_messages import (
    Answer,
    Json,
    Schemas,
    first_words,
    read,
    results,
    schemas,
    words,
)
from assistant_gateway.agents.remote import (
    AgentFailed,
    AgentUnavailable,
    CallAnswer,
    CallPiece,
    Finished,
    Piece,
    TextPiece,
    serve_remote,
)
from assistant_gateway.protocol import AgentMetrics, SessionStart
from assistant_gateway.server import NoAgent

GOODBYE_S = 2.0
NOT_OURS = frozenset({401, 403, 404, 405})
AWAY = frozenset({408, 429, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Server:
    """An agent that answered with its card; takes any number of conversations."""

    card: AgentCard
    access: Access
    timeout_s: float
    http: httpx.AsyncClient
    client: Client
    headers: Mapping[str, str]

    async def serve(self, url: str, token: str) -> None:
        """Take sessions at a gateway, one after the other, on a connection that is warm."""
        with suppress(NoAgent):  # it was there a moment ago; the first message will tell
            await fetch_card(self.access, self.http)
        await serve_remote(url, token, self.conversation)

    @asynccontextmanager
    async def conversation(self, start: SessionStart, sid: str) -> AsyncIterator["Context"]:
        """One context of the agent; a task that still waits for something is cancelled at the end.

        Contexts as such have no cancel in the protocol.
        """
        name = self.access.hide(self.card.name) or "a2a"
        talk = Context(name, self, start, schemas(start.tools))
        try:
            yield talk
        finally:
            if talk.open_task is not None:
                with suppress(A2AError, TimeoutError):
                    async with asyncio.timeout(GOODBYE_S):
                        await self.client.cancel_task(CancelTaskRequest(id=talk.open_task))

    async def send(self, message: Json, within_s: float) -> Json:
        """The agent's `message` or `task`; raises `AgentFailed`, `AgentUnavailable`, `NoAgent`."""
        request = ParseDict({"message": message}, SendMessageRequest())
        context = ClientCallContext(service_parameters=dict(self.headers))
        try:
            async with asyncio.timeout(within_s):
                sent = self.client.send_message(request, context=context)
                [answer] = [MessageToDict(response) async for response in sent]
        except TimeoutError:
            why = f"no answer within {self.timeout_s:g} s (--agent-timeout)"
            raise AgentFailed(why) from None
        except A2AError as error:
            raise self._told(error) from error
        except (ValueError, Error) as error:
            why = self.access.hide(str(error))
            raise AgentFailed(f"the agent's answer is no A2A message: {why}") from error
        found: Json = json.loads(self.access.hide(json.dumps(answer)))
        return found

    def _told(self, error: A2AError) -> Exception:
        why = self.access.hide(error.message)[:300]
        cause = error.__cause__
        if isinstance(cause, httpx.HTTPStatusError):
            status = cause.response.status_code
            if status in NOT_OURS:
                return NoAgent(f"the agent at {self.access.place} refuses messages: HTTP {status}")
            away = status in AWAY
            return (AgentUnavailable if away else AgentFailed)(f"the agent answered HTTP {status}")
        if isinstance(cause, httpx.RequestError):
            return AgentUnavailable(f"the agent at {self.access.place} is away: {why}")
        return AgentFailed(f"the agent answered with an error: {why}")


@dataclass(slots=True)
class Context:
    """A conversation with the agent; it keeps the history, we the thread."""

    name: str
    server: Server
    start: SessionStart
    known: Schemas
    context_id: str = field(default_factory=lambda: uuid4().hex)
    open_task: str | None = None
    begun: bool = False
    artifacts: set[str] = field(default_factory=set)
    calls: tuple[CallPiece, ...] = ()
    calls_made: int = 0
    until_s: float = 0.0

    async def heard(self, text: str) -> AsyncIterator[Piece]:
        self.until_s = asyncio.get_running_loop().time() + self.server.timeout_s
        start = self.start
        said = words(text) if self.begun else first_words(start.instructions, text, start.tools)
        for piece in pieces(await self._exchanged(said)):
            yield piece

    async def answered(self, answers: Sequence[CallAnswer]) -> AsyncIterator[Piece]:
        for piece in pieces(await self._exchanged(results(self.calls, answers))):
            yield piece

    def interrupted(self, heard_text: str) -> None:
        """The agent cannot be told; it learns of it from what the driver says next."""

    async def _exchanged(self, message: Json) -> Answer:
        message |= {"messageId": uuid4().hex, "contextId": self.context_id}
        if self.open_task is not None:
            message["taskId"] = self.open_task
        left_s = max(0.001, self.until_s - asyncio.get_running_loop().time())
        response = await self.server.send(message, left_s)
        answer = read(response, self.known, told=self.artifacts, calls=self.calls_made)
        self.begun = True
        self.context_id = answer.context_id or self.context_id
        self.open_task = answer.open_task
        self.artifacts |= answer.artifacts
        self.calls = answer.calls
        self.calls_made += len(answer.calls)
        return answer


def pieces(answer: Answer) -> list[Piece]:
    """An answer as it is said; words beside calls are for the record."""
    said: list[Piece] = []
    if answer.text:
        said.append(TextPiece(answer.text, "progress" if answer.calls else "content"))
    finished = Finished(answer.turn_metrics, answer.reasoning, _metrics(answer.turn_metrics))
    return [*said, *answer.calls, finished]


def _metrics(reported: Json | None) -> AgentMetrics | None:
    """How long the agent says its model took in this turn."""
    requests, each_ms = ((reported or {}).get(n) for n in ("num_llm_calls", "avg_llm_call_time_ms"))
    if not isinstance(requests, int) or not isinstance(each_ms, int | float):
        return None
    return AgentMetrics(model_ms=requests * each_ms)


@asynccontextmanager
async def a2a_agent(access: Access, timeout_s: float) -> AsyncIterator[Server]:
    """The agent at an address, for as long as the block runs; raises `NoAgent`."""
    async with http_client(access) as http:
        card = await fetch_card(access, http)
        for interface in card.supported_interfaces:
            interface.url = reachable(interface.url, str(access.base_url))
        try:
            client = ClientFactory(ClientConfig(streaming=False, httpx_client=http)).create(card)
        except ValueError as error:
            raise NoAgent(
                f"the agent at {access.place} offers no JSON-RPC interface in its card; "
                "codriver speaks A2A over JSON-RPC only"
            ) from error
        current = any(one.protocol_version.startswith("1") for one in card.supported_interfaces)
        headers = {"Content-Type": A2A_JSON_MEDIA_TYPE} if current else {}
        yield Server(card, access, timeout_s, http, client, headers)
