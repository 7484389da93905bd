"""The adapter against agents over real HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from assistant_gateway.agents.a2a.agent import a2a_agent
from assistant_gateway.agents.a2a.card import reachable
from assistant_gateway.agents.a2a.conversation import A2aConversation
from assistant_gateway.agents.remote import (
    AgentFailed,
    AgentUnavailable,
    CallPiece,
    Finished,
    Piece,
    TextPiece,
)
from assistant_gateway.models.access import NO_KEY, Access
from assistant_gateway.protocol import AgentMetrics, SessionStart
from assistant_gateway.server import NoAgent
from tests.assistant_gateway.a2a_peer import Answer, Peer, called, peer, said
from tests.conftest import free_port

KEY = "sk-canary-a2a"
START = SessionStart(
    instructions="Be kind.",
    tools=[{"type": "function", "function": {"name": "set_fan", "parameters": {}}}],
)
HELLO = said({"text": "Hello."}, context_id="theirs")


@asynccontextmanager
async def talk(
    found: Peer, *, key: str = NO_KEY, timeout_s: float = 5.0, patience_s: float = 0.0
) -> AsyncIterator[A2aConversation]:
    async with (
        asyncio.timeout(20),
        a2a_agent(Access(found.url, key), timeout_s, patience_s) as agent,
        agent.conversation(START, "s") as conversation,
    ):
        yield conversation


async def hear(conversation: A2aConversation, text: str = "Hi.") -> list[Piece]:
    return [piece async for piece in conversation.heard(text)]


async def test_one_context_holds_a_conversation_together() -> None:
    call = said(called({"tool_name": "set_fan", "arguments": {"level": 1}}), context_id="theirs")
    with peer(call, HELLO) as found:
        async with talk(found) as conversation:
            assert [piece for piece in await hear(conversation) if isinstance(piece, CallPiece)]
            answers = {"call_1": "{}"}
            heard = [piece async for piece in conversation.answered(answers)]
            assert heard[0] == TextPiece("Hello.")
            await hear(conversation, "And now?")
    first, second, third = found.messages
    assert first["contextId"] not in ("", "theirs")
    assert second["contextId"] == third["contextId"] == "theirs"
    assert first["parts"][0] == {"text": "System: Be kind.\n\nUser: Hi."}
    assert second["metadata"] == {"source": "environment"}
    assert third["parts"] == [{"text": "And now?"}]
    assert {request["method"] for request in found.asked} == {"SendMessage"}
    assert found.headers[-1]["a2a-version"] == "1.0"
    assert found.headers[-1]["content-type"] == "application/a2a+json"


async def test_words_beside_calls_are_progress_and_thoughts_are_kept() -> None:
    thought = {"data": {"reasoning_content": "Hm."}}
    metrics = {"turn_metrics": {"num_llm_calls": 2, "avg_llm_call_time_ms": 250}}
    busy = said({"text": "Wait."}, thought, called({"tool_name": "set_fan"}))
    with peer(busy, said({"text": "Hello."}, metadata=metrics)) as found:
        async with talk(found) as conversation:
            assert await hear(conversation) == [
                TextPiece("Wait.", "progress"), CallPiece("call_1", "set_fan", {}),
                Finished(None, "Hm."),
            ]  # fmt: skip
            answered = conversation.answered({"call_1": "{}"})
            [*_, finished] = [piece async for piece in answered]
    assert isinstance(finished, Finished)
    assert finished.metrics == AgentMetrics(model_ms=500)
    assert finished.usage is not None
    assert (finished.usage["requests"], finished.usage["cost"]) == (2, None)


async def test_an_agent_of_protocol_0_3_is_asked_in_its_own_words() -> None:
    card: dict[str, Any] = {"name": "old", "protocolVersion": "0.3.0", "version": "1"}
    card |= {"url": "http://0.0.0.0:1/", "capabilities": {}, "skills": [], "description": "old"}
    card |= {"defaultInputModes": ["text"], "defaultOutputModes": ["text"]}
    parts = [{"kind": "text", "text": "Hello."}]
    old = {"kind": "message", "messageId": "m", "role": "agent", "parts": parts, "contextId": "c"}
    with peer(old, card=card) as found:
        async with talk(found) as conversation:
            assert (await hear(conversation))[0] == TextPiece("Hello.")
            assert conversation.context_id == "c"
    assert [request["method"] for request in found.asked] == ["message/send"]


async def test_a_task_that_waits_is_gone_on_with_and_cancelled_at_the_end() -> None:
    waiting = {"state": "TASK_STATE_INPUT_REQUIRED", "message": HELLO["message"]}
    task = {"task": {"id": "t", "contextId": "theirs", "status": waiting}}
    with peer(task) as found:
        async with talk(found) as conversation:
            await hear(conversation)
            await hear(conversation)
    assert [message.get("taskId") for message in found.messages] == [None, "t"]
    assert found.asked[-1]["method"] == "CancelTask"
    assert found.asked[-1]["params"] == {"id": "t"}


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (500, AgentFailed, "HTTP 500"),
        (503, AgentUnavailable, "HTTP 503"),
        (401, NoAgent, "refuses messages: HTTP 401"),
        ({"error": {"code": -32603, "message": "no tokens left"}}, AgentFailed, "no tokens left"),
        ("nonsense", AgentFailed, "error: "),
        ({"weather": "fine"}, AgentFailed, "no A2A message"),
        (None, AgentFailed, r"no answer within 0.3 s \(--agent-timeout\)"),
    ],
)
async def test_whose_fault_it_is(answer: Answer, kind: type[Exception], reason: str) -> None:
    with peer(answer) as found, pytest.raises(kind, match=reason):
        async with talk(found, timeout_s=0.3 if answer is None else 5) as conversation:
            await hear(conversation)


async def test_each_message_has_as_much_time_as_there_is_patience() -> None:
    call = said(called({"tool_name": "set_fan", "arguments": {"level": 1}}), context_id="theirs")
    with peer(call, HELLO, delay_s=0.2) as found:
        async with talk(found, timeout_s=0.1, patience_s=20) as conversation:
            await hear(conversation)
            answers = [piece async for piece in conversation.answered({"call_1": "{}"})]
    assert answers[0] == TextPiece("Hello.")


async def test_an_agent_that_went_away_is_nobodys_failure() -> None:
    async with AsyncExitStack() as stack:
        with peer(HELLO) as found:
            conversation = await stack.enter_async_context(talk(found))
            await hear(conversation)
        with pytest.raises(AgentUnavailable, match="is away"):
            await hear(conversation)


async def test_nobody_at_the_address_is_reported_with_advice() -> None:
    found = Peer(lambda _: None, url=f"http://127.0.0.1:{free_port()}")
    with pytest.raises(NoAgent, match=r"no A2A agent answers .*start it first.*--scenario"):
        async with talk(found):
            pass


async def test_a_web_page_is_no_agent() -> None:
    with peer(HELLO, path="/elsewhere") as found:
        found.url = found.url.removesuffix("/elsewhere") + "/docs"
        with pytest.raises(NoAgent, match=r"\(HTTP 404 for /docs/\S+\); start it first") as caught:
            async with talk(found):
                pass
    assert "\n" not in str(caught.value)


async def test_an_agent_without_json_rpc_is_refused() -> None:
    card = {"name": "grpc", "description": "", "version": "1"}
    offered = [{"url": "http://h:1", "protocolBinding": "GRPC", "protocolVersion": "1.0"}]
    with (
        peer(HELLO, card={**card, "supportedInterfaces": offered}) as found,
        pytest.raises(NoAgent, match="no JSON-RPC interface"),
    ):
        async with talk(found):
            pass


async def test_a_key_is_sent_and_never_printed() -> None:
    trouble = {"error": {"code": -32603, "message": f"who gave me {KEY}?"}}
    with peer(trouble) as found:
        with pytest.raises(AgentFailed) as caught:
            async with talk(found, key=KEY) as conversation:
                await hear(conversation)
        assert {headers.get("authorization") for headers in found.headers} == {f"Bearer {KEY}"}
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("named", "asked", "taken"),
    [
        ("http://0.0.0.0:9009/", "http://127.0.0.1:8080", "http://127.0.0.1:8080/"),
        ("http://agent:9009/rpc", "http://10.0.0.7:80", "http://10.0.0.7:80/rpc"),
        ("http://172.17.0.2:9/", "https://a.example", "https://a.example/"),
        ("https://rpc.example.com/a", "https://a.example.com", "https://rpc.example.com/a"),
    ],
)
def test_an_address_inside_a_container_is_not_taken_at_its_word(
    named: str, asked: str, taken: str
) -> None:
    assert reachable(named, asked) == taken
