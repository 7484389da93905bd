"""Connects an assistant behind an API to a gateway; one task per turn.

An adapter opens a `RemoteAgent` per session. What it streams is forwarded as it arrives, so what is
measured is the time of the model, not of the adapter.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from assistant_gateway.peer import Peer, agent_peer
from assistant_gateway.protocol import (
    AgentMetrics,
    Body,
    ErrorFrame,
    Frame,
    InputAudioAppend,
    InputSpeechStarted,
    InputTranscriptFinal,
    Interrupt,
    ResponseAudioCleared,
    ResponseAudioDelta,
    ResponseDone,
    ResponseTextDelta,
    SessionEnded,
    SessionReady,
    SessionStart,
    SpeechKind,
    ToolCall,
    ToolResult,
)
from vehicle_bus.background_tasks import alone, stopped

FITS = 8_000  # characters that fit a frame however they have to be written
AUDIO_FITS = 48_000  # characters of base64 that fit one
CAPABILITIES = {"lockstep": False, "speech_events": False, "partials": False}
NO_ANSWER = "No answer came before the turn was cut short; look before you rely on it."
NO_OUTPUTS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Some words of the answer, as they arrived."""

    text: str
    kind: SpeechKind = "content"


@dataclass(frozen=True, slots=True)
class AudioPiece:
    """Samples of what was said, in base64; its words were sent before it."""

    audio: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A whole tool call; `call_id` is the model's own."""

    call_id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Finished:
    """The message is over; all fields but `metrics` are those of `response.done`."""

    usage: dict[str, Any] | None = None
    reasoning: str | None = None
    metrics: AgentMetrics | None = None
    status: Literal["completed", "cancelled", "incomplete"] = "completed"
    reason: str | None = None


Piece = TextPiece | AudioPiece | CallPiece | Finished
Tell = Callable[[Body], Awaitable[None]]
Outputs = Mapping[str, str]  # text of the tool, or error in its place, by id of the call


class AgentFailed(Exception):
    """The agent cannot answer, and that is its own mistake: the unit is failed."""


class AgentUnavailable(Exception):
    """The agent cannot answer because its server is away: the unit is not the agent's failure."""


