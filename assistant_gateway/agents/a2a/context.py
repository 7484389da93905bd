"""A conversation with an A2A agent, which keeps the history; here is its thread."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from assistant_gateway.agents.a2a.messages import (
    Answer,
    Json,
    both_turns,
    first_words,
    read,
    results,
    schemas,
    words,
)
from assistant_gateway.agents.chat.history import NO_ANSWER
from assistant_gateway.agents.remote import (
    AgentFailed,
    AgentUnavailable,
    CallAnswer,
    CallPiece,
    Finished,
    Piece,
    TextPiece,
)
from assistant_gateway.protocol import AgentMetrics, SessionStart
from assistant_gateway.server import NoAgent

NOT_MADE = "Not carried out: the driver began to speak. Make no calls; wait for the driver's words."
UNHEARD = 5  # messages with calls, one after the other, to a driver who is speaking already

Send = Callable[[Json, float], Awaitable[Json]]
Trouble = AgentFailed | AgentUnavailable | NoAgent
TROUBLE = (AgentFailed, AgentUnavailable, NoAgent)


@dataclass(slots=True)
class Context:
    """One context of the agent.

    The boundary cannot interrupt: a message that was sent is answered, and calls get their results
    before the driver is heard again. So what the driver spoke over is brought to its end first.
    """

    name: str
    start: SessionStart
    send: Send
    timeout_s: float
    tasks: asyncio.TaskGroup
    context_id: str = field(default_factory=lambda: uuid4().hex)
    open_task: str | None = None
    _begun: bool = False
    _artifacts: set[str] = field(default_factory=set)
    _calls: tuple[CallPiece, ...] = ()  # without results so far
    _passed_on: set[str] = field(default_factory=set)
    _calls_made: int = 0
    _until_s: float = 0.0
    _under_way: asyncio.Task[Answer | Trouble] | None = None
    _untold: Json | None = None

    async def heard(self, text: str, late: Sequence[CallAnswer] = ()) -> AsyncGenerator[Piece]:
        self._until_s = asyncio.get_running_loop().time() + self.timeout_s
        await self._settle({answer.call_id: answer.output for answer in late})
        start = self.start
        said = words(text) if self._begun else first_words(start.instructions, text, start.tools)
        async for piece in self._pieces(said):
            yield piece

    async def answered(self, answers: Sequence[CallAnswer]) -> AsyncGenerator[Piece]:
        async for piece in self._pieces(results(self._calls, answers)):
            yield piece

    def interrupted(self, heard_text: str) -> None:
        """The agent cannot be told; it learns of it from what the driver says next."""

    def hang_up(self) -> None:
        """Nothing of the agent is waited for any more."""
        if self._under_way is not None:
            self._under_way.cancel()

    # --- what is said

    async def _pieces(self, message: Json) -> AsyncGenerator[Piece]:
        """An answer as it is said; words beside calls are for the record."""
        answer = await self._exchanged(message)
        if answer.text:
            yield TextPiece(answer.text, "progress" if answer.calls else "content")
        for call in answer.calls:
            self._passed_on.add(call.call_id)
            yield call
        usage = None
        if answer.turn_metrics is not None:
            usage, self._untold = self._untold, None
        yield Finished(usage, answer.reasoning, _metrics(answer.turn_metrics))

    async def _settle(self, late: Mapping[str, str]) -> None:
        """What the driver spoke over comes to its end; nobody hears what is still said."""
        if self._under_way is not None:
            await self._outcome()
        for _ in range(UNHEARD):
            if not self._calls:
                return
            answers = [CallAnswer(call.call_id, self._told(call, late)) for call in self._calls]
            await self._exchanged(results(self._calls, answers))
        if self._calls:
            raise AgentFailed(f"{UNHEARD} messages in a row made calls while the driver spoke")

    def _told(self, call: CallPiece, late: Mapping[str, str]) -> str:
        unanswered = NO_ANSWER if call.call_id in self._passed_on else NOT_MADE
        return late.get(call.call_id, unanswered)

    # --- messages

    async def _exchanged(self, message: Json) -> Answer:
        """Goes on when nobody waits for it any more."""
        answering = self._exchange(message)
        self._under_way = self.tasks.create_task(answering, name=f"{self.name} answers")
        return await self._outcome()

    async def _outcome(self) -> Answer:
        assert self._under_way is not None
        outcome = await asyncio.shield(self._under_way)
        self._under_way = None
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def _exchange(self, message: Json) -> Answer | Trouble:
        """One message and its answer, or what kept it from coming: perhaps nobody waits for it."""
        message |= {"messageId": uuid4().hex, "contextId": self.context_id}
        if self.open_task is not None:
            message["taskId"] = self.open_task
        left_s = max(0.001, self._until_s - asyncio.get_running_loop().time())
        try:
            response = await self.send(message, left_s)
            answer = read(
                response, schemas(self.start.tools), told=self._artifacts, calls=self._calls_made
            )
        except TROUBLE as trouble:
            return trouble
        self._begun = True
        self.context_id = answer.context_id or self.context_id
        self.open_task = answer.open_task
        self._artifacts |= answer.artifacts
        self._calls = answer.calls
        self._calls_made += len(answer.calls)
        if answer.turn_metrics is not None:
            self._untold = both_turns(self._untold, answer.turn_metrics)
        return answer


def _metrics(reported: Json | None) -> AgentMetrics | None:
    """How long the agent says its model took in this turn."""
    requests, each_ms = ((reported or {}).get(n) for n in ("num_llm_calls", "avg_llm_call_time_ms"))
    if not isinstance(requests, int) or not isinstance(each_ms, int | float):
        return None
    return AgentMetrics(model_ms=requests * each_ms)
