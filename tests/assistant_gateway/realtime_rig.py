"""An agent behind a Realtime API, connected to a mock model or to any other server."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from openai import AsyncOpenAI

from assistant_gateway.agents.realtime.serving import realtime_agent
from assistant_gateway.agents.remote import CallPiece, Piece, RemoteAgent, TextPiece
from assistant_gateway.mock_llm.server import mock_llm
from assistant_gateway.models.access import Access
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.protocol import SessionStart
from tests.assistant_gateway.realtime import KEY, Event, Listening

TOOL = {"type": "function", "function": {"name": "set_fan_speed", "parameters": {}, "strict": True}}
START = SessionStart(instructions="Be brief.", tools=[TOOL])


@asynccontextmanager
async def agent_at(url: str) -> AsyncIterator[RemoteAgent]:
    choice = ModelChoice("mock", Access(url, KEY))
    async with (
        asyncio.timeout(20),
        AsyncOpenAI(api_key=KEY, base_url=url, max_retries=0) as client,
        realtime_agent(client, choice, START) as agent,
    ):
        yield agent


@asynccontextmanager
async def realtime_rig(*rules: Event) -> AsyncIterator[tuple[Listening, RemoteAgent]]:
    player = Listening(*rules)
    async with mock_llm(player) as model, agent_at(model.url) as agent:
        yield player, agent


async def all_of(pieces: AsyncGenerator[Piece]) -> list[Piece]:
    return [piece async for piece in pieces]


def text(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


def calls(pieces: list[Piece]) -> list[CallPiece]:
    return [piece for piece in pieces if isinstance(piece, CallPiece)]


async def first_words(pieces: AsyncGenerator[Piece]) -> str:
    """What is said first; then the stream is closed, as by an interruption."""
    async with aclosing(pieces) as stream:
        async for piece in stream:
            if isinstance(piece, TextPiece):
                return piece.text
    raise AssertionError("it said nothing")
