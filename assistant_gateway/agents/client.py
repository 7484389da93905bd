"""Connects a pure agent to a gateway: paces its answers by a latency model.

An answer that brings its own timing is sent just so. When a frame was planned for travels with it
as `due_ns`; except in lockstep (virtual time) it is waited for.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from assistant_gateway.agents.agent import Agent, AgentMessage, Call, TimedFrame, TimedMessage
from assistant_gateway.peer import Peer, agent_peer
from assistant_gateway.protocol import (
    Body,
    InputTranscriptFinal,
    Interrupt,
    ResponseDone,
    ResponseTextDelta,
    SessionEnded,
    SessionReady,
    SessionStart,
    ToolCall,
    ToolResult,
)
from assistant_gateway.timing.latency import LatencyModel
from assistant_gateway.timing.timeline import sleep_until, wall_ns
from vehicle_bus.background_tasks import stopped

CAPABILITIES = {"lockstep": True, "speech_events": False, "partials": False}


class PacedAgent(NamedTuple):
    """An agent for one session, and how fast it answers."""

    agent: Agent
    latency: LatencyModel


AgentOf = Callable[[str], PacedAgent]  # by session id


class Instant(NamedTuple):
    """One moment in session time, and on the wall clock."""

    t_ns: int
    wall_ns: int


BEGINNING = Instant(0, 0)


@dataclass(slots=True)
class AgentSession:
    """One session of an agent: frames that are not sent, calls and results of the turn."""

    agent: Agent
    latency: LatencyModel
    input_at: Instant = BEGINNING
    turn_at: Instant = BEGINNING
    message_at: Instant = BEGINNING
    turn: int | None = None
    messages: int = 0
    calls: int = 0
    unsent: list[TimedFrame] = field(default_factory=list)
    waiting: dict[str, Call] = field(default_factory=dict)
    results: list[tuple[Call, str]] = field(default_factory=list)

    def begin(self, start: SessionStart, sid: str) -> None:
        if self.latency.counts_prompt:
            self.latency.reads(len(start.instructions) + len(json.dumps(start.tools)))
        self.agent.begin(start, sid)

    def answer_to(self, body: Body, cid: str | None) -> AgentMessage | None:
        if isinstance(body, InputTranscriptFinal):
            self.input_at = self.turn_at = Instant(body.now_ns, wall_ns())
            self.waiting.clear()  # calls of a turn that is over
            self.results.clear()
            self.latency.reads(len(body.with_seat))
            return self.agent.on_heard(body.with_seat)
        if isinstance(body, ToolResult) and cid in self.waiting:
            self.input_at = Instant(body.now_ns, wall_ns())
            self.latency.reads(len(body.output))
            self.results.append((self.waiting.pop(cid), body.error or body.output))
            if not self.waiting:
                results, self.results = tuple(self.results), []
                return self.agent.on_results(results)
        return None

    def interrupted(self, heard: str, now_ns: int) -> None:
        """Drop what was not sent, or in lockstep was sent ahead and is not due by `now_ns`."""
        began_ns = self.message_at.t_ns
        unsent = [each for each in self.unsent if began_ns + each.after_ns > now_ns]
        calls = tuple(self.waiting[each.cid] for each in unsent if each.cid in self.waiting)
        text = "".join(
            each.body.delta for each in unsent if isinstance(each.body, ResponseTextDelta)
        )
        self.unsent.clear()
        self.waiting.clear()
        self.results.clear()
        unsaid = AgentMessage(text, calls) if calls or text else None
        self.agent.on_interrupted(heard, unsaid)

    def say(self, message: AgentMessage) -> str:
        """Plan the next message; returns its id."""
        self.message_at = self.turn_at if isinstance(message, TimedMessage) else self.input_at
        self.unsent = list(self.plan(message))
        return f"r{self.messages}"

    def plan(self, message: AgentMessage) -> Iterator[TimedFrame]:
        """The frames of one message, timed by itself or by the latency model."""
        self.messages += 1
        if isinstance(message, TimedMessage):
            yield from self._as_timed(message)
            return
        at_ns = first_ns = self.latency.first_token_ns()
        kind = "progress" if message.calls else "content"
        for piece in self.latency.pieces(message.text) if message.text else ():
            at_ns = first_ns + piece.after_ns
            yield TimedFrame(at_ns, ResponseTextDelta(delta=piece.text, kind=kind))
        for call in message.calls:
            at_ns += self.latency.arguments_ns(json.dumps(call.arguments))
            self.calls += 1
            cid = f"t{self.calls}"
            self.waiting[cid] = call
            yield TimedFrame(at_ns, ToolCall(name=call.name, arguments=call.arguments), cid)
        yield TimedFrame(at_ns, ResponseDone())

    def _as_timed(self, message: TimedMessage) -> Iterator[TimedFrame]:
        for planned in message.frames:
            if isinstance(planned.body, ToolCall) and planned.cid:
                self.waiting[planned.cid] = Call(planned.body.name, planned.body.arguments)
            yield planned


async def serve_agent(url: str, token: str, agent_of: AgentOf) -> None:
    """Connect and take one session after the other until the gateway closes the socket."""
    async with agent_peer(url, token) as peer, asyncio.TaskGroup() as tasks:
        session: AgentSession | None = None
        sending: asyncio.Task[None] | None = None
        async for frame in peer.frames():
            match frame.body:
                case SessionStart():
                    peer.sid, peer.lockstep = frame.sid, frame.body.lockstep
                    session = AgentSession(*agent_of(frame.sid))
                    session.begin(frame.body, frame.sid)
                    ready = SessionReady(name=session.agent.name, capabilities=CAPABILITIES)
                    await peer.send(ready)
                case SessionEnded():
                    await stopped(sending)
                    session = sending = None
                case Interrupt() as cut if session is not None:
                    await stopped(sending)
                    sending = None
                    session.interrupted(cut.heard_text, cut.now_ns if peer.lockstep else 0)
                case _ if session is not None:
                    message = session.answer_to(frame.body, frame.cid)
                    if message is not None:
                        session.turn = frame.turn
                        rid = session.say(message)
                        saying = _send(peer, rid, session)
                        if peer.lockstep:
                            await saying
                        else:
                            sending = tasks.create_task(saying, name=f"say {frame.sid}")


async def _send(peer: Peer, rid: str, session: AgentSession) -> None:
    # The next message may begin meanwhile, and replaces all three.
    since, turn, unsent = session.message_at, session.turn, session.unsent
    for planned in list(unsent):
        due_ns = since.t_ns + planned.after_ns
        if not peer.lockstep and planned.after_ns:
            await sleep_until(since.wall_ns + planned.after_ns)
        await peer.send(
            planned.body, turn=turn, rid=planned.rid or rid, cid=planned.cid, due_ns=due_ns
        )
        if not peer.lockstep:
            unsent.remove(planned)
