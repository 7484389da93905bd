"""Connects an assistant behind an API to a gateway; one task per turn.

An adapter opens a `RemoteAgent` per session. What it streams is forwarded as it arrives, so what is
measured is the time of the model, not of the adapter.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from assistant_gateway.peer import Peer, agent_peer
from assistant_gateway.protocol import (
    AgentMetrics,
    ErrorFrame,
    Frame,
    InputTranscriptFinal,
    Interrupt,
    ResponseDone,
    ResponseTextDelta,
    SessionEnded,
    SessionReady,
    SessionStart,
    SpeechKind,
    ToolCall,
    ToolResult,
)

FITS = 8_000  # characters that fit a frame however they have to be written
CAPABILITIES = {"lockstep": False, "speech_events": False, "partials": False}


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Some words of the answer, as they arrived."""

    text: str
    kind: SpeechKind = "content"


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A whole tool call; `call_id` is the model's own."""

    call_id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Finished:
    """The message is over; the fields are those of `response.done`, besides `metrics`."""

    usage: dict[str, Any] | None = None
    reasoning: str | None = None
    metrics: AgentMetrics | None = None
    status: Literal["completed", "cancelled", "incomplete"] = "completed"
    reason: str | None = None


Piece = TextPiece | CallPiece | Finished


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """What a call came to: the exact text of the tool, or the error that stands in for it."""

    call_id: str
    output: str


class AgentFailed(Exception):
    """The agent cannot answer, and it is its own doing: the unit is failed."""


class AgentUnavailable(Exception):
    """The agent cannot answer because what it lives on is away: the unit is nobody's failure."""


class RemoteAgent(Protocol):
    """One conversation with an assistant behind an API.

    Each stream is one message of the assistant and ends with `Finished`; it is closed half-way when
    the driver interrupts. Streams raise `AgentFailed` or `AgentUnavailable`.
    """

    name: str

    def heard(self, text: str, late: Sequence[CallAnswer] = ()) -> AsyncGenerator[Piece]:
        """The driver has said something and waits.

        `late` are answers to calls of the turn before that came when it had been cut short; other
        calls of its last message have none.
        """
        ...

    def answered(self, answers: Sequence[CallAnswer]) -> AsyncGenerator[Piece]:
        """All calls of the last message have answered, in the order they were made."""
        ...

    def interrupted(self, heard_text: str) -> None:
        """The turn is over, its message complete or not; the driver heard just this of it."""
        ...


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


@dataclass(slots=True)
class _Session:
    peer: Peer
    agent: RemoteAgent
    turn: int | None = None
    messages: int = 0
    open_message: bool = False
    open_calls: dict[str, asyncio.Future[str]] = field(default_factory=dict)
    waiting: list[tuple[str, asyncio.Future[str]]] = field(default_factory=list)

    async def run(self, frames: AsyncIterator[Frame]) -> None:
        """Deal with one session until it ends or the gateway is gone."""
        await self.peer.send(SessionReady(name=self.agent.name, capabilities=CAPABILITIES))
        async with asyncio.TaskGroup() as tasks:
            turn: asyncio.Task[None] | None = None
            async for frame in frames:
                match frame.body:
                    case InputTranscriptFinal(text=text):
                        if await self._cut_short(turn):
                            self.agent.interrupted("")
                        self.turn = frame.turn
                        turn = tasks.create_task(
                            self._turn(text, self._answers_so_far()), name=f"turn {self.peer.sid}"
                        )
                    case ToolResult() as result if frame.cid in self.open_calls:
                        answer = self.open_calls.pop(frame.cid)
                        if not answer.done():
                            answer.set_result(result.error or result.output)
                    case Interrupt(heard_text=heard):
                        await self._cut_short(turn)
                        self.agent.interrupted(heard)
                        turn = None
                    case SessionEnded():
                        break
            await self._stopped(turn)

    async def _cut_short(self, turn: asyncio.Task[None] | None) -> bool:
        """Close what is still streaming, and say so; whether the turn was still going on.

        Of a message that had not begun, or was complete, nobody waits for an end: told late, it
        would be the end of the next one.
        """
        stopped = await self._stopped(turn)
        if self.open_message:
            await self._send(ResponseDone(status="cancelled", reason="interrupted"))
        return stopped

    async def _stopped(self, turn: asyncio.Task[None] | None) -> bool:
        if turn is None or turn.done():
            return False
        turn.cancel()
        await asyncio.wait([turn])
        return True

    def _answers_so_far(self) -> list[CallAnswer]:
        """What the calls of the newest message came to; those without an answer are given up."""
        made = [CallAnswer(call_id, it.result()) for call_id, it in self.waiting if it.done()]
        self.open_calls.clear()
        self.waiting.clear()
        return made

    async def _turn(self, text: str, late: Sequence[CallAnswer]) -> None:
        try:
            answers = await self._message(self.agent.heard(text, late))
            while answers:
                answers = await self._message(self.agent.answered(answers))
        except AgentFailed as failed:
            await self._send(ResponseDone(status="failed", reason=str(failed)))
        except AgentUnavailable as away:
            await self._send(ErrorFrame(code="agent_unavailable", message=str(away), fatal=True))

    async def _message(self, pieces: AsyncGenerator[Piece]) -> list[CallAnswer]:
        """Forward one message; returns the answers to its calls, none if it hands over."""
        self.messages += 1
        finished = Finished()
        async with aclosing(pieces) as stream:
            async for piece in stream:
                match piece:
                    case TextPiece(said, kind):
                        for start in range(0, len(said), FITS):
                            part = said[start : start + FITS]
                            await self._send(ResponseTextDelta(delta=part, kind=kind))
                        await asyncio.sleep(0)  # what has come all at once holds up nobody else
                    case CallPiece(call_id, name, arguments):
                        if len(json.dumps(arguments)) > 4 * FITS:
                            raise AgentFailed(f"{name} was called with more than fits a frame")
                        cid = f"r{self.messages}.{len(self.waiting) + 1}"
                        answer = self.open_calls[cid] = asyncio.get_running_loop().create_future()
                        self.waiting.append((call_id, answer))
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
        if self.waiting:  # they may still be answered when the turn is cut short: none is cancelled
            await asyncio.wait([answer for _, answer in self.waiting])
        return self._answers_so_far()

    async def _send(self, body: Any, cid: str | None = None) -> None:
        if isinstance(body, ResponseTextDelta | ToolCall | ResponseDone):
            self.open_message = not isinstance(body, ResponseDone)
        await self.peer.send(body, turn=self.turn, rid=f"r{self.messages}", cid=cid)
