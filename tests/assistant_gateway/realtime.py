"""A mock model behind its Realtime socket, for tests that talk to it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from assistant_gateway.mock_llm.request import ChatRequest
from assistant_gateway.mock_llm.script import Player, ScriptedReply, as_script
from assistant_gateway.mock_llm.server import MockModel, mock_llm

Event = dict[str, Any]
KEY = "sk-canary-7ea17135"
CALLS = [
    {"name": "set_fan_speed", "arguments": {"level": 3}},
    {"name": "get_weather", "arguments": {"place": "Zürich", "hours": [9, 10]}},
]


class Listening(Player):
    """Plays a script and remembers what it was asked."""

    def __init__(self, *rules: Event) -> None:
        super().__init__(as_script({"rules": list(rules)}))
        self.asked: list[ChatRequest] = []

    def reply_to(self, request: ChatRequest) -> ScriptedReply | None:
        if not request.connecting:
            self.asked.append(request)
        return super().reply_to(request)

    def texts(self, number: int = -1) -> list[tuple[str, str]]:
        """The conversation of one request without the instructions."""
        return [(message.role, message.text) for message in self.asked[number].messages[1:]]


class Caller:
    """A Realtime client that sends whatever it likes."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def send(self, kind: str, **fields: Any) -> None:
        await self.socket.send(json.dumps({"type": kind, **fields}))

    async def event(self) -> Event:
        event: Event = json.loads(await self.socket.recv())
        return event

    async def until(self, kind: str) -> list[Event]:
        """All events up to the first of this kind."""
        events = [await self.event()]
        while events[-1]["type"] != kind:
            events.append(await self.event())
        return events

    async def say(self, text: str, **fields: Any) -> None:
        item = {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": text}],
        }
        await self.send("conversation.item.create", item={**item, **fields})

    async def response(self) -> list[Event]:
        """Ask for a response; all its events."""
        await self.send("response.create")
        return await self.until("response.done")


@asynccontextmanager
async def calling(model: MockModel) -> AsyncIterator[Caller]:
    """A connection on which the session has begun."""
    async with connect(
        f"ws://{model.host}:{model.port}/v1/realtime?model=mock",
        additional_headers={"Authorization": f"Bearer {KEY}"},
        compression=None,
        proxy=None,
    ) as socket:
        yield Caller(socket)


@asynccontextmanager
async def called(*rules: Event) -> AsyncIterator[tuple[Listening, Caller]]:
    """A script and a client that has heard `session.created`."""
    player = Listening(*rules)
    async with mock_llm(player) as model, calling(model) as caller:
        [created] = await caller.until("session.created")
        assert created["session"]["model"] == "mock"
        yield player, caller
