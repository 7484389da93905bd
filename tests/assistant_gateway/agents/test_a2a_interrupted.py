"""An A2A agent that is spoken over: its calls have results before it hears the driver again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from threading import Event
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from assistant_gateway.agents.a2a.agent import a2a_agent
from assistant_gateway.agents.a2a.conversation import MOST_UNHEARD, NOT_MADE, A2aConversation
from assistant_gateway.agents.remote import (
    NO_ANSWER,
    AgentFailed,
    CallPiece,
    Finished,
    Piece,
    TextPiece,
)
from assistant_gateway.models.access import NO_KEY, Access
from assistant_gateway.protocol import (
    AGENT_PROTOCOL,
    FROM_AGENT,
    Body,
    Frame,
    InputTranscriptFinal,
    Interrupt,
    ResponseDone,
    SessionEnded,
    SessionStart,
    ToolResult,
    decode,
)
from tests.assistant_gateway.a2a_peer import Json, Peer, answering, called, peer, said

FAN = {"tool_name": "set_fan", "arguments": {"level": 1}}
LOOK = {"tool_name": "get_fan", "arguments": {}}
START = SessionStart(
    instructions="Be kind.",
    tools=[
        {"type": "function", "function": {"name": name, "parameters": {}}}
        for name in ("set_fan", "get_fan")
    ],
)
SPENT = {"turn_metrics": {"prompt_tokens": 10, "completion_tokens": 1, "model": "m"}}
BUSY = said(called(LOOK, FAN))
HELLO = said({"text": "Hello."}, metadata=SPENT)


@asynccontextmanager
async def conversing(found: Peer) -> AsyncIterator[A2aConversation]:
    async with (
        asyncio.timeout(20),
        a2a_agent(Access(found.url, NO_KEY), 5) as agent,
        agent.conversation(START, "s") as conversation,
    ):
        yield conversation


async def pieces_of(conversation: A2aConversation, text: str) -> list[Piece]:
    return [piece async for piece in conversation.heard(text)]


def contents(message: Json) -> list[Any]:
    """What a message of ours holds: words, or the content of each result."""
    [part] = message["parts"]
    if "text" in part:
        return [part["text"]]
    return [result["content"] for result in part["data"]["tool_results"]]


def gateway_that_interrupts(results: int) -> Any:
    """A driver who speaks over two calls; so many are answered, the last one after that."""

    async def gateway(socket: ServerConnection) -> None:
        async def tell(body: Body, cid: str | None = None, turn: int | None = None) -> None:
            await socket.send(Frame(body, "s", turn=turn, cid=cid).encode())

        async def until_done(turn: int) -> list[str]:
            cids: list[str] = []
            while True:
                frame = decode(await socket.recv(), FROM_AGENT)
                cids += [frame.cid] if frame.cid else []
                if isinstance(frame.body, ResponseDone):
                    assert (frame.body.status, frame.turn) == ("completed", turn)
                    return cids

        await tell(START)
        await tell(InputTranscriptFinal(text="Hi.", user_speech_end_ns=0, now_ns=0), turn=1)
        cids = await until_done(1)
        await tell(Interrupt(heard_text=""))
        for cid in cids[:results]:
            await tell(ToolResult(output=f"result of {cid}"), cid)
        await tell(InputTranscriptFinal(text="Stop!", user_speech_end_ns=0, now_ns=0), turn=2)
        await until_done(2)  # at once of the new turn: the message before was complete
        await tell(SessionEnded(reason="STOP"))

    return gateway


@pytest.mark.parametrize("results", [0, 1, 2])
async def test_calls_have_their_results_or_an_error_before_the_driver_is_heard(
    results: int,
) -> None:
    with peer(BUSY, HELLO) as found:
        async with (
            asyncio.timeout(20),
            serve(
                gateway_that_interrupts(results),
                "127.0.0.1",
                0,
                subprotocols=[Subprotocol(AGENT_PROTOCOL)],
            ) as server,
            a2a_agent(Access(found.url, NO_KEY), 5) as agent,
        ):
            port = server.sockets[0].getsockname()[1]
            await agent.serve(f"ws://127.0.0.1:{port}", "token")
    answers = ["result of r1.1", "result of r1.2"][:results]
    assert [message["metadata"]["source"] for message in found.messages] == [
        "user", "environment", "user",
    ]  # fmt: skip
    assert contents(found.messages[1]) == answers + [NO_ANSWER] * (2 - results)
    assert contents(found.messages[2]) == ["Stop!"]


async def test_an_answer_under_way_is_waited_for_and_its_calls_are_not_made() -> None:
    thinking, spoken = Event(), Event()

    def answer(asked: Json) -> Json:
        if "Hi." in str(asked):
            thinking.set()
            spoken.wait(5)
            return BUSY
        return HELLO

    with answering(answer) as found:
        async with conversing(found) as conversation:
            reading = asyncio.create_task(pieces_of(conversation, "Hi."), name="reading")
            await asyncio.to_thread(thinking.wait, 5)
            reading.cancel()
            await asyncio.wait([reading])
            conversation.interrupted("")
            spoken.set()
            assert (await pieces_of(conversation, "Stop!"))[0] == TextPiece("Hello.")
    assert [contents(message) for message in found.messages[1:]] == [[NOT_MADE] * 2, ["Stop!"]]


async def test_what_was_said_meanwhile_is_not_heard_but_paid_for() -> None:
    with peer(BUSY, said({"text": "It is one."}, metadata=SPENT), HELLO) as found:
        async with conversing(found) as conversation:
            await pieces_of(conversation, "Hi.")
            conversation.interrupted("")
            *words, finished = await pieces_of(conversation, "Stop!")
    assert words == [TextPiece("Hello.")]
    assert isinstance(finished, Finished)
    assert finished.usage is not None
    spent = [finished.usage[name] for name in ("prompt_tokens", "completion_tokens", "cost")]
    assert spent == [20, 2, None]


async def test_a_call_that_was_not_passed_on_was_not_made() -> None:
    with peer(BUSY, HELLO) as found:
        async with conversing(found) as conversation:
            async with aclosing(conversation.heard("Hi.")) as pieces:
                assert isinstance(await anext(pieces), CallPiece)
            await pieces_of(conversation, "Stop!")
    assert contents(found.messages[1]) == [NO_ANSWER, NOT_MADE]


async def test_an_agent_that_goes_on_calling_while_the_driver_speaks_has_failed() -> None:
    with peer(BUSY) as found:
        async with conversing(found) as conversation:
            await pieces_of(conversation, "Hi.")
            with pytest.raises(AgentFailed, match=f"{MOST_UNHEARD} messages in a row made calls"):
                await pieces_of(conversation, "Stop!")
    assert len(found.messages) == 1 + MOST_UNHEARD
