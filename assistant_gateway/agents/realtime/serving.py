"""Serves a gateway with `realtime:MODEL`: each session is a connection of its own."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from openai import AsyncOpenAI

from assistant_gateway.agents.realtime.agent import RealtimeAgent
from assistant_gateway.agents.realtime.connection import realtime_connection
from assistant_gateway.agents.realtime.items import settings, sound_settings
from assistant_gateway.agents.realtime.listening import agent_that_listens
from assistant_gateway.agents.realtime.turn_detection import TurnDetection
from assistant_gateway.agents.remote import (
    NO_OUTPUTS,
    AgentFailed,
    AgentUnavailable,
    Finished,
    Outputs,
    Piece,
    RemoteAgent,
    serve_remote,
)
from assistant_gateway.models.model import ModelChoice
from assistant_gateway.protocol import SessionStart


class AbsentAgent(RemoteAgent):
    """Stands in for an agent that cannot be reached: every turn fails with the reason."""

    def __init__(self, name: str, reason: AgentFailed | AgentUnavailable) -> None:
        self.name = name
        self._reason = reason

    async def heard(self, text: str, late: Outputs = NO_OUTPUTS) -> AsyncGenerator[Piece]:
        raise self._reason
        yield Finished()  # makes this a stream

    def answered(self, outputs: Outputs) -> AsyncGenerator[Piece]:
        return self.heard("")


async def serve_realtime(
    url: str, token: str, *, model: ModelChoice, turn_detection: TurnDetection = "truth"
) -> None:
    """Answer at a gateway until it closes the socket; each session is a connection of its own."""
    async with AsyncOpenAI(
        api_key=model.access.key, base_url=model.access.base_url, max_retries=0
    ) as client:

        def session(start: SessionStart, _: str) -> AbstractAsyncContextManager[RemoteAgent]:
            return realtime_agent(client, model, start, turn_detection)

        await serve_remote(url, token, session)


@asynccontextmanager
async def realtime_agent(
    client: AsyncOpenAI,
    choice: ModelChoice,
    start: SessionStart,
    turn_detection: TurnDetection = "truth",
) -> AsyncIterator[RemoteAgent]:
    """An agent that is connected and knows its tools before anything is measured.

    In a session that can be heard it listens and speaks.
    """
    async with AsyncExitStack() as stack:
        agent: RemoteAgent
        try:
            wanted = (
                settings(start) if start.audio is None else sound_settings(start, turn_detection)
            )
            connecting = realtime_connection(client, choice, wanted)
            connection = await stack.enter_async_context(connecting)
            if start.audio is None:
                agent = RealtimeAgent(connection, choice)
            else:
                agent = agent_that_listens(connection, choice, turn_detection)
        except (AgentFailed, AgentUnavailable) as reason:
            agent = AbsentAgent(f"realtime:{choice.name}", reason)
        yield agent
