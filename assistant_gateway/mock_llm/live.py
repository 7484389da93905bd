"""One Live connection: a voice that never falls silent, whose clock is the sound that it hears.

For each stretch of sound that comes it sends one as long, with what it says or with silence in it.
Tools are used by a model behind it, which is played like any other.
"""

import asyncio
import binascii
from base64 import b64decode, b64encode
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import orjson
from starlette.websockets import WebSocket, WebSocketDisconnect

from assistant_gateway.agents.speaking_front import FrontVoice
from assistant_gateway.mock_llm.answer import Answer
from assistant_gateway.mock_llm.failures import trouble
from assistant_gateway.mock_llm.pacing import Timing, paced
from assistant_gateway.mock_llm.realtime.events import (
    CallItem,
    Event,
    MessageItem,
    Misunderstood,
    OutputItem,
    Part,
    SessionSettings,
    SoundSettings,
    error_event,
    settings_after,
)
from assistant_gateway.mock_llm.realtime.items import ConversationItems
from assistant_gateway.mock_llm.realtime.known_speech import KeptSpeech
from assistant_gateway.mock_llm.realtime.socket import Ask
from assistant_gateway.mock_llm.realtime.sound import ClientSound, whole_sentences
from assistant_gateway.sound.gate import Interval
from assistant_gateway.sound.pcm import BadSound, Samples, silence, to_bytes
from assistant_gateway.sound.voice import INSTALL
from assistant_gateway.sound.word_times import spread
from assistant_gateway.timing.timeline import sleep_until, wall_ns
from vehicle_bus.background_tasks import stopped


@dataclass(slots=True)
class Sentence:
    """What is being said, or is going to be; `said` counts samples that were sent."""

    text: str
    samples: Samples
    said: int = 0

    @property
    def heard(self) -> str:
        words = spread(self.text.split(), Interval(0, len(self.samples)))
        return " ".join(word.word for word in words if word.ends_ns <= self.said)


@dataclass(slots=True)
class Delegated:
    """The conversation of the model behind the voice."""

    settings: SessionSettings
    items: ConversationItems = field(default_factory=ConversationItems)
    count: int = 0

    def add(self, item: MessageItem | CallItem | OutputItem) -> None:
        self.count += 1
        self.items.add(item.model_copy(update={"id": f"item_{self.count}"}))


