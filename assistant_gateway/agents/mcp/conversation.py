"""One conversation that an MCP client leads: its tool calls are the assistant's messages.

What the client says with `send_message_to_user` is a message without calls, and is answered by
what the driver says next. What the client decides without having heard the driver is not done.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

from mcp_types import CallToolResult

from assistant_gateway.agents.remote import (
    NO_ANSWER,
    NO_OUTPUTS,
    AgentFailed,
    CallPiece,
    Finished,
    Outputs,
    Piece,
    RemoteAgent,
    TextPiece,
)
from assistant_gateway.mcp_server.answers import car_result, text_result
from assistant_gateway.protocol import SessionStart

WAIT_S = 50.0  # many clients give up a call after 60 s
NOT_DONE = "Not carried out: the driver has spoken meanwhile. Decide again."
NOT_BEGUN = "There is no conversation yet: call start_conversation first."
SILENT = "The driver has not spoken yet: call wait_for_user."
OVER: dict[str, Any] = {"user_message": None, "conversation_over": True}
LEFT = "the program of the agent ended before the conversation was over"


@dataclass(frozen=True, slots=True)
class Saying:
    """Words for the driver; `refused` is set to None once they are spoken."""

    text: str
    refused: "asyncio.Future[CallToolResult | None]"


@dataclass(frozen=True, slots=True)
class CarCall:
    """A tool of the car, and what it came to."""

    name: str
    arguments: dict[str, Any]
    result: "asyncio.Future[CallToolResult]"


@dataclass(slots=True)
class McpConversation(RemoteAgent):
    """A conversation between the gateway on one side and an MCP client on the other."""

    start: SessionStart
    name: str = "mcp"
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    over: str | None = None
    _queued: deque[Saying | CarCall] = field(default_factory=deque)
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)
    _made: dict[str, CarCall] = field(default_factory=dict)  # without a result, by id
    _unheard: list[str] = field(default_factory=list)  # what the client was not told yet
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _last_words: str = ""
    _has_left: bool = False
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    # --- the gateway

    async def heard(self, text: str, late: Outputs = NO_OUTPUTS) -> AsyncGenerator[Piece]:
        self._last_words = text
        self._unheard.append(text)
        self._settle({call_id: late.get(call_id, NO_ANSWER) for call_id in self._made})
        self._refuse_queued()
        async with self._news:
            self._news.notify_all()
        async for piece in self._message():
            yield piece

    def answered(self, outputs: Outputs) -> AsyncGenerator[Piece]:
        self._settle(outputs)
        return self._message()

    def interrupted(self, heard_text: str) -> None:
        """The client learns of it from the driver's next words."""

    async def ended(self, reason: str, outputs: Outputs) -> None:
        self._settle(outputs)
        await self.close(f"The conversation is over ({reason}).")

    async def close(self, why: str) -> None:
        """Answer whatever the client still waits for; nothing more happens here."""
        if self.over is None:
            self.over = why
        self._settle(dict.fromkeys(self._made, NO_ANSWER))
        self._refuse_queued()
        async with self._news:
            self._news.notify_all()

    async def leave(self) -> None:
        """The client is gone for good, which is its failure if the conversation is not over."""
        self._has_left = True
        self._arrived.set()
        async with self._news:
            self._news.notify_all()

    async def begun_or_left(self) -> None:
        """Wait until the client begins the conversation, or is gone."""
        async with self._news:
            await self._news.wait_for(lambda: self.begun.is_set() or self._has_left)

    async def _message(self) -> AsyncGenerator[Piece]:
        """What the client does next; calls that wait already are one message."""
        while not self._wanted():
            if self._has_left:
                raise AgentFailed(LEFT)
            self._arrived.clear()
            await self._arrived.wait()
        if isinstance(self._queued[0], Saying):
            saying = self._queued.popleft()
            assert isinstance(saying, Saying)
            saying.refused.set_result(None)
            yield TextPiece(saying.text)
            yield Finished()
            return
        together: dict[str, CarCall] = {}
        while self._queued and isinstance(call := self._queued[0], CarCall):
            self._queued.popleft()
            together[f"c{next(self._numbers)}"] = call
        self._made |= together
        for call_id, call in together.items():
            yield CallPiece(call_id, call.name, call.arguments)
        yield Finished()

    def _wanted(self) -> bool:
        """Whether something is queued, without what the client has given up waiting for."""
        self._queued = deque(each for each in self._queued if not _waiting(each).done())
        return bool(self._queued)

    def _settle(self, outputs: Outputs) -> None:
        """Give calls their results; with what the driver said meanwhile, if he did."""
        for call_id, output in outputs.items():
            call = self._made.pop(call_id, None)
            if call is not None and not call.result.done():
                call.result.set_result(car_result(output, *self._taken_words()))

    def _refuse_queued(self) -> None:
        while self._queued:
            waiting = _waiting(self._queued.popleft())
            if not waiting.done():
                waiting.set_result(self._refused())

    # --- the client

    async def first_words(self) -> CallToolResult:
        """The rules of this car and the driver's first words; later, his last ones."""
        async with self._news:
            self.begun.set()
            self._news.notify_all()
        words = self._taken_words() if self._last_words else await self._words()
        if self.over is not None:
            return self._is_over()
        said = "\n".join(words) or self._last_words
        rules = self.start.instructions
        return _said(said, rules) if said else text_result(rules, SILENT)

    async def say(self, message: str) -> CallToolResult:
        """Speak to the driver, and wait for what he says next."""
        if (refused := self._objection()) is not None:
            return refused
        saying = Saying(message, asyncio.get_running_loop().create_future())
        self._put(saying)
        return await saying.refused or await self.wait()

    async def wait(self) -> CallToolResult:
        """What the driver says next, or that he has not spoken yet, or that it is over."""
        if not self.begun.is_set():
            return text_result(NOT_BEGUN, is_error=True)
        if words := await self._words():
            return _said("\n".join(words))
        return text_result(SILENT) if self.over is None else self._is_over()

    async def call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        """Run a tool of the car."""
        if (refused := self._objection()) is not None:
            return refused
        call = CarCall(name, arguments, asyncio.get_running_loop().create_future())
        self._put(call)
        return await call.result

    def _put(self, order: Saying | CarCall) -> None:
        self._queued.append(order)
        self._arrived.set()

    def _objection(self) -> CallToolResult | None:
        """Why nothing can be done now."""
        if self._unheard or self.over is not None or not self.begun.is_set():
            return self._refused()
        return None

    def _refused(self) -> CallToolResult:
        if self.over is not None:
            return self._is_over()
        if not self.begun.is_set():
            return text_result(NOT_BEGUN, is_error=True)
        said = "\n".join(self._taken_words()) or self._last_words
        return text_result(NOT_DONE, f"The driver: {said}", is_error=True)

    async def _words(self) -> list[str]:
        """What the driver has said that the client was not told; none if he is silent too long."""
        try:
            async with asyncio.timeout(WAIT_S), self._news:
                await self._news.wait_for(lambda: bool(self._unheard) or self.over is not None)
        except TimeoutError:
            return []
        return self._taken_words()

    def _taken_words(self) -> list[str]:
        words, self._unheard = self._unheard, []
        return words

    def _is_over(self) -> CallToolResult:
        return text_result(
            f"{self.over} Nothing more can be done in it; start_conversation begins the next one.",
            structured=OVER,
        )


def _waiting(order: Saying | CarCall) -> "asyncio.Future[Any]":
    """What the client waits for."""
    return order.refused if isinstance(order, Saying) else order.result


def _said(words: str, *before: str) -> CallToolResult:
    fields = {"user_message": words, "conversation_over": False}
    return text_result(*before, words, structured=fields)
