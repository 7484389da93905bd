"""One conversation with an A2A agent, which keeps the history itself."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from uuid import uuid4

from assistant_gateway.agents.a2a.messages import (
    A2aReply,
    Json,
    added_metrics,
    first_words,
    read,
    results,
    schemas,
    words,
)
from assistant_gateway.agents.remote import (
    NO_ANSWER,
    NO_OUTPUTS,
    AgentFailed,
    AgentUnavailable,
    CallPiece,
    Finished,
    Outputs,
    Piece,
    RemoteAgent,
    TextPiece,
)
from assistant_gateway.protocol import AgentMetrics, SessionStart
from assistant_gateway.server import NoAgent

NOT_MADE = "Not carried out: the driver began to speak. Make no calls; wait for the driver's words."
MOST_UNHEARD = 5  # messages with calls, one after the other, while the driver speaks

Send = Callable[[Json, float], Awaitable[Json]]
Failure = AgentFailed | AgentUnavailable | NoAgent


@dataclass(slots=True)
class A2aConversation(RemoteAgent):
    """One context of the agent.

    A2A knows no interruption: a message that was sent is answered, and calls get their results
    before the next words of the driver. So an interrupted exchange is finished first. A turn may
    take `timeout_s`, and each of its messages at least `patience_s`.
    """

    name: str
    start: SessionStart
    send: Send
    timeout_s: float
    tasks: asyncio.TaskGroup
    patience_s: float = 0.0
    context_id: str = field(default_factory=lambda: uuid4().hex)
    open_task: str | None = None
    _begun: bool = False
    _artifacts: set[str] = field(default_factory=set)
    _calls: tuple[CallPiece, ...] = ()  # without results so far
    _passed_on: set[str] = field(default_factory=set)
    _calls_made: int = 0
    _until_s: float = 0.0
    _exchange: asyncio.Task[A2aReply | Failure] | None = None
    _unreported: Json | None = None

    async def heard(self, text: str, late: Outputs = NO_OUTPUTS) -> AsyncGenerator[Piece]:
        self._until_s = asyncio.get_running_loop().time() + self.timeout_s
        await self._finish_interrupted(late)
        start = self.start
        message = words(text) if self._begun else first_words(start.instructions, text, start.tools)
        async for piece in self._pieces(message):
            yield piece

    def answered(self, outputs: Outputs) -> AsyncGenerator[Piece]:
        return self._pieces(results(self._calls, outputs))

    def interrupted(self, heard_text: str) -> None:
        """Nothing can be sent; the agent learns of it from the driver's next words."""

    def hang_up(self) -> None:
        """Wait for nothing any more."""
        if self._exchange is not None:
            self._exchange.cancel()

    async def _pieces(self, message: Json) -> AsyncGenerator[Piece]:
        """Send a message; the agent's reply in pieces."""
        reply = await self._exchanged(message)
        if reply.text:
            yield TextPiece(reply.text, "progress" if reply.calls else "content")
        for call in reply.calls:
            self._passed_on.add(call.call_id)
            yield call
        usage = None
        if reply.turn_metrics is not None:
            usage, self._unreported = self._unreported, None
        yield Finished(usage, reply.reasoning, _metrics(reply.turn_metrics))

    async def _finish_interrupted(self, late: Outputs) -> None:
        """Finish the exchange that was interrupted; its words are dropped."""
        if self._exchange is not None:
            await self._reply()
        for _ in range(MOST_UNHEARD):
            if not self._calls:
                return
            outputs = {
                call.call_id: NO_ANSWER if call.call_id in self._passed_on else NOT_MADE
                for call in self._calls
            }
            await self._exchanged(results(self._calls, {**outputs, **late}))
        if self._calls:
            raise AgentFailed(f"{MOST_UNHEARD} messages in a row made calls while the driver spoke")

    async def _exchanged(self, message: Json) -> A2aReply:
        """The reply to a message; the exchange goes on if its caller is cancelled."""
        exchange = self._send_and_read(message)
        self._exchange = self.tasks.create_task(exchange, name=f"{self.name} answers")
        return await self._reply()

    async def _reply(self) -> A2aReply:
        assert self._exchange is not None
        reply = await asyncio.shield(self._exchange)
        self._exchange = None
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def _send_and_read(self, message: Json) -> A2aReply | Failure:
        """One message and its reply, or the reason why there is none."""
        message |= {"messageId": uuid4().hex, "contextId": self.context_id}
        if self.open_task is not None:
            message["taskId"] = self.open_task
        left_s = self._until_s - asyncio.get_running_loop().time()
        try:
            response = await self.send(message, max(0.001, self.patience_s, left_s))
            known = schemas(self.start.tools)
            reply = read(response, known, old_artifacts=self._artifacts, calls=self._calls_made)
        except (AgentFailed, AgentUnavailable, NoAgent) as failure:
            return failure
        self._begun = True
        self.context_id = reply.context_id or self.context_id
        self.open_task = reply.open_task
        self._artifacts |= reply.artifacts
        self._calls = reply.calls
        self._calls_made += len(reply.calls)
        if reply.turn_metrics is not None:
            self._unreported = added_metrics(self._unreported, reply.turn_metrics)
        return reply


def _metrics(reported: Json | None) -> AgentMetrics | None:
    """Time that the agent's model took in this turn, if the agent reports it."""
    requests, each_ms = ((reported or {}).get(n) for n in ("num_llm_calls", "avg_llm_call_time_ms"))
    if not isinstance(requests, int) or not isinstance(each_ms, int | float):
        return None
    return AgentMetrics(model_ms=requests * each_ms)