class LiveSocket:
    """Run with `await run()`; needs a voice."""

    def __init__(
        self,
        socket: WebSocket,
        ask: Ask,
        timing: Timing,
        session_id: str,
        voice: FrontVoice | None,
        kept: KeptSpeech | None,
    ) -> None:
        self._socket = socket
        self._ask = ask
        self._timing = timing
        self._session_id = session_id
        self._voice = voice
        self._delegated: Delegated | None = None
        self._client = ClientSound(SoundSettings(), kept)
        self._saying: deque[Sentence] = deque()
        self._answering: asyncio.Task[None] | None = None
        self._events = 0

    async def run(self) -> None:
        """Serve the connection until the client closes it."""
        await self._socket.accept()
        async with asyncio.TaskGroup() as tasks:
            try:
                while True:
                    await self._take(orjson.loads(await self._socket.receive_text()), tasks)
            except (WebSocketDisconnect, orjson.JSONDecodeError):
                await stopped(self._answering)

    async def _take(self, sent: Any, tasks: asyncio.TaskGroup) -> None:
        try:
            await self._handle(sent, tasks)
        except Misunderstood as problem:
            await self._send(error_event(problem))

    async def _handle(self, sent: Any, tasks: asyncio.TaskGroup) -> None:
        kind = sent.get("type") if isinstance(sent, dict) else None
        if kind == "session.start":
            await self._start(sent.get("session") or {})
            return
        delegated = self._delegated
        if delegated is None:
            raise Misunderstood("send session.start first", "session_not_started")
        match kind:
            case "session.input_audio.append":
                await self._hear(str(sent.get("audio")), delegated, tasks)
            case "response.item.create":
                item = sent.get("item") or {}
                output = OutputItem(call_id=item.get("call_id", ""), output=item.get("output", ""))
                delegated.add(output)
            case "response.create":
                self._answer(delegated, tasks)
            case "session.close":
                await self._send({"type": "session.closed"})
            case _:
                raise Misunderstood(f"{kind!r} is not understood by this server", "invalid_value")

    async def _start(self, session: dict[str, Any]) -> None:
        if self._voice is None:
            raise Misunderstood(f"this server has no voice: {INSTALL}", "invalid_value")
        model = (session.get("delegation") or {}).get("responses") or {}
        given = {name: model.get(name) for name in ("model", "instructions", "tools")}
        self._delegated = Delegated(settings_after(SessionSettings(), given))
        await self._send(
            {"type": "session.started", "session": {**session, "id": self._session_id}}
        )

    async def _hear(self, audio: str, delegated: Delegated, tasks: asyncio.TaskGroup) -> None:
        try:
            content = b64decode(audio, validate=True)
            turns = self._client.add(content)
        except (binascii.Error, BadSound) as error:
            raise Misunderstood(f"audio: {error}", "invalid_value", "audio") from error
        for turn in turns:
            if turn.kind == "started":
                await self._stop(delegated)
            else:
                words = Part(type="input_text", text=self._client.utterance())
                delegated.add(MessageItem(role="user", content=(words,)))
                self._answer(delegated, tasks)
        await self._speak(len(content) // 2, delegated)

    async def _stop(self, delegated: Delegated) -> None:
        """The driver speaks: what was not said is not said any more."""
        await stopped(self._answering)
        while self._saying:
            self._was_said(self._saying.popleft(), delegated)

    def _was_said(self, sentence: Sentence, delegated: Delegated) -> None:
        if heard := sentence.heard:
            text = Part(type="output_text", text=f"{heard} ")
            delegated.add(MessageItem(role="assistant", content=(text,)))

    async def _speak(self, count: int, delegated: Delegated) -> None:
        sent = silence(0)
        while self._saying and len(sent) < count:
            sentence = self._saying[0]
            if not sentence.said:
                said = {"delta": sentence.text, "start_ms": 0, "end_ms": 0}
                await self._send({"type": "session.output_transcript.delta", **said})
            part = sentence.samples[sentence.said : sentence.said + count - len(sent)]
            sent, sentence.said = sent + part, sentence.said + len(part)
            if sentence.said == len(sentence.samples):
                self._was_said(self._saying.popleft(), delegated)
        sent += silence(count - len(sent))
        audio = b64encode(to_bytes(sent)).decode("ascii")
        await self._send({"type": "session.output_audio.delta", "delta": audio})

    def _answer(self, delegated: Delegated, tasks: asyncio.TaskGroup) -> None:
        asked_ns = wall_ns()
        answer = self._ask(delegated.items.request(delegated.settings))
        if answer is None:
            raise Misunderstood("no rule of the script matches this conversation")
        self._answering = tasks.create_task(self._respond(answer, asked_ns, delegated))

    async def _respond(self, answer: Answer, asked_ns: int, delegated: Delegated) -> None:
        assert self._voice is not None
        await sleep_until(asked_ns + paced(answer, self._timing).first_ns)
        if answer.reply.status is not None:
            await self._send({"type": "error", "error": trouble(answer.reply, "")})
            return
        whole, rest = whole_sentences(answer.text or answer.refusal or "")
        for number, text in enumerate([*whole, rest] if rest.strip() else whole):
            samples = await self._voice.sound(" ".join(text.split()), first=not number)
            if samples:
                self._saying.append(Sentence(text, samples))
        for call in answer.calls:
            item = CallItem(name=call.name, call_id=call.call_id, arguments=call.arguments)
            delegated.add(item)
            await self._respond_event("response.output_item.done", item=item.model_dump())
        usage = {"input_tokens": answer.usage.input, "output_tokens": answer.usage.output}
        await self._respond_event("response.completed", response={"usage": usage})

    async def _respond_event(self, kind: str, **fields: Any) -> None:
        event = {"type": kind, **fields}
        await self._send({"type": "response.event", "delegation_id": "1", "event": event})

    async def _send(self, event: Event) -> None:
        self._events += 1
        numbered = {"event_id": f"event_{self._session_id}_{self._events}", **event}
        await self._socket.send_text(orjson.dumps(numbered).decode())
