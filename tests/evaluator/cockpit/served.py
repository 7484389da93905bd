"""A cockpit that is up, and pages of it without a browser."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import orjson
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as dial

from evaluator.cockpit.serve import Shown, shown
from evaluator.options import ServeOptions
from tests.evaluator.runs import WORLD

Message = dict[str, Any]


@asynccontextmanager
async def served(agent: str = "rules", **options: Any) -> AsyncIterator[Shown]:
    usual: dict[str, Any] = {"latency_profile": "zero", "pace": "fast", "port": 0}
    asked = ServeOptions(agent=agent, **usual | options)
    async with asyncio.timeout(120), shown(asked, WORLD) as page:
        yield page


class PageSocket:
    """What a page hears and sends; `heard` is everything since the last greeting."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._arrived: deque[Message] = deque()
        self.hello: Message = {}
        self.heard: list[Message] = []

    async def send(self, kind: str, **fields: Any) -> None:
        await self._socket.send(orjson.dumps({"kind": kind, **fields}).decode())

    async def until(self, kind: str, **fields: Any) -> Message:
        """The next message of a kind with these fields."""
        while True:
            while not self._arrived:
                self._arrived.extend(orjson.loads(await self._socket.recv()))
            message = self._arrived.popleft()
            if message["kind"] == "hello":
                self.hello, self.heard = message, []
            self.heard.append(message)
            if message["kind"] == kind and fields.items() <= message.items():
                return message

    async def answer(self, text: str) -> Message:
        """Say something; the turn, when it is over."""
        await self.send("say", text=text)
        return await self.until("turn")


@asynccontextmanager
async def page_socket(page: Shown, query: str = "") -> AsyncIterator[PageSocket]:
    """A page that is open and was greeted."""
    parts = urlsplit(page.url)
    address = f"ws://{parts.netloc}/feed?{parts.query}{query}"
    async with dial(address, origin=None, proxy=None, max_size=None) as socket:
        opened = PageSocket(socket)
        await opened.until("hello")
        yield opened
