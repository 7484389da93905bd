"""A Chat Completions server that says exactly what a test wants, byte by byte, and listens."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson

Chunk = Any
END = b"data: [DONE]\n\n"


def said(text: str) -> list[Chunk]:
    """A message of words alone."""
    return [_chunk({"content": text}), _chunk({}, "stop")]


def called(*calls: tuple[str, str, str], text: str = "") -> list[Chunk]:
    """A message of calls, each with id, name and the text of its arguments."""
    written = [
        {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}
        for index, (call_id, name, arguments) in enumerate(calls)
    ]
    return [_chunk({"content": text}), _chunk({"tool_calls": written}), _chunk({}, "tool_calls")]


def _chunk(delta: dict[str, Any], finish: str | None = None) -> Chunk:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


@dataclass
class ChatServer:
    """Answers with one stream after the other; a `hanging` stream never ends by itself.

    A chunk of bytes is sent as it is.
    """

    streams: list[list[Chunk]]
    hanging: bool = False
    ending: bytes = END
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    connections: int = 0
    connection_of: list[int] = field(default_factory=list)
    closed_half_way: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        try:
            while head := await _head(reader):
                length = int(head.get(b"content-length", b"0"))
                body = await reader.readexactly(length)
                if not length:
                    _respond(writer, b"application/json", b'{"data": []}')
                    continue
                self.requests.append(orjson.loads(body))
                self.connection_of.append(number)
                await self._stream(reader, writer, self.streams.pop(0))
        finally:
            writer.close()

    async def _stream(
        self, reader: StreamReader, writer: StreamWriter, chunks: Sequence[Chunk]
    ) -> None:
        events = [b"data: " + _written(chunk) + b"\n\n" for chunk in chunks]
        if not self.hanging:
            _respond(writer, b"text/event-stream", b"".join(events) + self.ending)
            return
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        writer.write(b"".join(events))
        await reader.read()
        self.closed_half_way.set()


def _written(chunk: Chunk) -> bytes:
    return chunk if isinstance(chunk, bytes) else orjson.dumps(chunk)


async def _head(reader: StreamReader) -> dict[bytes, bytes]:
    """The fields of the next request, in lower case; nothing when the client is gone."""
    try:
        lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return {}
    pairs = [line.partition(b":") for line in lines[1:] if line]
    return {b"": lines[0], **{name.lower(): value.strip() for name, _, value in pairs}}


def _respond(writer: StreamWriter, kind: bytes, body: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: %b\r\ncontent-length: %d\r\n\r\n"
    writer.write(head % (kind, len(body)) + body)


@asynccontextmanager
async def chat_server(
    *streams: list[Chunk], hanging: bool = False, ending: bytes = END
) -> AsyncIterator[ChatServer]:
    """Up for as long as the block runs."""
    chat = ChatServer(list(streams), hanging, ending)
    server = await asyncio.start_server(chat.serve, "127.0.0.1", 0)
    async with server:
        chat.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        yield chat
