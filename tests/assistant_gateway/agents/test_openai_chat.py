"""`openai:MODEL` over real HTTP: a mock model, and servers that are odd."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from assistant_gateway.agents.chat.agent import ChatAgent, chat_agents
from assistant_gateway.agents.chat.request_options import (
    BadOptions,
    RequestOptions,
    read_extra_body,
)
from assistant_gateway.agents.chat.usage import MOST_UNREADABLE
from assistant_gateway.agents.remote import (
    AgentFailed,
    AgentUnavailable,
    CallPiece,
    Finished,
    Piece,
    TextPiece,
)
from assistant_gateway.mock_llm.script import as_script
from assistant_gateway.mock_llm.server import MockModel, mock_llm
from assistant_gateway.models.access import Access
from assistant_gateway.models.errors import SHOWN, ModelUnusable
from assistant_gateway.models.model import ModelChoice, RetryPolicy
from assistant_gateway.protocol import (
    AGENT_PROTOCOL,
    FROM_AGENT,
    Body,
    Frame,
    InputTranscriptFinal,
    Interrupt,
    ResponseDone,
    ResponseTextDelta,
    SessionStart,
    decode,
)
from tests.assistant_gateway.chat_server import Chunk, called, chat_server, said
from tests.assistant_gateway.gateways import raw, rig
from tests.assistant_gateway.mock_models import KEY, QUICK

TOOL = {"type": "function", "function": {"name": "set_fan_speed", "parameters": {}}}
START = SessionStart(instructions="Be brief.", tools=[TOOL])
STREAMS = Path(__file__).parent / "streams"
FAN = ("call_a", "set_fan_speed", '{"level": 3}')
BROKEN = ("call_b", "set_fan_speed", '{"level": ')


@asynccontextmanager
async def agent_at(
    url: str,
    *,
    options: RequestOptions | None = None,
    retry: RetryPolicy = QUICK,
    patience_s: float | None = None,
) -> AsyncIterator[ChatAgent]:
    choice = ModelChoice("mock", Access(url, KEY), patience_s=patience_s)
    async with (
        asyncio.timeout(20),
        AsyncOpenAI(api_key=KEY, base_url=url, max_retries=0) as client,
    ):
        yield ChatAgent(client, choice, options or RequestOptions(), START, retry)


@asynccontextmanager
async def scripted(
    *rules: dict[str, Any], retry: RetryPolicy = QUICK, patience_s: float | None = None
) -> AsyncIterator[tuple[MockModel, ChatAgent]]:
    async with (
        mock_llm(as_script({"rules": list(rules)})) as model,
        agent_at(model.url, retry=retry, patience_s=patience_s) as agent,
    ):
        yield model, agent


async def all_of(pieces: AsyncGenerator[Piece]) -> list[Piece]:
    return [piece async for piece in pieces]


def usage(pieces: list[Piece]) -> dict[str, Any]:
    last = pieces[-1]
    assert isinstance(last, Finished)
    return dict(last.usage or {})


def recorded(name: str) -> list[Chunk]:
    lines = (STREAMS / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines[:-1]]


# --- what is said and called


async def test_words_come_as_they_were_sent_and_then_the_calls() -> None:
    calls = [{"name": "set_fan_speed", "arguments": {"level": 3}}, {"name": "get_fan_speed"}]
    rule = {"say": "One moment.", "tool_calls": calls, "usage": {"input": 100, "output": 20}}
    async with scripted(rule) as (_, agent):
        pieces = await all_of(agent.heard("Fan to three."))
    first, second, *found, last = pieces
    assert [first, second] == [TextPiece("One"), TextPiece(" moment.")]
    assert [(call.name, call.arguments) for call in found if isinstance(call, CallPiece)] == [
        ("set_fan_speed", {"level": 3}),
        ("get_fan_speed", {}),
    ]
    assert isinstance(last, Finished)
    assert usage(pieces) == {
        "model": "mock", "requests": 1, "retries": 0, "unreadable_calls": 0, "unreported": 0,
        "input_tokens": 100, "output_tokens": 20,
    }  # fmt: skip


async def test_words_after_a_call_are_known_to_stand_beside_it() -> None:
    stream = called(FAN, text="One moment.")
    stream.insert(2, said(" Almost.")[0])
    async with chat_server(stream) as chat, agent_at(chat.url) as agent:
        pieces = await all_of(agent.heard("Fan to three."))
    assert pieces[:2] == [TextPiece("One moment."), TextPiece(" Almost.", "progress")]


async def test_the_model_hears_what_its_tools_answered() -> None:
    async with (
        chat_server(called(FAN), said("Done.")) as chat,
        agent_at(chat.url) as agent,
    ):
        await all_of(agent.heard("Fan to three."))
        pieces = await all_of(agent.answered({"call_a": "SUCCESS"}))
    assert pieces[0] == TextPiece("Done.")
    assert usage(pieces)["unreported"] == 1
    first, second = chat.requests
    assert first["messages"][0] == {"role": "system", "content": "Be brief."}
    assert second["messages"][-1] == {
        "role": "tool", "tool_call_id": "call_a", "content": "SUCCESS",
    }  # fmt: skip
    assert first["tools"] == second["tools"] == [TOOL]
    assert first["stream_options"] == {"include_usage": True}


async def test_an_odd_stream_is_read_over_http_too() -> None:
    async with (
        chat_server(recorded("interleaved_calls")) as chat,
        agent_at(chat.url) as agent,
    ):
        *calls, _ = await all_of(agent.heard("Warm, please."))
    assert [call.name for call in calls if isinstance(call, CallPiece)] == [
        "set_fan_speed",
        "set_seat_heating",
    ]


async def test_a_request_says_only_what_was_asked_for() -> None:
    options = RequestOptions("low", 0.5, {"top_p": 0.9})
    async with chat_server(said("Yes."), said("Yes.")) as chat:
        async with agent_at(chat.url) as agent:
            await all_of(agent.heard("Hello."))
        async with agent_at(chat.url, options=options) as agent:
            await all_of(agent.heard("Hello."))
    plain, rich = chat.requests
    assert plain.keys() == {"model", "messages", "tools", "stream", "stream_options"}
    assert {name: rich[name] for name in rich.keys() - plain.keys()} == {
        "reasoning_effort": "low", "temperature": 0.5, "top_p": 0.9,
    }  # fmt: skip


@pytest.mark.parametrize("text", ["{", "[1]", '{"messages": []}'])
def test_an_extra_body_that_cannot_be_sent_is_refused(text: str) -> None:
    with pytest.raises(BadOptions):
        read_extra_body(text)


# --- calls nobody can make


async def test_a_call_nobody_can_make_goes_back_to_the_model(
    caplog: pytest.LogCaptureFixture,
) -> None:
    streams = (called(BROKEN, text="Wait."), called(FAN))
    async with chat_server(*streams) as chat, agent_at(chat.url) as agent:
        pieces = await all_of(agent.heard("Fan to three."))
    assert [type(piece) for piece in pieces] == [TextPiece, CallPiece, Finished]
    assert (usage(pieces)["requests"], usage(pieces)["unreadable_calls"]) == (2, 1)
    answer = chat.requests[1]["messages"][-1]
    assert (answer["role"], answer["tool_call_id"]) == ("tool", "call_b")
    assert 'You wrote: {"level": ' in answer["content"]
    assert "set_fan_speed" in caplog.text


async def test_readable_calls_are_made_beside_an_unreadable_one() -> None:
    streams = (called(BROKEN, FAN), said("Done."))
    async with chat_server(*streams) as chat, agent_at(chat.url) as agent:
        pieces = await all_of(agent.heard("Fan to three."))
        await all_of(agent.answered({"call_a": "SUCCESS"}))
    assert [piece.call_id for piece in pieces if isinstance(piece, CallPiece)] == ["call_a"]
    answers = [message["content"] for message in chat.requests[1]["messages"][-2:]]
    assert answers[1] == "SUCCESS"
    assert answers[0].startswith("the arguments of this call are no JSON object")


async def test_a_model_that_never_writes_a_readable_call_has_failed() -> None:
    streams = [called(BROKEN)] * MOST_UNREADABLE
    async with chat_server(*streams) as chat, agent_at(chat.url) as agent:
        with pytest.raises(AgentFailed, match="nobody can make"):
            await all_of(agent.heard("Fan to three."))


# --- faults


@pytest.mark.parametrize("fault", [429, 500, 503, "garbage"])
async def test_a_passing_fault_is_retried_visibly(
    fault: str | int, caplog: pytest.LogCaptureFixture
) -> None:
    rules = ({"fault": fault, "at_most": 2}, {"say": "Yes."})
    async with scripted(*rules) as (model, agent):
        pieces = await all_of(agent.heard("Hello."))
    assert (usage(pieces)["requests"], usage(pieces)["retries"], model.requests) == (1, 2, 3)
    assert caplog.text.count("asking again in") == 2


@pytest.mark.parametrize("fault", [429, 500, "garbage"])
async def test_a_fault_that_stays_is_not_the_agents(fault: str | int) -> None:
    async with scripted({"fault": fault}) as (model, agent):
        with pytest.raises(AgentUnavailable, match=r"mock: .*, 3 times"):
            await all_of(agent.heard("Hello."))
        assert model.requests == QUICK.attempts


async def test_a_web_page_where_a_model_should_be_is_reported_as_such() -> None:
    async with chat_server(*[[]] * QUICK.attempts) as chat, agent_at(chat.url) as agent:
        with pytest.raises(AgentUnavailable, match="nothing of a completion; is the base URL"):
            await all_of(agent.heard("Hello."))


@pytest.mark.parametrize("status", [400, 404, 500])
async def test_what_a_server_says_is_reported_in_a_line_and_no_part_of_the_key(status: int) -> None:
    page = ("<p>\n" * SHOWN)[: SHOWN - len(KEY) + 1]
    async with scripted({"fault": status, "say": page + KEY}) as (_, agent):
        with pytest.raises((AgentFailed, AgentUnavailable, ModelUnusable)) as caught:
            await all_of(agent.heard("Hello."))
    assert "\n" not in str(caught.value)
    assert KEY[: len(KEY) // 2] not in str(caught.value)


async def test_a_server_that_is_not_there_is_not_the_agents_fault() -> None:
    async with chat_server() as chat:
        gone = chat.url
    async with agent_at(gone) as agent:
        with pytest.raises(AgentUnavailable, match="the connection failed"):
            await all_of(agent.heard("Hello."))


async def test_nothing_is_said_twice_when_an_answer_breaks_off() -> None:
    cut = {"fault": "cut", "say": "One two three four five six seven eight."}
    async with scripted({**cut, "at_most": 1}, {"say": "Yes."}) as (model, agent):
        pieces = agent.heard("Hello.")
        assert await anext(pieces) == TextPiece("One")
        with pytest.raises(AgentUnavailable, match="in the middle of an answer"):
            await all_of(pieces)
        assert model.requests == 1


async def test_an_answer_without_an_end_is_asked_for_again() -> None:
    streams = (recorded("nothing_at_all"), said("Yes."))
    async with chat_server(*streams) as chat, agent_at(chat.url) as agent:
        pieces = await all_of(agent.heard("Hello."))
    assert pieces[0] == TextPiece("Yes.")
    assert usage(pieces)["retries"] == 1


@pytest.mark.parametrize(
    "piece",
    [
        b'{"choices": [{"index": 0, "delta": {"content": "\xff"}}]}',
        b"[" * 100_000,
        b'{"choices": ' + b"1" * 5_000 + b"}",
    ],
    ids=["no UTF-8", "nested too deep", "a number of 5000 digits"],
)
async def test_bytes_that_are_no_json_are_the_servers(piece: bytes) -> None:
    async with chat_server([piece], said("Yes.")) as chat, agent_at(chat.url) as agent:
        pieces = await all_of(agent.heard("Hello."))
    assert pieces[0] == TextPiece("Yes.")
    assert usage(pieces)["retries"] == 1


async def test_a_stream_that_stops_after_some_words_is_no_answer() -> None:
    async with (
        chat_server(recorded("text_without_an_end"), ending=b"") as chat,
        agent_at(chat.url) as agent,
    ):
        with pytest.raises(AgentUnavailable, match=r"broke off.*in the middle of an answer"):
            await all_of(agent.heard("Hello."))


async def test_a_server_may_end_with_no_more_than_the_end_of_the_stream() -> None:
    async with chat_server(recorded("text_without_an_end")) as chat, agent_at(chat.url) as agent:
        pieces = await all_of(agent.heard("Hello."))
    assert pieces[0] == TextPiece("It is on.")
    assert isinstance(pieces[-1], Finished)


async def test_a_count_of_tokens_that_nobody_can_have_used_is_not_taken_over() -> None:
    counted = b'{"choices": [], "usage": {"prompt_tokens": 1%s}}' % (b"0" * 30)
    async with chat_server([*said("Yes."), counted]) as chat, agent_at(chat.url) as agent:
        pieces = await all_of(agent.heard("Hello."))
    assert "input_tokens" not in usage(pieces)


async def test_an_error_in_the_stream_is_the_servers() -> None:
    streams = [[{"error": {"message": "out of memory"}}]] * QUICK.attempts
    async with chat_server(*streams) as chat, agent_at(chat.url) as agent:
        with pytest.raises(AgentUnavailable, match="out of memory, 3 times"):
            await all_of(agent.heard("Hello."))


@pytest.mark.parametrize(
    "stream",
    [
        [{"error": {"message": "filtered", "code": "content_filter"}}],
        [{"choices": [{"index": 0, "delta": {}, "finish_reason": "content_filter"}]}],
    ],
)
async def test_what_a_content_filter_stops_is_the_agents_failure(stream: list[Chunk]) -> None:
    async with chat_server(stream) as chat, agent_at(chat.url) as agent:
        with pytest.raises(AgentFailed, match="filter"):
            await all_of(agent.heard("Hello."))


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_request_that_is_refused_is_the_agents_failure(status: int) -> None:
    async with scripted({"fault": status, "say": "Too long."}) as (model, agent):
        with pytest.raises(AgentFailed, match=f"HTTP {status}: Too long"):
            await all_of(agent.heard("Hello."))
        assert model.requests == 1


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_wrong_key_model_or_address_ends_everything(status: int) -> None:
    async with scripted({"fault": status}) as (model, agent):
        with pytest.raises(ModelUnusable, match="check the key") as caught:
            await all_of(agent.heard("Hello."))
        assert model.requests == 1
    assert KEY not in str(caught.value)


async def test_a_model_that_does_not_finish_has_failed() -> None:
    hasty = RetryPolicy(timeout_s=0.1)
    async with (
        chat_server(recorded("nothing_at_all"), hanging=True) as chat,
        agent_at(chat.url, retry=hasty) as agent,
    ):
        with pytest.raises(AgentFailed, match=r"not finished 0\.1 s after the driver had spoken"):
            await all_of(agent.heard("Hello."))


async def test_each_answer_has_as_much_time_as_there_is_patience() -> None:
    slow = {"fault": "slow", "after_s": 0.3, "say": "It is warm."}
    async with scripted(slow, retry=RetryPolicy(timeout_s=0.1), patience_s=20) as (_, agent):
        pieces = await all_of(agent.heard("Hello."))
    assert [piece.text for piece in pieces if isinstance(piece, TextPiece)][-1].endswith("warm.")


async def test_the_key_is_printed_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    leaky = (
        {"fault": 500, "say": f"bad {KEY}", "at_most": 1},
        {"say": f"It is {KEY}.", "tool_calls": [{"name": "f", "arguments": {"key": KEY}}]},
    )
    async with scripted(*leaky) as (_, agent):
        pieces = await all_of(agent.heard("Hello."))
    assert "[key]" in repr(pieces)
    assert KEY not in repr(pieces)
    assert KEY not in caplog.text


# --- interrupted


async def test_an_interruption_closes_the_stream_and_leaves_what_was_heard() -> None:
    talking = said("I will tell you everything about the fan.")[:1]
    async with chat_server(talking, hanging=True) as chat, agent_at(chat.url) as agent:
        async with aclosing(agent.heard("How is the fan?")) as pieces:
            assert await anext(pieces) == TextPiece("I will tell you everything about the fan.")
        await chat.closed_half_way.wait()
        agent.interrupted("I will tell")
        chat.hanging = False
        chat.streams.append(said("Yes."))
        pieces_after = await all_of(agent.heard("Stop!"))
    assert [message["content"] for message in chat.requests[1]["messages"]] == [
        "Be brief.", "How is the fan?", "I will tell", "Stop!",
    ]  # fmt: skip
    assert (usage(pieces_after)["requests"], usage(pieces_after)["unreported"]) == (2, 2)


@pytest.mark.parametrize("finished", [False, True])
async def test_an_interruption_by_the_gateway_reaches_the_model(finished: bool) -> None:
    """Also when the message was complete, and only its playout was cut short."""
    streams = (said("I will tell you everything."), said("Yes."))
    async with chat_server(*streams, hanging=not finished) as chat:

        async def gateway(socket: ServerConnection) -> None:
            async def tell(body: Body) -> None:
                await socket.send(Frame(body, "s").encode())

            async def until(kind: type[Body]) -> None:
                while not isinstance(decode(await socket.recv(), FROM_AGENT).body, kind):
                    pass

            await tell(START)
            await tell(InputTranscriptFinal(text="The fan?", user_speech_end_ns=0, now_ns=0))
            await until(ResponseDone if finished else ResponseTextDelta)
            chat.hanging = False
            await tell(Interrupt(heard_text="I will"))
            await tell(InputTranscriptFinal(text="Stop!", user_speech_end_ns=0, now_ns=0))
            await until(ResponseTextDelta)
            await until(ResponseDone)

        model = ModelChoice("mock", Access(chat.url, KEY))
        async with (
            asyncio.timeout(20),
            serve(gateway, "127.0.0.1", 0, subprotocols=[Subprotocol(AGENT_PROTOCOL)]) as server,
            chat_agents(model, RequestOptions(), QUICK) as serve_agents,
        ):
            port = server.sockets[0].getsockname()[1]
            await serve_agents(f"ws://127.0.0.1:{port}", "token")
    assert [message["content"] for message in chat.requests[1]["messages"][1:]] == [
        "The fan?", "I will", "Stop!",
    ]  # fmt: skip


async def test_the_first_question_finds_the_connection_open() -> None:
    async with (
        chat_server(said("Yes, it is warm.")) as chat,
        chat_agents(
            ModelChoice("mock", Access(chat.url, KEY)), RequestOptions(), QUICK
        ) as serve_agents,
        rig() as rigged,
        asyncio.TaskGroup() as tasks,
    ):
        gate = rigged.gateway
        serving = tasks.create_task(serve_agents(gate.url, gate.tokens.agent), name="agent")
        async with raw(rigged, "user") as driver:
            await driver.send("session.open", scenario_id="testcar")
            await driver.until("session.opened")
            assert (chat.connections, chat.requests) == (1, [])
            await driver.send("user.speech.start", utt="u1", planned_words=["Hello."])
            ended = await driver.until("agent.speech.end")
            assert ended["data"]["heard_text"] == "Yes, it is warm."
            await driver.send("user.control", word="STOP")
            await driver.until("session.close")
        await rigged.result()
        serving.cancel()
    assert chat.connection_of == [1]
