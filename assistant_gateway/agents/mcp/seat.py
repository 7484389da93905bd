"""Where an MCP client sits as the agent under test: one conversation after the other.

The seat connects to the gateway when its client asks for tools or for a conversation, and only for
one session, so a session is never given to a client that is not there.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp_types import CallToolResult, Tool

from assistant_gateway.agents.mcp.conversation import NOT_BEGUN, OVER, McpConversation
from assistant_gateway.agents.remote import RemoteAgent, serve_one
from assistant_gateway.mcp_server.answers import text_result, tools_of
from assistant_gateway.mcp_server.serving import ToolServer
from assistant_gateway.protocol import SessionStart

log = logging.getLogger(__name__)

START_WITHIN_S = 60.0  # for a client that has seen the tools to begin the conversation
NEXT_WITHIN_S = 50.0  # for the next session; many clients give up a call after 60 s
TOOLS_WITHIN_S = 20.0
NONE_YET = "No conversation is waiting: call start_conversation again, or stop."
INSTRUCTIONS = (
    "You are the voice assistant of a car, and a driver talks to you. Call start_conversation: it "
    "returns the rules of this car and the driver's first words. Then use the tools of the car, "
    "and speak to the driver only with send_message_to_user, which returns what he says next. He "
    "hears nothing else. Go on until a result says that the conversation is over, then stop."
)
PROMPTS = {"drive": INSTRUCTIONS}
START, SEND, WAIT = "start_conversation", "send_message_to_user", "wait_for_user"
NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
OWN_TOOLS = [
    Tool(
        name=START,
        description="Begin the conversation with the driver. Returns the rules of this car, which "
        "you have to follow, and what the driver says first.",
        input_schema=NOTHING,
    ),
    Tool(
        name=SEND,
        description="Say something to the driver; it is spoken, so no lists and no markup. Returns "
        "what the driver says next, or that the conversation is over.",
        input_schema={
            "type": "object",
            "properties": {"message": {"type": "string", "description": "What the driver hears."}},
            "required": ["message"],
            "additionalProperties": False,
        },
    ),
    Tool(
        name=WAIT,
        description="Wait for what the driver says next, if a result told you to.",
        input_schema=NOTHING,
    ),
]


class McpSeat:
    """One client at a time; its server is `tools`."""

    def __init__(self) -> None:
        self.tools = ToolServer(INSTRUCTIONS, PROMPTS, self._list_tools, self._call)
        self._conversation: McpConversation | None = None
        self._wanted = asyncio.Event()
        self._opened = asyncio.Condition()
        self._over = asyncio.Event()
        self._told: list[dict[str, Any]] | None = None  # tools as the client knows them
        self.was_sent_away = False  # its client asked for a conversation, and none was waiting

    @property
    def is_talking(self) -> bool:
        """Whether a conversation goes on, or waits for its client to begin it."""
        return self._conversation is not None and self._conversation.over is None

    @property
    def is_used(self) -> bool:
        """Whether its client has had a conversation."""
        return self._conversation is not None and self._conversation.begun.is_set()

    async def done(self, grace_s: float) -> None:
        """Return once a conversation is over and its client asks for no other one in time."""
        while True:
            await self._over.wait()
            try:
                async with asyncio.timeout(grace_s):
                    await self._wanted.wait()
            except TimeoutError:
                return
            async with self._opened:
                await self._opened.wait_for(lambda: self.is_talking)

    async def leave(self) -> None:
        """The client is gone: what it has not finished is its failure, and the seat is free."""
        self._wanted.clear()
        self._told = None
        self.was_sent_away = False
        if self._conversation is not None:
            await self._conversation.leave()
        if self.is_talking:
            await self._over.wait()
        self._conversation = None
        self._over.clear()

    async def serve(self, url: str, token: str) -> None:
        """Take sessions of a gateway for the client, each when it asks for one."""
        while True:
            await self._wanted.wait()
            try:
                await serve_one(url, token, self._open)
            except ClientAbsent as absent:
                log.warning("%s", absent)

    @asynccontextmanager
    async def _open(self, start: SessionStart, _sid: str) -> AsyncIterator[RemoteAgent]:
        self._wanted.clear()
        self._over.clear()
        conversation = McpConversation(start)
        async with self._opened:
            self._conversation = conversation
            self._opened.notify_all()
        try:
            if self._told is not None and self._told != start.tools:
                await self.tools.tell_tools_changed()
            await self._begun(conversation)
            yield conversation
        finally:
            await conversation.close("The conversation was cut off.")
            self._over.set()

    async def _begun(self, conversation: McpConversation) -> None:
        try:
            async with asyncio.timeout(START_WITHIN_S):
                await conversation.begun_or_left()
        except TimeoutError as error:
            raise ClientAbsent(
                f"the MCP client did not call {START} within {START_WITHIN_S:g} s"
            ) from error
        if not conversation.begun.is_set():
            raise ClientAbsent(f"the MCP client ended without calling {START}")

    async def _next(self, within_s: float) -> McpConversation | None:
        """The conversation that goes on, or the next one if it comes in time."""
        if not self.is_talking:
            self._wanted.set()
        try:
            async with asyncio.timeout(within_s), self._opened:
                await self._opened.wait_for(lambda: self.is_talking)
        except TimeoutError:
            return None
        return self._conversation

    async def _list_tools(self) -> list[Tool]:
        # One that is over will do: clients list tools at any time, also when about to stop.
        conversation = self._conversation or await self._next(TOOLS_WITHIN_S)
        if conversation is None:
            self._told = []
            return OWN_TOOLS
        self._told = conversation.start.tools
        return [*OWN_TOOLS, *tools_of(conversation.start.tools)]

    async def _call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        if name == START:
            conversation = await self._next(NEXT_WITHIN_S)
            self.was_sent_away = conversation is None
            return (
                text_result(NONE_YET, structured=OVER)
                if conversation is None
                else await conversation.first_words()
            )
        if (conversation := self._conversation) is None:
            return text_result(NOT_BEGUN, is_error=True)
        if name == WAIT:
            return await conversation.wait()
        if name != SEND:
            return await conversation.call(name, arguments)
        message = arguments.get("message")
        if not isinstance(message, str):
            return text_result(f"{SEND} needs a message, a text.", is_error=True)
        return await conversation.say(message)


class ClientAbsent(Exception):
    """A client has looked at the tools and has not begun the conversation."""