class RemoteAgent(Protocol):
    """One conversation with an assistant behind an API.

    Each stream is one message of the assistant and ends with `Finished`; it is closed half-way when
    the driver interrupts. Streams raise `AgentFailed` or `AgentUnavailable`.
    """

    name: str

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What it says of itself in `session.ready`."""
        return CAPABILITIES

    def begin(self, tell: Tell) -> None:
        """The session begins; `tell` sends a frame between messages."""
        return

    async def hears(self, audio: str, until_ns: int) -> None:
        """Samples of the microphone, up to this time of the session."""
        return

    async def speech_begins(self) -> None:
        """The driver begins to speak."""
        return

    async def cleared(self, played_ms: int) -> None:
        """Nothing is played any more; so much of this turn was."""
        return

    def heard(self, text: str, late: Outputs = NO_OUTPUTS) -> AsyncGenerator[Piece]:
        """The driver has said something and waits.

        `late` are outputs of calls of the turn before that came after it was interrupted; other
        calls of its last message have none.
        """
        ...

    def answered(self, outputs: Outputs) -> AsyncGenerator[Piece]:
        """All calls of the last message have answered, in the order they were made."""
        ...

    def interrupted(self, heard_text: str) -> None:
        """The turn is over, its message complete or not; the driver heard just this of it."""
        return

    async def gave_up(self, outputs: Outputs) -> None:
        """After that; `outputs` are those of calls of its last message that have come so far."""
        return

    async def ended(self, reason: str, outputs: Outputs) -> None:
        """The session is over; `outputs` as in `gave_up`."""
        return


OpenSession = Callable[[SessionStart, str], AbstractAsyncContextManager[RemoteAgent]]


async def serve_remote(url: str, token: str, open_session: OpenSession) -> None:
    """Connect and take one session after the other until the gateway closes the socket."""
    async with agent_peer(url, token) as peer:
        frames = peer.frames()
        async for frame in frames:
            if isinstance(frame.body, SessionStart):
                peer.sid = frame.sid
                async with open_session(frame.body, frame.sid) as agent:
                    await _Session(peer, agent).run(frames)


async def serve_one(url: str, token: str, open_session: OpenSession) -> None:
    """Connect, take one session, and leave; errors of `open_session` come out as they are."""
    with alone():
        async with agent_peer(url, token) as peer:
            frames = peer.frames()
            async for frame in frames:
                if isinstance(frame.body, SessionStart):
                    peer.sid = frame.sid
                    async with open_session(frame.body, frame.sid) as agent:
                        await _Session(peer, agent).run(frames)
                    return


@dataclass(slots=True)
class _Session:
    peer: Peer
    agent: RemoteAgent
    turn: int | None = None
    messages: int = 0
    open_message: bool = False
    calls: dict[str, tuple[str, asyncio.Future[str]]] = field(default_factory=dict)  # by cid

    async def run(self, frames: AsyncIterator[Frame]) -> None:
        """Deal with one session until it ends or the gateway is gone."""
        self.agent.begin(self._tell)
        capabilities = dict(self.agent.capabilities)
        await self.peer.send(SessionReady(name=self.agent.name, capabilities=capabilities))
        async with asyncio.TaskGroup() as tasks:
            turn: asyncio.Task[None] | None = None
            async for frame in frames:
                match frame.body:
                    case InputAudioAppend(audio=audio, now_ns=now_ns):
                        await self.agent.hears(audio, now_ns)
                    case InputSpeechStarted():
                        await self.agent.speech_begins()
                    case ResponseAudioCleared(played_ms=played_ms):
                        await self.agent.cleared(played_ms)
                    case InputTranscriptFinal(with_seat=text):
                        if await self._interrupt(turn):
                            self.agent.interrupted("")
                        self.turn = frame.turn
                        turn = tasks.create_task(
                            self._turn(text, self._taken_outputs()), name=f"turn {self.peer.sid}"
                        )
                    case ToolResult() as result if frame.cid in self.calls:
                        _, answer = self.calls[frame.cid]
                        if not answer.done():
                            answer.set_result(result.error or result.output)
                    case Interrupt(heard_text=heard):
                        await self._interrupt(turn)
                        self.agent.interrupted(heard)
                        await self.agent.gave_up(self._known_outputs())
                        turn = None
                    case SessionEnded(reason=reason):
                        await self.agent.ended(reason, self._known_outputs())
                        break
            await stopped(turn)

    async def _interrupt(self, turn: asyncio.Task[None] | None) -> bool:
        """Stop the turn and end its open message; whether the turn was still going on.

        A message that had not begun, or was complete, gets no end: it would end the next one.
        """
        was_running = await stopped(turn)
        if self.open_message:
            await self._send(ResponseDone(status="cancelled", reason="interrupted"))
        return was_running

    def _known_outputs(self) -> Outputs:
        return {call_id: it.result() for call_id, it in self.calls.values() if it.done()}

    def _taken_outputs(self) -> Outputs:
        """Outputs of the last message's calls; calls without one are given up."""
        outputs = self._known_outputs()
        self.calls.clear()
        return outputs

    async def _turn(self, text: str, late: Outputs) -> None:
        try:
            outputs = await self._message(self.agent.heard(text, late))
            while outputs:
                outputs = await self._message(self.agent.answered(outputs))
        except AgentFailed as failed:
            await self._send(ResponseDone(status="failed", reason=str(failed)))
        except AgentUnavailable as away:
            await self._send(ErrorFrame(code="agent_unavailable", message=str(away), fatal=True))

    async def _message(self, pieces: AsyncGenerator[Piece]) -> Outputs:
        """Forward one message; returns the outputs of its calls, none if it hands over."""
        self.messages += 1
        finished = Finished()
        async with aclosing(pieces) as stream:
            async for piece in stream:
                match piece:
                    case TextPiece(text, kind):
                        for start in range(0, len(text), FITS):
                            part = text[start : start + FITS]
                            await self._send(ResponseTextDelta(delta=part, kind=kind))
                        await asyncio.sleep(0)  # a long text at once delays no other session
                    case AudioPiece(audio):
                        for start in range(0, len(audio), AUDIO_FITS):
                            part = audio[start : start + AUDIO_FITS]
                            await self._send(ResponseAudioDelta(audio=part))
                    case CallPiece(call_id, name, arguments):
                        if len(json.dumps(arguments)) > 4 * FITS:
                            raise AgentFailed(f"{name} was called with more than fits a frame")
                        cid = f"r{self.messages}.{len(self.calls) + 1}"
                        self.calls[cid] = (call_id, asyncio.get_running_loop().create_future())
                        await self._send(ToolCall(name=name, arguments=arguments), cid)
                    case Finished():
                        finished = piece
        if finished.metrics is not None:
            await self._send(finished.metrics)
        done = ResponseDone(
            status=finished.status,
            reason=finished.reason,
            usage=finished.usage,
            reasoning=finished.reasoning and finished.reasoning[:FITS],
        )
        await self._send(done)
        if self.calls:  # they may still be answered when the turn is cut short: none is cancelled
            await asyncio.wait([answer for _, answer in self.calls.values()])
        return self._taken_outputs()

    async def _tell(self, body: Body) -> None:
        await self.peer.send(body, turn=self.turn)

    async def _send(self, body: Any, cid: str | None = None) -> None:
        if isinstance(body, ResponseTextDelta | ResponseAudioDelta | ToolCall | ResponseDone):
            self.open_message = not isinstance(body, ResponseDone)
        await self.peer.send(body, turn=self.turn, rid=f"r{self.messages}", cid=cid)
