"""`live:MODEL`: a voice behind a Live API, which hears and speaks all the time.

The server decides alone when it speaks and when it stops. Tools are used by another model behind
it (Responses delegation); its calls come here. Nothing says where an answer ends: it has ended when
the voice was silent for a while and no call is open.
"""

import asyncio
from base64 import b64decode
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from openai import AsyncOpenAI
from openai.resources.live.live import AsyncLiveConnection
from openai.types.live import (
    ErrorEvent,
    OutputAudioDeltaEvent,
    OutputTranscriptDeltaEvent,
    ResponseEvent,
    SessionConfigParam,
)

from assistant_gateway.agents.chat.completion import UnreadableCall, written_call
from assistant_gateway.agents.chat.usage import Spending
from assistant_gateway.agents.realtime.connection import BROKEN, CONNECT_S, SOCKET
from assistant_gateway.agents.realtime.errors import Failure, lost, meaning_of
from assistant_gateway.agents.realtime.serving import AbsentAgent
from assistant_gateway.agents.remote import (
    NO_ANSWER,
    NO_OUTPUTS,
    AgentFailed,
    AgentUnavailable,
    AudioPiece,
    CallPiece,
    Finished,
    Outputs,
    Piece,
    RemoteAgent,
    TextPiece,
    serve_remote,
)
from assistant_gateway.models.errors import ModelUnusable
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.protocol import SessionStart
from assistant_gateway.sound.gate import audible
from assistant_gateway.sound.pcm import RATE, from_bytes

FRAME_MS = 100
ENDS_AFTER_MS = 1000  # of silence
AHEAD = 4096
MANNER = (
    "You are the voice of a car's assistant. Delegate whatever needs the car or facts, and say "
    "briefly what came of it."
)


@dataclass(frozen=True, slots=True)
class BackendDone:
    """The model behind the voice has finished a response."""

    usage: Mapping[str, Any]


Heard = Piece | BackendDone | Failure


class LiveAgent(RemoteAgent):
    """One conversation; get one from `live_agent`."""

    capabilities = {  # noqa: RUF012 - a constant
        "lockstep": False,
        "partials": False,
        "speech_events": False,
        "audio": {"input": {"frame_ms": FRAME_MS}, "output": {}, "turn_detection": "agent"},
    }

    def __init__(self, connection: AsyncLiveConnection, choice: ModelChoice, backend: str) -> None:
        self.name = f"live:{choice.name}"
        self._connection = connection
        self._choice = choice
        self._spending = Spending(backend)
        self._heard: asyncio.Queue[Heard] = asyncio.Queue(AHEAD)
        self._listens = False  # whether anybody hears what it says
        self._open: set[str] = set()  # calls without an output
        self._broken: Failure | None = None

    async def hears(self, audio: str, until_ns: int) -> None:
        if self._broken is None:
            try:
                await self._connection.session.input_audio.append(audio=audio)
            except BROKEN as error:
                self._broken = lost(self._choice, error)

    def heard(self, text: str, late: Outputs = NO_OUTPUTS) -> AsyncGenerator[Piece]:
        self._listens = True
        return self._message({})

    def answered(self, outputs: Outputs) -> AsyncGenerator[Piece]:
        return self._message(outputs)

    async def gave_up(self, outputs: Outputs) -> None:
        self._listens = False
        for call_id in list(self._open):
            await self._output(call_id, outputs.get(call_id, NO_ANSWER))

    async def _message(self, outputs: Outputs) -> AsyncGenerator[Piece]:
        for call_id, text in outputs.items():
            await self._output(call_id, text)
        if outputs:
            await self._connection.response.create()
        silent_ms, said, called, waits = 0, False, False, bool(outputs)
        while not (said and silent_ms >= ENDS_AFTER_MS and not called and not waits):
            heard = await self._next()
            match heard:
                case BackendDone(usage):
                    self._spending.request_sent()
                    self._spending.request_answered(usage)
                    waits = False
                    if called:
                        break
                case UnreadableCall() as call:
                    self._spending.note_unreadable([call])
                    await self._output(call.call_id, call.why)
                    await self._connection.response.create()
                case CallPiece(call_id):
                    called = True
                    self._open.add(call_id)
                    yield heard
                case AudioPiece(audio):
                    samples = from_bytes(b64decode(audio))
                    loud = bool(audible(samples))
                    said, silent_ms = said or loud, 0 if loud else silent_ms + _ms(len(samples))
                    yield heard
                case TextPiece():
                    yield heard
        self._listens = called
        self._spending.unreported += 1  # the minutes of the voice have no price: unknown, not zero
        yield Finished(self._spending.report())

    async def _next(self) -> Any:
        if self._broken is not None and self._heard.empty():
            raise self._broken
        heard = await self._heard.get()
        if isinstance(heard, Exception):
            raise heard
        return heard

    async def _output(self, call_id: str, text: str) -> None:
        self._open.discard(call_id)
        item = {"type": "function_call_output", "call_id": call_id, "output": text}
        try:
            await self._connection.response.item.create(item=item)  # type: ignore[arg-type]
        except BROKEN as error:
            self._broken = lost(self._choice, error)

    async def listen(self) -> None:
        """Take in events until the connection ends."""
        try:
            async for event in self._connection:
                await self._take(event)
            failure: Failure = AgentUnavailable(f"{self.name}: the server closed the connection")
        except BROKEN as error:
            failure = lost(self._choice, error)
        self._broken = failure
        await self._heard.put(failure)

    async def _take(self, event: object) -> None:
        match event:
            case OutputAudioDeltaEvent(delta=audio) if self._listens:
                await self._heard.put(AudioPiece(audio))
            case OutputTranscriptDeltaEvent(delta=words) if self._listens:
                await self._heard.put(TextPiece(self._choice.access.hide(words)))
            case ResponseEvent(event=nested):
                await self._backend(nested)
            case ErrorEvent(error=error):
                why = meaning_of(self._choice, error.type, error.code, error.message)
                await self._heard.put(why)

    async def _backend(self, nested: Mapping[str, Any]) -> None:
        match nested:
            case {"type": "response.output_item.done", "item": {"type": "function_call"} as item}:
                hide = self._choice.access.hide
                call = written_call(
                    str(item.get("call_id")),
                    hide(str(item.get("name") or "")),
                    hide(str(item.get("arguments") or "")),
                )
                if self._listens:
                    await self._heard.put(call)  # type: ignore[arg-type]
                else:
                    await self._output(call.call_id, NO_ANSWER)
            case {"type": "response.completed" | "response.incomplete", **more}:
                response = more.get("response")
                usage = (response or {}).get("usage") if isinstance(response, dict) else None
                usage = usage or {}
                tokens = {
                    "prompt_tokens": usage.get("input_tokens"),
                    "completion_tokens": usage.get("output_tokens"),
                }
                if self._listens:
                    await self._heard.put(BackendDone(tokens))
            case {"type": "response.failed"}:
                await self._heard.put(AgentUnavailable(f"{self.name}: the model behind it failed"))


