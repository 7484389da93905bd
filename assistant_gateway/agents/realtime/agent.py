"""`realtime:MODEL`: an assistant behind a Realtime API, in text mode, on any server.

The server keeps the conversation; a connection is one session. The driver's words and the outputs
of tools become items, then the model is asked to respond once. If the driver interrupts, the
response is cancelled, and what was not heard is taken out of the conversation.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from openai.types.realtime import ConversationItemParam, ResponseAudioDeltaEvent

from assistant_gateway.agents.chat.completion import UnreadableCall
from assistant_gateway.agents.chat.usage import MOST_UNREADABLE, Spending, too_many_unreadable
from assistant_gateway.agents.realtime.connection import (
    WORDS,
    PendingResponse,
    RealtimeConnection,
)
from assistant_gateway.agents.realtime.errors import failed_response
from assistant_gateway.agents.realtime.items import (
    output,
    said_by_assistant,
    said_by_driver,
)
from assistant_gateway.agents.realtime.response import ResponseSoFar
from assistant_gateway.agents.remote import (
    NO_ANSWER,
    NO_OUTPUTS,
    AgentUnavailable,
    AudioPiece,
    Finished,
    Outputs,
    Piece,
    RemoteAgent,
    TextPiece,
)
from assistant_gateway.models.model import ModelChoice

STOP_S = 5.0  # how long a server may take to stop


class RealtimeAgent(RemoteAgent):
    """One conversation with one model."""

    def __init__(self, connection: RealtimeConnection, choice: ModelChoice) -> None:
        self.name = f"realtime:{choice.name}"
        self._connection = connection
        self._choice = choice
        self._spending = Spending(choice.name)
        self._pending = PendingResponse()
        self._turn: list[ResponseSoFar] = []
        self._outputs: dict[str, str] = {}
        self._heard_text: str | None = None

    def heard(self, text: str, late: Outputs = NO_OUTPUTS) -> AsyncGenerator[Piece]:
        self._outputs |= late
        return self._message([said_by_driver(text)], turn_begins=True)

    def answered(self, outputs: Outputs) -> AsyncGenerator[Piece]:
        self._outputs |= outputs
        return self._message(self._taken_outputs())

    def interrupted(self, heard_text: str) -> None:
        self._heard_text = heard_text

    async def _message(
        self, items: Sequence[ConversationItemParam], *, turn_begins: bool = False
    ) -> AsyncGenerator[Piece]:
        """One message; asked for again while all it holds are calls nobody can make."""
        if turn_begins:
            await self._settle()
        unreadable = 0
        while unreadable < MOST_UNREADABLE:
            response = ResponseSoFar(self._choice.access.hide)
            self._turn.append(response)
            self._pending = PendingResponse()
            async with self._choice.access.permits.permit():
                try:
                    await self._ask(items, turn_begins=turn_begins)
                    while response.outcome is None:
                        known, event = len(response.calls), await self._pending.event()
                        words = response.add(event)
                        if self._pending.dropped and isinstance(event, WORDS):
                            continue
                        if words:
                            yield TextPiece(words, "progress" if response.calls else "content")
                        if isinstance(event, ResponseAudioDeltaEvent):
                            yield AudioPiece(event.delta)
                        for call in list(response.calls.values())[known:]:
                            if isinstance(call, UnreadableCall):
                                self._outputs[call.call_id] = call.why
                                self._spending.note_unreadable([call])
                            else:
                                self._outputs[call.call_id] = NO_ANSWER
                                yield call
                finally:
                    if response.outcome is None:
                        await self._connection.drop(self._pending)
            self._spending.request_answered(response.usage)
            if failure := failed_response(self._choice, response.outcome):
                raise failure
            if turn_begins := self._is_answered_anew(response):
                continue
            if response.is_usable:
                status, reason = response.ending
                yield Finished(self._spending.report(), status=status, reason=reason)
                return
            items = self._taken_outputs()
            unreadable += 1
        raise too_many_unreadable()

    async def _ask(self, items: Sequence[ConversationItemParam], *, turn_begins: bool) -> None:
        self._spending.request_sent()
        await self._connection.ask(self._pending, items)

    def _is_answered_anew(self, response: ResponseSoFar) -> bool:
        """Whether the server begins another response instead, unasked."""
        return False

    def _taken_outputs(self) -> list[ConversationItemParam]:
        outputs, self._outputs = self._outputs, {}
        return [output(call_id, text) for call_id, text in outputs.items()]

    async def _settle(self) -> None:
        """After a turn: stop the server, and leave in its conversation what was heard and done."""
        turn, self._turn = self._turn, []
        if turn and turn[-1].outcome is None:
            for item_id in await self._stopped(turn[-1]):
                await self._connection.delete(item_id)
        for item in self._taken_outputs():
            await self._connection.add(item)
        await self._keep_heard(turn)

    async def _keep_heard(self, turn: Sequence[ResponseSoFar]) -> None:
        """Of a turn that was interrupted only what was heard stays in the conversation."""
        heard_text, self._heard_text = self._heard_text, None
        if heard_text is None:
            return
        for item_id in (item_id for response in turn for item_id in response.messages):
            await self._connection.delete(item_id)
        if heard_text.strip():
            await self._connection.add(said_by_assistant(heard_text))

    async def _stopped(self, response: ResponseSoFar) -> list[str]:
        """Wait for the end of a dropped response; the ids of items with calls that nobody made."""
        made, pending = set(response.calls), self._pending
        try:
            async with asyncio.timeout(STOP_S):
                while response.outcome is None and not pending.exhausted:
                    response.add(await pending.event())
        except TimeoutError:
            raise AgentUnavailable(f"{self.name} did not stop within {STOP_S:g} s") from None
        self._spending.request_answered(response.usage)
        return [
            *response.unfinished,
            *(item_id for item_id in response.calls if item_id not in made),
        ]
