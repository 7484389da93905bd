"""A connection to one Realtime conversation: one response at a time, known by its id."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from openai import AsyncOpenAI, OpenAIError
from openai.resources.realtime.realtime import AsyncRealtimeConnection
from openai.types.realtime import (
    ConversationItemParam,
    InputAudioBufferSpeechStartedEvent,
    InputAudioBufferSpeechStoppedEvent,
    RealtimeError,
    RealtimeErrorEvent,
    RealtimeServerEvent,
    RealtimeSessionCreateRequestParam,
    ResponseAudioDeltaEvent,
    ResponseAudioTranscriptDeltaEvent,
    ResponseCreatedEvent,
    ResponseDoneEvent,
    ResponseTextDeltaEvent,
)
from websockets.exceptions import WebSocketException

from assistant_gateway.agents.realtime.errors import INVALID_REQUEST, Failure, lost, meaning_of
from assistant_gateway.agents.remote import AgentFailed, AgentUnavailable
from assistant_gateway.models.errors import UNREADABLE, ModelUnusable
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
# The library prepares to read a kind of event at its first: before a turn, not in it.
REHEARSED = (
    b'{"type": "conversation.item.added", "item": {"type": "message", "role": "user"}}',
    b'{"type": "response.created", "response": {}}',
    b'{"type": "response.output_item.added", "item": {"type": "message", "role": "assistant"}}',
    b'{"type": "response.output_item.added", "item": {"type": "function_call"}}',
    b'{"type": "response.output_text.delta"}',
    b'{"type": "response.output_audio_transcript.delta"}',
    b'{"type": "response.output_audio.delta"}',
    b'{"type": "response.function_call_arguments.done"}',
    b'{"type": "response.done", "response": {"usage": {}, "status_details": {}}}',
)
AHEAD = 256  # events that wait for the agent at most
UNASKED = 16_384  # those of a response that nobody has asked for yet
WORDS = (ResponseTextDeltaEvent, ResponseAudioTranscriptDeltaEvent, ResponseAudioDeltaEvent)
CONNECT_S = 8.0  # the gateway waits ten seconds for an agent to be ready
NOT_ACTIVE = "response_cancel_not_active"
BROKEN = (WebSocketException, OpenAIError, OSError, TimeoutError, *UNREADABLE)


class DriverTurns(Protocol):
    """Is told when the server notices that the driver begins to speak, and has finished."""

    async def driver_begins(self) -> None: ...

    async def driver_ends(self) -> None: ...


@dataclass(eq=False, slots=True)
class PendingResponse:
    """A response that is asked for: its events as they arrive, or the failure.

    It is `over` after its last event, and before it was asked for.
    """

    event_ids: list[str] = field(default_factory=list)
    response_id: str | None = None
    dropped: bool = False
    unwanted: bool = False
    over: bool = True
    _events: asyncio.Queue[RealtimeServerEvent | Failure] = field(
        default_factory=lambda: asyncio.Queue(AHEAD)
    )

    @property
    def exhausted(self) -> bool:
        """Whether nothing more will come."""
        return self.over and self._events.empty()

    async def event(self) -> RealtimeServerEvent:
        """The next event; raises the failure if there is one."""
        event = await self._events.get()
        if isinstance(event, Exception):
            raise event
        return event

    async def put(self, event: RealtimeServerEvent | Failure) -> None:
        """Waits for room, and so does the socket; words of a dropped response are left out."""
        if not (self.dropped and isinstance(event, WORDS)):
            await self._events.put(event)


class RealtimeConnection:
    """Get one from `realtime_connection`; to send on a broken one raises what broke it."""

    def __init__(self, socket: AsyncRealtimeConnection, choice: ModelChoice) -> None:
        self._socket = socket
        self._choice = choice
        self._pending: PendingResponse | None = None
        self._unasked: PendingResponse | None = None
        self._changed = asyncio.Event()
        self._broken: Failure | None = None
        self._sent = 0
        self.turns: DriverTurns | None = None  # if the server finds out who has the floor

    async def ask(self, pending: PendingResponse, items: Sequence[ConversationItemParam]) -> None:
        """Add items to the conversation and let the model respond to it."""
        self._pending = pending
        for item in items:
            pending.event_ids.append(self._next_id())
            await self._do(
                self._socket.conversation.item.create(item=item, event_id=pending.event_ids[-1])
            )
        pending.event_ids.append(self._next_id())
        pending.over = False
        await self._do(self._socket.response.create(event_id=pending.event_ids[-1]))

    async def drop(self, pending: PendingResponse) -> None:
        """Cancel a response; its last events still arrive."""
        pending.dropped = True
        with suppress(AgentFailed, AgentUnavailable, ModelUnusable):
            await self._cancel(pending)

    async def begun(self) -> PendingResponse:
        """The response that the server has begun by itself, or begins next."""
        while self._unasked is None:
            if self._broken is not None:
                raise self._broken
            self._changed.clear()
            await self._changed.wait()
        claimed, self._unasked = self._unasked, None
        return claimed

    async def hear(self, audio: str) -> None:
        """Send samples; a broken connection is noticed by who waits for an answer."""
        with suppress(AgentFailed, AgentUnavailable, ModelUnusable):
            await self._do(self._socket.input_audio_buffer.append(audio=audio))

    async def forget_sound(self) -> None:
        """What was heard so far is no part of what the driver is going to say."""
        with suppress(AgentFailed, AgentUnavailable, ModelUnusable):
            await self._do(self._socket.input_audio_buffer.clear())

    async def commit(self) -> None:
        """The driver has finished: what was heard becomes an item."""
        await self._do(self._socket.input_audio_buffer.commit())

    async def truncate(self, item_id: str, played_ms: int) -> None:
        """Of what was said in an item only so much was heard."""
        item = self._socket.conversation.item
        await self._do(item.truncate(item_id=item_id, content_index=0, audio_end_ms=played_ms))

    async def add(self, item: ConversationItemParam) -> None:
        """Put an item at the end of the conversation."""
        await self._do(self._socket.conversation.item.create(item=item))

    async def delete(self, item_id: str) -> None:
        """Take an item out of the conversation."""
        await self._do(self._socket.conversation.item.delete(item_id=item_id))

    async def listen(self) -> None:
        """Take in events until the connection ends."""
        failure: Failure
        try:
            async for event in self._socket:
                await self._take(event)
            failure = AgentUnavailable(f"{self._choice.name}: the server closed the connection")
        except BROKEN as error:
            failure = lost(self._choice, error)
        self._broken = self._broken or failure
        self._changed.set()
        if self._pending is not None:
            self._pending.over = True
            await self._pending.put(failure)

    async def _take(self, event: RealtimeServerEvent) -> None:
        pending = self._pending
        if isinstance(event, RealtimeErrorEvent):
            await self._complaint(event.error)
        elif isinstance(event, InputAudioBufferSpeechStartedEvent) and self.turns:
            await self._drop_unasked()
            await self.turns.driver_begins()
        elif isinstance(event, InputAudioBufferSpeechStoppedEvent) and self.turns:
            await self.turns.driver_ends()
        elif isinstance(event, ResponseCreatedEvent) and self._is_unasked:
            events: asyncio.Queue[RealtimeServerEvent | Failure] = asyncio.Queue(UNASKED)
            self._pending = PendingResponse(
                response_id=event.response.id, over=False, _events=events
            )
            self._unasked = self._pending
            self._changed.set()
        elif pending is None or pending.over:
            log.debug("%s between two responses", event.type)
        elif isinstance(event, ResponseCreatedEvent) and pending.response_id is None:
            pending.response_id = event.response.id
            if pending.dropped:
                await self._cancel(pending)
        elif _response_id(event) == pending.response_id is not None:
            pending.over = isinstance(event, ResponseDoneEvent)
            await pending.put(event)
            if pending.over and pending.unwanted:
                await self._delete_all(pending)

    @property
    def _is_unasked(self) -> bool:
        """Whether a response that begins now was begun by the server."""
        pending = self._pending
        waited_for = pending is not None and not pending.over and pending.response_id is None
        return self.turns is not None and not waited_for

    async def _drop_unasked(self) -> None:
        """The driver had not finished: what was answered to half of his words never happened."""
        unwanted, self._unasked = self._unasked, None
        if unwanted is not None:
            unwanted.unwanted = True
            await self.drop(unwanted)
            if unwanted.over:
                await self._delete_all(unwanted)

    async def _delete_all(self, unwanted: PendingResponse) -> None:
        while not unwanted.exhausted:
            event = await unwanted.event()
            if isinstance(event, ResponseDoneEvent):
                for item in event.response.output or ():
                    if item.id:
                        await self.delete(item.id)

    async def _complaint(self, error: RealtimeError) -> None:
        """An `error` leaves the connection open; what it means depends on what caused it."""
        pending, known = self._pending, error.event_id
        failure = meaning_of(self._choice, error.type, error.code, error.message)
        caused = pending is not None and (
            known in pending.event_ids or (not known and error.type != INVALID_REQUEST)
        )
        if pending is None or pending.over or not caused:
            if error.code != NOT_ACTIVE:
                log.warning("%s", failure)
            return
        pending.over = known == pending.event_ids[-1]
        await pending.put(failure)

    async def _cancel(self, pending: PendingResponse) -> None:
        if pending.response_id is not None and not pending.over:
            await self._do(self._socket.response.cancel(response_id=pending.response_id))

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
async def realtime_connection(
    client: AsyncOpenAI, choice: ModelChoice, session: RealtimeSessionCreateRequestParam
) -> AsyncIterator[RealtimeConnection]:
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
        opened = RealtimeConnection(connection, choice)
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        listening = tasks.create_task(opened.listen(), name=f"listening to {choice.name}")
        stack.callback(listening.cancel)
        yield opened


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
