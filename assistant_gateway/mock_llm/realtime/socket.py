"""One Realtime connection: a client's events in, a played model's events out."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import orjson
from starlette.websockets import WebSocket, WebSocketDisconnect

from assistant_gateway.mock_llm.answer import Answer
from assistant_gateway.mock_llm.failures import GARBAGE, refusal, trouble
from assistant_gateway.mock_llm.pacing import Timing, paced
from assistant_gateway.mock_llm.realtime.events import (
    ClientEvent,
    Event,
    Item,
    ItemCreate,
    ItemDelete,
    ItemRetrieve,
    Misunderstood,
    ResponseCancel,
    ResponseCreate,
    SessionSettings,
    SessionUpdate,
    client_event,
    error_event,
    settings_after,
)
from assistant_gateway.mock_llm.realtime.items import ConversationItems
from assistant_gateway.mock_llm.realtime.response import ResponseEvents, wire
from assistant_gateway.mock_llm.request import ChatRequest
from assistant_gateway.timing.timeline import SECOND, sleep_until, wall_ns
from vehicle_bus.background_tasks import stopped

CUT_CODE = 1011
# A client with a wrong key is let in, gets an error event and is disconnected, as by OpenAI.
WRONG_KEY = 401
WRONG_KEY_CODE = 3000

Ask = Callable[[ChatRequest], Answer | None]


class RealtimeSocket:
    """Run with `await run()`; `ask` answers requests, `timing` says how fast."""

    def __init__(self, socket: WebSocket, ask: Ask, timing: Timing, session_id: str) -> None:
        self._socket = socket
        self._ask = ask
        self._timing = timing
        self._session_id = session_id
        self._settings = SessionSettings(model=socket.query_params.get("model", ""))
        self._items = ConversationItems()
        self._events = 0
        self._added = 0
        self._kept = 0
        self._response: ResponseEvents | None = None
        self._speaking: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve the connection until the client or a fault closes it."""
        if not await self._let_in():
            return
        await self._send(self._session("session.created"))
        async with asyncio.TaskGroup() as tasks:
            try:
                while True:
                    await self._take(await self._received(), tasks)
            except WebSocketDisconnect:
                if self._speaking is not None:
                    self._speaking.cancel()

    async def _let_in(self) -> bool:
        """Whether the client may stay: a script can refuse it."""
        asked_ns = wall_ns()
        nothing = self._items.request(self._settings)
        answer = self._ask(nothing.model_copy(update={"connecting": True}))
        if answer is None:
            await self._socket.accept()
            return True
        await sleep_until(asked_ns + round(answer.reply.delay_s * SECOND))
        if answer.reply.status not in (None, WRONG_KEY):
            await self._socket.send_denial_response(refusal(answer.reply, self._key))
            return False
        await self._socket.accept()
        if answer.reply.status == WRONG_KEY:
            error = trouble(answer.reply, self._key)
            await self._send({"type": "error", "error": {**error, "param": None, "event_id": None}})
            await self._socket.close(WRONG_KEY_CODE, f"{error['type']}.{error['code']}")
            return False
        return True

    async def _received(self) -> str | bytes:
        """The next frame of the client; text is usual, bytes will do."""
        frame = await self._socket.receive()
        if frame["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(frame.get("code", 1000))
        return frame.get("text") or frame.get("bytes") or ""

    async def _take(self, frame: str | bytes, tasks: asyncio.TaskGroup) -> None:
        sent: Any = None
        try:
            sent = _decoded(frame)
            await self._handle(client_event(sent), tasks)
        except Misunderstood as problem:
            caused_by = sent.get("event_id") if isinstance(sent, dict) else None
            await self._send(error_event(problem, caused_by))

    async def _handle(self, event: ClientEvent, tasks: asyncio.TaskGroup) -> None:
        match event:
            case SessionUpdate(session=change):
                self._settings = settings_after(self._settings, change)
                await self._send(self._session("session.updated"))
            case ItemCreate(item=item, previous_item_id=after):
                await self._add(item, after)
            case ItemDelete(item_id=item_id):
                self._items.delete(item_id)
                await self._send({"type": "conversation.item.deleted", "item_id": item_id})
            case ItemRetrieve(item_id=item_id):
                item = self._items.get(item_id)
                await self._send({"type": "conversation.item.retrieved", "item": wire(item)})
            case ResponseCreate(response=change):
                await self._begin(settings_after(self._settings, change), tasks)
            case ResponseCancel(response_id=response_id):
                await self._cancel(response_id)

    async def _add(self, item: Item, after: str | None) -> None:
        self._added += 1
        named = item.model_copy(update={"id": item.id or f"item_{self._added}"})
        previous = self._items.add(named, after)
        place = {"previous_item_id": previous, "item": wire(named)}
        await self._send({"type": "conversation.item.added", **place})
        await self._send({"type": "conversation.item.done", **place})

    # --- one response at a time

    async def _begin(self, settings: SessionSettings, tasks: asyncio.TaskGroup) -> None:
        asked_ns = wall_ns()
        if self._response is not None:
            raise Misunderstood(
                f"Conversation already has an active response in progress: {self._response.id}",
                "conversation_already_has_active_response",
            )
        answer = self._ask(self._items.request(settings))
        if answer is None:
            raise Misunderstood("no rule of the script matches this conversation")
        items = self._items.items
        response = self._response = ResponseEvents(answer, items[-1].id if items else None)
        self._kept = 0
        await self._send(response.created())
        speaking = self._speak(response, answer, asked_ns)
        self._speaking = tasks.create_task(speaking, name=response.id)

    async def _speak(self, response: ResponseEvents, answer: Answer, asked_ns: int) -> None:
        with suppress(WebSocketDisconnect):
            if answer.reply.status is not None:
                await sleep_until(asked_ns + round(answer.reply.delay_s * SECOND))
                await self._finish(response, "failed", {"error": trouble(answer.reply, self._key)})
                return
            plan = paced(answer, self._timing)
            await sleep_until(asked_ns + plan.first_ns)
            if answer.reply.fault == "garbage":
                await self._socket.send_text(GARBAGE)
            cut = answer.reply.fault == "cut"
            for fragment in plan.fragments[: len(plan.fragments) // 2] if cut else plan.fragments:
                await sleep_until(asked_ns + fragment.after_ns)
                await self._tell(response, response.say(fragment))
            if cut:
                await self._socket.close(CUT_CODE)
            else:
                await self._finish(response, "completed")

    async def _cancel(self, response_id: str | None) -> None:
        response, speaking = self._response, self._speaking
        if response is None or speaking is None or response_id not in (None, response.id):
            raise Misunderstood(
                "Cancellation failed: no active response found", "response_cancel_not_active"
            )
        await stopped(speaking)
        await self._finish(response, "cancelled", {"reason": "client_cancelled"})

    async def _finish(
        self, response: ResponseEvents, status: str, details: dict[str, Any] | None = None
    ) -> None:
        # The reader of the last event may ask for the next response at once.
        self._response = None
        await self._tell(response, response.done(status, details))

    async def _tell(self, response: ResponseEvents, events: Iterable[Event]) -> None:
        """Send events of a response; a client can refer to the items that it has finished."""
        events = list(events)
        for item in response.finished[self._kept :]:
            self._items.add(item)
        self._kept = len(response.finished)
        for event in events:
            await self._send(event)

    # --- out

    @property
    def _key(self) -> str:
        return self._socket.headers.get("authorization", "").removeprefix("Bearer ")

    def _session(self, kind: str) -> Event:
        known = {"object": "realtime.session", "id": self._session_id}
        return {"type": kind, "session": {**known, **self._settings.model_dump()}}

    async def _send(self, event: Event) -> None:
        self._events += 1
        numbered = {"event_id": f"event_{self._session_id}_{self._events}", **event}
        await self._socket.send_text(orjson.dumps(numbered).decode())


def _decoded(frame: str | bytes) -> Any:
    try:
        return orjson.loads(frame)
    except orjson.JSONDecodeError as error:
        raise Misunderstood(f"this is no JSON: {error}", "invalid_json") from error
