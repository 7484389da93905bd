"""The car may answer before the message that called it is complete."""

import asyncio

from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from assistant_gateway.agents.agent import Agent, AgentMessage, Call, TimedFrame, TimedMessage
from assistant_gateway.agents.client import PacedAgent, serve_agent
from assistant_gateway.protocol import (
    AGENT_PROTOCOL,
    FROM_AGENT,
    Frame,
    InputTranscriptFinal,
    ResponseDone,
    ResponseTextDelta,
    SessionStart,
    ToolCall,
    ToolResult,
    decode,
)
from assistant_gateway.timing.latency import LatencyModel, latency_profile
from assistant_gateway.timing.timeline import MS


class EarlyCaller(Agent):
    """Calls at once, and ends that message when the answer has long been here."""

    name = "early"

    def on_heard(self, text: str) -> AgentMessage:
        calls = TimedFrame(0, ToolCall(name="one", arguments={}), "a")
        return TimedMessage(frames=(calls, TimedFrame(50 * MS, ResponseDone())))

    def on_results(self, results: tuple[tuple[Call, str], ...]) -> AgentMessage | None:
        said = ResponseTextDelta(delta="Done.")
        return TimedMessage(
            frames=(TimedFrame(100 * MS, said), TimedFrame(100 * MS, ResponseDone()))
        )


async def test_a_message_is_sent_to_its_end_though_its_results_are_here_before() -> None:
    heard: list[str] = []

    async def gateway(socket: ServerConnection) -> None:
        await socket.send(Frame(SessionStart(instructions="", tools=[]), "s").encode())
        final = InputTranscriptFinal(text="Hi.", user_speech_end_ns=0, now_ns=0)
        await socket.send(Frame(final, "s", turn=1).encode())
        while heard.count(ResponseDone.TYPE) < 2:
            frame = decode(await socket.recv(), FROM_AGENT)
            heard.append(frame.body.TYPE)
            if isinstance(frame.body, ToolCall):
                await socket.send(Frame(ToolResult(), "s", turn=1, cid=frame.cid).encode())

    agent = PacedAgent(EarlyCaller(), LatencyModel(latency_profile("zero"), "s"))
    protocols = [Subprotocol(AGENT_PROTOCOL)]
    async with (
        asyncio.timeout(10),
        serve(gateway, "127.0.0.1", 0, subprotocols=protocols) as server,
    ):
        port = server.sockets[0].getsockname()[1]
        await serve_agent(f"ws://127.0.0.1:{port}", "token", lambda _: agent)
    done = ResponseDone.TYPE
    assert heard[1:] == [ToolCall.TYPE, done, ResponseTextDelta.TYPE, done]
