"""`a2a:URL`: an assistant behind the Agent2Agent protocol, 1.0 or 0.3, over JSON-RPC.

A reply arrives whole: no text comes before it is complete.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import httpx
from a2a.client import Client, ClientCallContext, ClientConfig, ClientFactory
from a2a.types import AgentCard, CancelTaskRequest, SendMessageRequest
from a2a.utils.constants import A2A_JSON_MEDIA_TYPE
from a2a.utils.errors import A2AError
from google.protobuf.json_format import (  # type: ignore[import-untyped]  # it ships no types
    Error,
    MessageToDict,
    ParseDict,
)

from assistant_gateway.agents.a2a.card import fetch_card, http_client, reachable
from assistant_gateway.agents.a2a.conversation import A2aConversation
from assistant_gateway.agents.a2a.messages import Json
from assistant_gateway.agents.remote import AgentFailed, AgentUnavailable, serve_remote
from assistant_gateway.models.access import Access
from assistant_gateway.models.errors import UNREADABLE, one_line
from assistant_gateway.protocol import SessionStart
from assistant_gateway.server import NoAgent
from vehicle_bus.background_tasks import alone

GOODBYE_S = 2.0
NOT_OURS = frozenset({401, 403, 404, 405})
AWAY = frozenset({408, 429, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Server:
    """An agent that answered with its card; takes any number of conversations."""

    card: AgentCard
    access: Access
    timeout_s: float
    patience_s: float
    http: httpx.AsyncClient
    client: Client
    headers: Mapping[str, str]

    async def serve(self, url: str, token: str) -> None:
        """Take sessions at a gateway, one after the other, on a connection that is warm."""
        with suppress(NoAgent):  # it was found a moment ago; the first message reports it
            await fetch_card(self.access, self.http)
        await serve_remote(url, token, self.conversation)

    @asynccontextmanager
    async def conversation(self, start: SessionStart, sid: str) -> AsyncIterator[A2aConversation]:
        """One context of the agent; a task that still waits for something is cancelled at the end.

        Contexts as such have no cancel in the protocol.
        """
        name = self.access.hide(self.card.name) or "a2a"
        with alone():
            async with asyncio.TaskGroup() as tasks:
                conversation = A2aConversation(
                    name, start, self.send, self.timeout_s, tasks, self.patience_s
                )
                try:
                    yield conversation
                finally:
                    conversation.hang_up()
                    if conversation.open_task is not None:
                        await self._cancel(conversation.open_task)

    async def _cancel(self, task_id: str) -> None:
        with suppress(A2AError, TimeoutError):
            async with asyncio.timeout(GOODBYE_S):
                await self.client.cancel_task(CancelTaskRequest(id=task_id))

    async def send(self, message: Json, within_s: float) -> Json:
        """The agent's `message` or `task`; raises `AgentFailed`, `AgentUnavailable`, `NoAgent`."""
        request = ParseDict({"message": message}, SendMessageRequest())
        context = ClientCallContext(service_parameters=dict(self.headers))
        try:
            async with self.access.permits.permit(), asyncio.timeout(within_s):
                sent = self.client.send_message(request, context=context)
                [answer] = [MessageToDict(response) async for response in sent]
        except TimeoutError:
            option = "--patience" if self.patience_s > self.timeout_s else "--agent-timeout"
            limit_s = max(self.timeout_s, self.patience_s)
            why = f"no answer within {limit_s:g} s ({option})"
            raise AgentFailed(why) from None
        except A2AError as error:
            raise self._failure(error) from error
        except (*UNREADABLE, Error) as error:
            why = self.access.hide(str(error))
            raise AgentFailed(f"the agent's answer is no A2A message: {why}") from error
        found: Json = json.loads(self.access.hide(json.dumps(answer)))
        return found

    def _failure(self, error: A2AError) -> Exception:
        why = one_line(self.access.hide(error.message))
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


@asynccontextmanager
async def a2a_agent(
    access: Access, timeout_s: float, patience_s: float = 0.0
) -> AsyncIterator[Server]:
    """The agent at an address, for as long as the block runs; raises `NoAgent`.

    A turn may take `timeout_s`, and each of its messages at least `patience_s`.
    """
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
        yield Server(card, access, timeout_s, patience_s, http, client, headers)