def _ms(samples: int) -> int:
    return samples * 1000 // RATE


async def serve_live(url: str, token: str, *, model: ModelChoice, backend: str) -> None:
    """Answer at a gateway until it closes the socket; each session is a connection of its own."""
    async with AsyncOpenAI(
        api_key=model.access.key, base_url=model.access.base_url, max_retries=0
    ) as client:

        def session(start: SessionStart, _: str) -> AbstractAsyncContextManager[RemoteAgent]:
            return live_agent(client, model, start, backend)

        await serve_remote(url, token, session)


@asynccontextmanager
async def live_agent(
    client: AsyncOpenAI, choice: ModelChoice, start: SessionStart, backend: str
) -> AsyncIterator[RemoteAgent]:
    """An agent whose session has started before anything is measured."""
    name = f"live:{choice.name}"
    async with AsyncExitStack() as stack:
        agent: RemoteAgent
        try:
            if start.audio is None:
                raise AgentFailed(f"{name} only hears and speaks: add --speech audio")
            async with asyncio.timeout(CONNECT_S):
                connecting = client.live.connect(websocket_connection_options=SOCKET, max_retries=0)
                connection = await stack.enter_async_context(connecting)
                await connection.session.start(session=settings(start, choice.name, backend))
                await _started(connection, choice)
            agent = LiveAgent(connection, choice, backend)
            tasks = await stack.enter_async_context(asyncio.TaskGroup())
            listening = tasks.create_task(agent.listen(), name=f"listening to {name}")
            stack.callback(listening.cancel)
        except (AgentFailed, AgentUnavailable) as reason:
            agent = AbsentAgent(name, reason)
        except BROKEN as error:
            failure = lost(choice, error)
            if isinstance(failure, ModelUnusable):
                raise failure from None
            agent = AbsentAgent(name, failure)
        yield agent


def settings(start: SessionStart, model: str, backend: str) -> SessionConfigParam:
    """The voice delegates; instructions and tools are those of the model behind it."""
    functions = [tool["function"] for tool in start.tools]
    return {
        "model": model,
        "instructions": MANNER,
        "audio": {"format": {"type": "audio/pcm", "rate": RATE}},
        "delegation": {
            "type": "responses",
            "responses": {
                "model": backend,
                "instructions": start.instructions,
                "tools": [
                    {
                        "type": "function",
                        "name": function["name"],
                        "description": function.get("description", ""),
                        "parameters": function.get("parameters", {}),
                    }
                    for function in functions
                ],
            },
        },
    }


async def _started(connection: AsyncLiveConnection, choice: ModelChoice) -> None:
    async for event in connection:
        if isinstance(event, ErrorEvent):
            raise meaning_of(choice, event.error.type, event.error.code, event.error.message)
        if event.type == "session.started":
            return
    raise AgentUnavailable(f"{choice.name}: the server closed the connection at its start")
