"""One Realtime connection: a client's events in, a played model's events out."""

import asyncio
import binascii
from base64 import b64decode
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import orjson
from starlette.websockets import WebSocket, WebSocketDisconnect

from assistant_gateway.agents.speaking_front import FrontVoice
from assistant_gateway.mock_llm.answer import Answer
from assistant_gateway.mock_llm.failures import GARBAGE, refusal, trouble
from assistant_gateway.mock_llm.pacing import Fragment, Timing, paced
from assistant_gateway.mock_llm.realtime.events import (
    AudioAppend,
    AudioClear,
    AudioCommit,
    ClientEvent,
    Event,
    Item,
    ItemCreate,
    ItemDelete,
    ItemRetrieve,
    ItemTruncate,
    MessageItem,
    Misunderstood,
    ResponseCancel,
    ResponseCreate,
    SessionSettings,
    SessionUpdate,
    SpokenPart,
    client_event,
    error_event,
    settings_after,
)
from assistant_gateway.mock_llm.realtime.items import ConversationItems
from assistant_gateway.mock_llm.realtime.known_speech import KeptSpeech
from assistant_gateway.mock_llm.realtime.response import ResponseEvents, wire
from assistant_gateway.mock_llm.realtime.sound import ClientSound, Loudspeaker, whole_sentences
from assistant_gateway.mock_llm.request import ChatRequest
from assistant_gateway.sound.pcm import BadSound
from assistant_gateway.sound.voice import INSTALL
from assistant_gateway.timing.timeline import SECOND, sleep_until, wall_ns
from vehicle_bus.background_tasks import stopped

CUT_CODE = 1011
# A client with a wrong key is let in, gets an error event and is disconnected, as by OpenAI.
WRONG_KEY = 401
WRONG_KEY_CODE = 3000

Ask = Callable[[ChatRequest], Answer | None]


