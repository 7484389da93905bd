"""A connection to one Realtime conversation: one response at a time, told apart by its id."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from openai import AsyncOpenAI, OpenAIError
from openai.resources.realtime.realtime import AsyncRealtimeConnection
from openai.types.realtime import (
    ConversationItemParam,
    RealtimeError,
    RealtimeErrorEvent,
    RealtimeServerEvent,
    RealtimeSessionCreateRequestParam,
    ResponseAudioTranscriptDeltaEvent,
    ResponseCreatedEvent,
    ResponseDoneEvent,
    ResponseTextDeltaEvent,
)
from websockets.exceptions import WebSocketException

from assistant_gateway.agents.realtime.errors import OWN_DOING, Failure, lost, meaning_of
from assistant_gateway.agents.remote import AgentFailed, AgentUnavailable
from assistant_gateway.models.errors import ModelUnusable
from assistant_gateway.models.model import ModelChoice

log = logging.getLogger(__name__)

# The library logs what it sends at DEBUG, and with the handshake the key.
_quiet = logging.getLogger(f"{__name__}.socket")
_quiet.setLevel(logging.INFO)
SOCKET: Any = {
    "logger": _quiet,
    "compression": None,
    "max_size": 16 << 20,
    "open_timeout": None,
    "close_timeout": 1.0,
}
# The library builds what it reads events with at the first of a kind, not in anybody's turn.
REHEARSED = (
    b'{"type": "conversation.item.added", "item": {"type": "message", "role": "user"}}',
    b'{"type": "response.created", "response": {}}',
    b'{"type": "response.output_item.added", "item": {"type": "message", "role": "assistant"}}',
    b'{"type": "response.output_item.added", "item": {"type": "function_call"}}',
    b'{"type": "response.output_text.delta"}',
    b'{"type": "response.function_call_arguments.done"}',
    b'{"type": "response.done", "response": {"usage": {}, "status_details": {}}}',
)
AHEAD = 256  # events the server may be ahead of who takes them
WORDS = (ResponseTextDeltaEvent, ResponseAudioTranscriptDeltaEvent)
CONNECT_S = 8.0  # the gateway waits ten seconds for an agent to be ready
NOT_ACTIVE = "response_cancel_not_active"
BROKEN = (WebSocketException, OpenAIError, OSError, TimeoutError, json.JSONDecodeError)


@dataclass(eq=False, slots=True)
class Asked:
    """A response to ask for: its events, as they arrive, or what kept it from coming.

    It is `over` when nothing of it is to come any more, and before it was asked for.
    """

    event_ids: list[str] = field(default_factory=list)
    response_id: str | None = None
    dropped: bool = False
    over: bool = True
    _events: asyncio.Queue[RealtimeServerEvent | Failure] = field(
        default_factory=lambda: asyncio.Queue(AHEAD)
    )

    @property
    def exhausted(self) -> bool:
        """Whether nothing more will come."""
        return self.over and self._events.empty()

    async def event(self) -> RealtimeServerEvent:
        """The next event; raises what kept it from coming."""
        event = await self._events.get()
        if isinstance(event, Exception):
            raise event
        return event

    async def put(self, event: RealtimeServerEvent | Failure) -> None:
        """Waits for room, and the socket is read no further; words nobody wants take none."""
        if not (self.dropped and isinstance(event, WORDS)):
            await self._events.put(event)


class Line:
    """Get one from `open_line`. What is sent on a broken connection raises what broke it."""

    def __init__(self, connection: AsyncRealtimeConnection, choice: ModelChoice) -> None:
        self._connection = connection
        self._choice = choice
        self._asked: Asked | None = None
        self._broken: Failure | None = None
        self._sent = 0

    async def ask(self, asked: Asked, items: Sequence[ConversationItemParam]) -> None:
        """Add items to the conversation and let the model respond to it."""
        self._asked = asked
        for item in items:
            asked.event_ids.append(self._next_id())
            await self._do(
                self._connection.conversation.item.create(item=item, event_id=asked.event_ids[-1])
            )
        asked.event_ids.append(self._next_id())
        asked.over = False
        await self._do(self._connection.response.create(event_id=asked.event_ids[-1]))

    async def drop(self, asked: Asked) -> None:
        """Nobody wants this response any more; how far it came is still told."""
        asked.dropped = True
        with suppress(AgentFailed, AgentUnavailable, ModelUnusable):
            await self._cancel(asked)

    async def add(self, item: ConversationItemParam) -> None:
        """Put an item at the end of the conversation."""
        await self._do(self._connection.conversation.item.create(item=item))

    async def delete(self, item_id: str) -> None:
        """Take an item out of the conversation."""
        await self._do(self._connection.conversation.item.delete(item_id=item_id))

    async def listen(self) -> None:
        """Take in events until the connection ends."""
        failure: Failure
        try:
            async for event in self._connection:
                await self._take(event)
            failure = AgentUnavailable(f"{self._choice.name}: the server closed the connection")
        except BROKEN as error:
            failure = lost(self._choice, error)
        self._broken = self._broken or failure
        if self._asked is not None:
            self._asked.over = True
            await self._asked.put(failure)

    async def _take(self, event: RealtimeServerEvent) -> None:
        asked = self._asked
        if isinstance(event, RealtimeErrorEvent):
            await self._complaint(event.error)
        elif asked is None or asked.over:
            log.debug("%s between two responses", event.type)
        elif isinstance(event, ResponseCreatedEvent) and asked.response_id is None:
            asked.response_id = event.response.id
            if asked.dropped:
                await self._cancel(asked)
        elif _response_id(event) == asked.response_id is not None:
            asked.over = isinstance(event, ResponseDoneEvent)
            await asked.put(event)

    async def _complaint(self, error: RealtimeError) -> None:
        """An `error` leaves the connection open; what it means depends on what caused it."""
        asked, known = self._asked, error.event_id
        failure = meaning_of(self._choice, error.type, error.code, error.message)
        caused = asked is not None and (
            known in asked.event_ids or (not known and error.type != OWN_DOING)
        )
        if asked is None or asked.over or not caused:
            if error.code != NOT_ACTIVE:
                log.warning("%s", failure)
            return
        asked.over = known == asked.event_ids[-1]
        await asked.put(failure)

    async def _cancel(self, asked: Asked) -> None:
        if asked.response_id is not None and not asked.over:
            await self._do(self._connection.response.cancel(response_id=asked.response_id))

    def _next_id(self) -> str:
        self._sent += 1
        return f"codriver_{self._sent}"

    async def _do(self, sending: Awaitable[None]) -> None:
        try:
            await sending
        except BROKEN as error:
            self._broken = self._broken or lost(self._choice, error)
        if self._broken is not None:
            raise self._broken


@asynccontextmanager
async def open_line(
    client: AsyncOpenAI, choice: ModelChoice, session: RealtimeSessionCreateRequestParam
) -> AsyncIterator[Line]:
    """Connected and set up when the block begins; raises `Failure` if that did not work."""
    async with AsyncExitStack() as stack:
        try:
            async with asyncio.timeout(CONNECT_S):
                connection = await stack.enter_async_context(
                    client.realtime.connect(model=choice.name, websocket_connection_options=SOCKET)
                )
                await _until(connection, "session.created", choice)
                await connection.session.update(session=session)
                await _until(connection, "session.updated", choice)
                for event in REHEARSED:
                    connection.parse_event(event)
        except BROKEN as error:
            raise lost(choice, error) from None
        line = Line(connection, choice)
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        listening = tasks.create_task(line.listen(), name=f"listening to {choice.name}")
        stack.callback(listening.cancel)
        yield line


async def _until(connection: AsyncRealtimeConnection, kind: str, choice: ModelChoice) -> None:
    """Pass over events up to one of this kind."""
    async for event in connection:
        if isinstance(event, RealtimeErrorEvent):
            raise meaning_of(choice, event.error.type, event.error.code, event.error.message)
        if event.type == kind:
            return
    raise AgentUnavailable(f"{choice.name}: the server closed the connection before {kind}")


def _response_id(event: RealtimeServerEvent) -> str | None:
    if isinstance(event, ResponseDoneEvent):
        return event.response.id
    return getattr(event, "response_id", None)
