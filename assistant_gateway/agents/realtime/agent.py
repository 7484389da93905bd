"""`realtime:MODEL`: an assistant behind a Realtime API, in text mode, whoever serves it.

The server keeps the conversation; a connection is one session. The driver's words and the answers
of tools become items, then the model is asked to respond once. If the driver interrupts, the
response is cancelled, and what was not heard is taken out of the conversation.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from openai import AsyncOpenAI
from openai.types.realtime import ConversationItemParam

from assistant_gateway.agents.absent import AbsentAgent
from assistant_gateway.agents.chat.completion import ReadableCall, UnreadableCall
from assistant_gateway.agents.chat.history import NO_ANSWER
from assistant_gateway.agents.chat.usage import Spending
from assistant_gateway.agents.realtime.connection import Asked, Line, open_line
from assistant_gateway.agents.realtime.errors import failed_response
from assistant_gateway.agents.realtime.items import (
    output,
    said_by_assistant,
    said_by_driver,
    settings,
)
from assistant_gateway.agents.realtime.response import ResponseSoFar
from assistant_gateway.agents.remote import (
    AgentFailed,
    AgentUnavailable,
    CallAnswer,
    CallPiece,
    Finished,
    Piece,
    RemoteAgent,
    TextPiece,
    serve_remote,
)
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.protocol import SessionStart

log = logging.getLogger(__name__)

STOP_S = 5.0  # how long a server may take to stop
UNREADABLE = 3  # messages in a row without one call that can be made


class RealtimeAgent:
    """One conversation with one model."""

    def __init__(self, line: Line, choice: ModelChoice) -> None:
        self.name = f"realtime:{choice.name}"
        self._line = line
        self._choice = choice
        self._spending = Spending(choice.name)
        self._asked = Asked()
        self._turn: list[ResponseSoFar] = []
        self._outputs: dict[str, str] = {}
        self._heard_text: str | None = None

    def heard(self, text: str, late: Sequence[CallAnswer] = ()) -> AsyncGenerator[Piece]:
        self._outputs |= {answer.call_id: answer.output for answer in late}
        return self._message([said_by_driver(text)], turn_begins=True)

    def answered(self, answers: Sequence[CallAnswer]) -> AsyncGenerator[Piece]:
        self._outputs |= {answer.call_id: answer.output for answer in answers}
        return self._message(self._taken_outputs())

    def interrupted(self, heard_text: str) -> None:
        self._heard_text = heard_text

    async def _message(
        self, items: Sequence[ConversationItemParam], *, turn_begins: bool = False
    ) -> AsyncGenerator[Piece]:
        """One message; asked for again while all it holds are calls nobody can make."""
        if turn_begins:
            await self._settle()
        for _ in range(UNREADABLE):
            response, asked = ResponseSoFar(self._choice.access.hide), Asked()
            self._turn.append(response)
            self._asked = asked
            self._spending.asked()
            try:
                await self._line.ask(asked, items)
                while response.outcome is None:
                    known = len(response.calls)
                    if words := response.add(await asked.event()):
                        yield TextPiece(words, "progress" if response.calls else "content")
                    for call in list(response.calls.values())[known:]:
                        if isinstance(call, ReadableCall):
                            self._outputs[call.call_id] = NO_ANSWER
                            yield CallPiece(call.call_id, call.name, call.arguments)
                        else:
                            self._note_unreadable(call)
            finally:
                if response.outcome is None:
                    await self._line.drop(asked)
            self._spending.told(response.usage)
            if failure := failed_response(self._choice, response.outcome):
                raise failure
            if response.readable or not response.calls:
                status, reason = response.ending
                yield Finished(self._spending.report(), status=status, reason=reason)
                return
            items = self._taken_outputs()
        raise AgentFailed(f"{UNREADABLE} messages in a row held only calls that nobody can make")

    def _note_unreadable(self, call: UnreadableCall) -> None:
        self._outputs[call.call_id] = call.why
        self._spending.unreadable_calls += 1
        log.warning("%s: a call of %s: %s", self.name, call.name or "no tool", call.why)

    def _taken_outputs(self) -> list[ConversationItemParam]:
        outputs, self._outputs = self._outputs, {}
        return [output(call_id, text) for call_id, text in outputs.items()]

    # --- between two turns

    async def _settle(self) -> None:
        """The server stops, and its conversation becomes what was heard and done."""
        turn, self._turn = self._turn, []
        if turn and turn[-1].outcome is None:
            for item_id in await self._stopped(turn[-1], self._asked):
                await self._line.delete(item_id)
        for item in self._taken_outputs():
            await self._line.add(item)
        heard_text, self._heard_text = self._heard_text, None
        if heard_text is None:
            return
        for item_id in (item_id for response in turn for item_id in response.messages):
            await self._line.delete(item_id)
        if heard_text.strip():
            await self._line.add(said_by_assistant(heard_text))

    async def _stopped(self, response: ResponseSoFar, asked: Asked) -> list[str]:
        """Wait for the end of a response that was dropped; the items of calls nobody made."""
        made = set(response.calls)
        try:
            async with asyncio.timeout(STOP_S):
                while response.outcome is None and not asked.exhausted:
                    response.add(await asked.event())
        except TimeoutError:
            raise AgentUnavailable(f"{self.name} did not stop within {STOP_S:g} s") from None
        self._spending.told(response.usage)
        return [
            *response.unfinished,
            *(item_id for item_id in response.calls if item_id not in made),
        ]


async def serve_realtime(url: str, token: str, *, model: ModelChoice) -> None:
    """Answer at a gateway until it closes the socket; each session is a connection of its own."""
    async with AsyncOpenAI(
        api_key=model.access.key, base_url=model.access.base_url, max_retries=0
    ) as client:

        def session(start: SessionStart, _: str) -> AbstractAsyncContextManager[RemoteAgent]:
            return realtime_agent(client, model, start)

        await serve_remote(url, token, session)


@asynccontextmanager
async def realtime_agent(
    client: AsyncOpenAI, choice: ModelChoice, start: SessionStart
) -> AsyncIterator[RemoteAgent]:
    """An agent that is connected and knows its tools before anything is measured."""
    async with AsyncExitStack() as stack:
        agent: RemoteAgent
        try:
            line = await stack.enter_async_context(open_line(client, choice, settings(start)))
            agent = RealtimeAgent(line, choice)
        except (AgentFailed, AgentUnavailable) as why:
            agent = AbsentAgent(f"realtime:{choice.name}", why)
        yield agent