class RealtimeSocket:
    """Run with `await run()`; `ask` answers requests, `timing` says how fast."""

    def __init__(
        self,
        socket: WebSocket,
        ask: Ask,
        timing: Timing,
        session_id: str,
        voice: FrontVoice | None = None,
        kept: KeptSpeech | None = None,
    ) -> None:
        self._voice = voice
        self._kept = kept
        self._socket = socket
        self._ask = ask
        self._timing = timing
        self._session_id = session_id
        self._settings = SessionSettings(model=socket.query_params.get("model", ""))
        self._items = ConversationItems()
        self._events = 0
        self._added = 0
        self._told = 0
        self._client = ClientSound(self._settings.audio, self._kept)
        self._loudspeaker = Loudspeaker(self._settings.audio, voice) if voice else None
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
                self._set_up(settings_after(self._settings, change))
                await self._send(self._session("session.updated"))
            case ItemCreate(item=item, previous_item_id=after):
                await self._add(item, after)
            case AudioAppend(audio=audio):
                await self._hear(audio, tasks)
            case AudioCommit():
                if not self._client.waiting_ms:
                    raise Misunderstood("nothing was heard", "input_audio_buffer_commit_empty")
                await self._commit()
            case AudioClear():
                self._client.clear()
                await self._send({"type": "input_audio_buffer.cleared"})
            case ItemTruncate():
                await self._truncate(event)
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

    # --- sound

    def _set_up(self, settings: SessionSettings) -> None:
        if settings.speaks and self._voice is None:
            raise Misunderstood(f"this server has no voice: {INSTALL}", "invalid_value")
        if settings.audio != self._settings.audio:
            self._client = ClientSound(settings.audio, self._kept)
            self._loudspeaker = Loudspeaker(settings.audio, self._voice) if self._voice else None
        self._settings = settings

    async def _hear(self, audio: str, tasks: asyncio.TaskGroup) -> None:
        try:
            turns = self._client.add(b64decode(audio, validate=True))
        except (binascii.Error, BadSound) as error:
            raise Misunderstood(f"audio: {error}", "invalid_value", "audio") from error
        detection = self._settings.audio.input.turn_detection
        for turn in turns if detection else ():
            if turn.kind == "started":
                await self._speech("started", audio_start_ms=turn.at_ms)
                if detection and detection.interrupt_response and self._response is not None:
                    await self._stop(self._response, "turn_detected")
                continue
            await self._speech("stopped", audio_end_ms=turn.at_ms)
            await self._commit()
            if detection and detection.create_response and self._response is None:
                await self._begin(self._settings, tasks)

    async def _speech(self, what: str, **at: int) -> None:
        coming = f"item_{self._added + 1}"
        await self._send({"type": f"input_audio_buffer.speech_{what}", "item_id": coming, **at})

    async def _commit(self) -> None:
        """What was heard becomes an item."""
        spoken = SpokenPart(type="input_audio", transcript=self._client.utterance())
        before = self._items.items[-1].id if self._items.items else None
        committed = {"previous_item_id": before, "item_id": f"item_{self._added + 1}"}
        await self._send({"type": "input_audio_buffer.committed", **committed})
        await self._add(MessageItem(role="user", content=(spoken,)), None)

    async def _truncate(self, event: ItemTruncate) -> None:
        item = self._items.get(event.item_id)
        if not isinstance(item, MessageItem) or item.role != "assistant" or not self._loudspeaker:
            raise Misunderstood("only what the model has said can be truncated", "invalid_value")
        if event.audio_end_ms > (lasts_ms := self._loudspeaker.lasts_ms(item.id)):
            raise Misunderstood(f"the item has only {lasts_ms} ms of sound", "invalid_value")
        heard = self._loudspeaker.heard(item.id, event.audio_end_ms)
        part = SpokenPart(type="output_audio", transcript=heard)
        self._items.replace(item.model_copy(update={"content": (part,)}))
        place = {"item_id": item.id, "content_index": 0, "audio_end_ms": event.audio_end_ms}
        await self._send({"type": "conversation.item.truncated", **place})

    async def _say(self, response: ResponseEvents, text: str, *, first: bool) -> bool:
        """A sentence: its words, then its sound; whether there is any."""
        await self._tell(response, response.say(Fragment(0, text)))
        assert self._loudspeaker is not None
        assert response.open is not None
        audible = False
        async for audio in self._loudspeaker.sound(response.open.id, text, first=first):
            audible = True
            await self._tell(response, response.sound(audio))
        return audible

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
        last = items[-1].id if items else None
        response = self._response = ResponseEvents(answer, last, spoken=settings.speaks)
        self._told = 0
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
            sentence, audible = "", False
            for fragment in plan.fragments[: len(plan.fragments) // 2] if cut else plan.fragments:
                await sleep_until(asked_ns + fragment.after_ns)
                if not response.spoken:
                    await self._tell(response, response.say(fragment))
                    continue
                whole, rest = whole_sentences(sentence + fragment.text)
                if fragment.call is not None:
                    whole, rest = [sentence] if sentence.strip() else [], ""
                for text in whole:
                    audible |= await self._say(response, text, first=not audible)
                sentence = rest
                if fragment.call is not None:
                    await self._tell(response, response.say(fragment))
            if sentence.strip():
                await self._say(response, sentence, first=not audible)
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
        await self._stop(response, "client_cancelled")

    async def _stop(self, response: ResponseEvents, reason: str) -> None:
        await stopped(self._speaking)
        if self._response is response:
            await self._finish(response, "cancelled", {"reason": reason})

    async def _finish(
        self, response: ResponseEvents, status: str, details: dict[str, Any] | None = None
    ) -> None:
        # The reader of the last event may ask for the next response at once.
        self._response = None
        await self._tell(response, response.done(status, details))

    async def _tell(self, response: ResponseEvents, events: Iterable[Event]) -> None:
        """Send events of a response; a client can refer to the items that it has finished."""
        events = list(events)
        for item in response.finished[self._told :]:
            self._items.add(item)
        self._told = len(response.finished)
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
