"""A pure assistant plays the model: the conversation stands in the request."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.rules.agent import respond
from assistant_gateway.agents.transcript import Answered, Heard, Transcript
from assistant_gateway.mock_llm.player import AssistantPlayer, NoConversation, transcript
from assistant_gateway.mock_llm.request import ChatMessage
from assistant_gateway.mock_llm.server import mock_llm

SYSTEM = {"role": "system", "content": "Be brief."}
HELLO = {"role": "user", "content": "Hello"}


def asked(call_id: str, name: str = "look", arguments: str = '{"at": 1}') -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def made(*calls: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "tool_calls": list(calls)}


def answer(call_id: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def read(*messages: dict[str, Any]) -> Transcript:
    return transcript([ChatMessage.model_validate(message) for message in messages])


def test_messages_become_the_transcript_an_assistant_reads() -> None:
    look = Call("look", {"at": 1})
    first, second = asked("a"), asked("b")
    assert read(
        SYSTEM, HELLO, made(first, second, text="Hm."), answer("b", "2"), answer("a", "1")
    ) == (
        Heard("Hello"),
        AgentMessage("Hm.", (look, look)),
        Answered(((look, "1"), (look, "2"))),
    )


def test_arguments_nobody_can_read_are_none() -> None:
    broken = asked("a", arguments='{"at": ')
    [_, message, _] = read(HELLO, made(broken), answer("a", "no"))
    assert message == AgentMessage("", (Call("look", {}),))


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ((SYSTEM,), "the last message"),
        ((HELLO, made(asked("a"))), "the last message"),
        ((HELLO, answer("a", "1")), "preceding message with 'tool_calls'"),
        ((HELLO, made(asked("a"), asked("b")), answer("a", "1")), "missing: b"),
        ((HELLO, made(asked("a")), HELLO), "missing: a"),
        ((HELLO, made(asked("a")), answer("a", "1"), answer("x", "1")), "no call has the id x"),
        ((HELLO, {"role": "robot", "content": ""}, HELLO), "'robot' is not one of"),
    ],
)
def test_what_an_api_would_refuse_is_refused(messages: Any, reason: str) -> None:
    with pytest.raises(NoConversation, match=reason):
        read(*messages)


def echo(said: Transcript, tools: Sequence[Mapping[str, Any]], instructions: str) -> AgentMessage:
    """Looks first, then repeats what it was told."""
    match said[-1]:
        case Heard() if tools:
            return AgentMessage("I look.", (Call("look", {"at": len(said)}),))
        case Answered(((_, seen), *_)):
            return AgentMessage(f"{instructions} I saw {seen}.")
        case Heard(text):
            return AgentMessage(f"You said {text}.")
    return AgentMessage()


@asynccontextmanager
async def client() -> AsyncIterator[AsyncOpenAI]:
    async with (
        mock_llm(AssistantPlayer("echo", echo)) as model,
        AsyncOpenAI(base_url=model.url, api_key="k", max_retries=0, timeout=10) as openai_client,
    ):
        yield openai_client


LOOK: Any = {"type": "function", "function": {"name": "look", "parameters": {}}}


async def test_a_conversation_needs_no_memory_of_the_server() -> None:
    messages: list[Any] = [SYSTEM, HELLO]
    async with client() as model:
        first = await model.chat.completions.create(model="m", messages=messages, tools=[LOOK])
        message = first.choices[0].message
        [call] = message.tool_calls or []
        assert message.content == "I look."
        assert call.type == "function"
        assert json.loads(call.function.arguments) == {"at": 1}
        messages += [message.model_dump(exclude_none=True), answer(call.id, "a cat")]
        second = await model.chat.completions.create(model="m", messages=messages, tools=[LOOK])
    assert second.choices[0].message.content == "Be brief. I saw a cat."


async def test_it_is_streamed_as_well() -> None:
    hello: Any = [HELLO]
    async with (
        client() as model,
        model.chat.completions.stream(model="m", messages=hello) as stream,
    ):
        whole = await stream.get_final_completion()
    assert whole.choices[0].message.content == "You said Hello."


async def test_an_assistant_is_no_driver_and_no_judge() -> None:
    shape: Any = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": {}}}
    hello: Any = [HELLO]
    async with client() as model:
        with pytest.raises(openai.BadRequestError, match="no structured answers"):
            await model.chat.completions.create(model="m", messages=hello, response_format=shape)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"response_format": {"type": "json_object"}}, "gives no structured answers"),
        ({"tool_choice": "required"}, "makes no call here"),
        ({"tool_choice": {"type": "function", "function": {"name": "x"}}}, "makes no call here"),
    ],
)
async def test_it_refuses_what_it_does_not_do(asked: dict[str, Any], reason: str) -> None:
    messages: Any = [HELLO]
    async with client() as model:
        with pytest.raises(openai.BadRequestError, match=reason):
            await model.chat.completions.create(model="echo", messages=messages, extra_body=asked)


async def test_it_calls_nothing_where_it_may_not() -> None:
    messages: Any = [HELLO]
    async with client() as model:
        for choice, calls in (("none", 0), ("auto", 1), ("required", 1)):
            found = await model.chat.completions.create(
                model="echo", messages=messages, tools=[LOOK], extra_body={"tool_choice": choice}
            )
            assert len(found.choices[0].message.tool_calls or ()) == calls


async def test_a_history_without_answers_is_refused() -> None:
    history: Any = [HELLO, made(asked("a")), HELLO]
    async with client() as model:
        with pytest.raises(openai.BadRequestError, match="missing: a"):
            await model.chat.completions.create(model="m", messages=history)


async def test_the_assistant_that_ships_can_play_the_model() -> None:
    hello: Any = [HELLO]
    async with (
        mock_llm(AssistantPlayer("rules", respond)) as model,
        AsyncOpenAI(base_url=model.url, api_key="k", max_retries=0, timeout=10) as openai_client,
    ):
        said = await openai_client.chat.completions.create(model="rules", messages=hello)
        assert [known.id async for known in openai_client.models.list()] == ["rules"]
    assert said.choices[0].message.content
