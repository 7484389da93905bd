import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import openai
import pytest
from openai import AsyncOpenAI

from assistant_gateway.agents.a2a import card as a2a_card
from assistant_gateway.agents.chat import agent as openai_chat
from assistant_gateway.mock_llm.request import ChatRequest
from assistant_gateway.mock_llm.script import MockScript, Player, ScriptError, as_script
from assistant_gateway.mock_llm.server import MockModel, mock_llm
from assistant_gateway.net import web
from assistant_gateway.net.ports import PortTaken

HELLO: list[Any] = [{"role": "user", "content": "Hello"}]
CALLS = [
    {"name": "open_close_sunroof", "arguments": {"percentage": 50}},
    {"name": "get_weather", "arguments": {"place": "Zürich", "hours": [9, 10]}},
]


@asynccontextmanager
async def served(*rules: dict[str, Any]) -> AsyncIterator[tuple[MockModel, AsyncOpenAI]]:
    script = as_script({"rules": list(rules)})
    async with (
        asyncio.timeout(20),
        mock_llm(script) as server,
        AsyncOpenAI(base_url=server.url, api_key="k", max_retries=0, timeout=10) as client,
    ):
        yield server, client


async def test_a_plain_answer_comes_with_token_counts() -> None:
    async with served({"say": "Good morning."}) as (_, client):
        answer = await client.chat.completions.create(model="mock", messages=HELLO)
    assert answer.choices[0].message.content == "Good morning."
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


async def test_a_streamed_answer_is_the_plain_one_in_words_with_usage_last() -> None:
    async with served({"say": "Good  morning, driver."}) as (_, client):
        stream = await client.chat.completions.create(
            model="mock", messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
    texts = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices]
    assert "".join(text or "" for text in texts) == "Good  morning, driver."
    assert len([text for text in texts if text]) == 3
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert all(chunk.usage is None for chunk in chunks[:-1])


async def test_no_usage_is_streamed_unless_it_is_asked_for() -> None:
    async with served({"say": "Yes."}) as (_, client):
        stream = await client.chat.completions.create(model="mock", messages=HELLO, stream=True)
        chunks = [chunk async for chunk in stream]
    assert all(chunk.choices and chunk.usage is None for chunk in chunks)


async def test_streamed_tool_calls_come_in_fragments_that_add_up() -> None:
    async with (
        served({"say": "One moment.", "tool_calls": CALLS}) as (_, client),
        client.chat.completions.stream(model="mock", messages=HELLO) as stream,
    ):
        kinds = [event.type async for event in stream]
        whole = await stream.get_final_completion()
    calls = whole.choices[0].message.tool_calls or []
    heard = [(call.function.name, json.loads(call.function.arguments)) for call in calls]
    assert heard == [(call["name"], call["arguments"]) for call in CALLS]
    assert kinds.count("tool_calls.function.arguments.delta") > 2
    assert whole.choices[0].finish_reason == "tool_calls"
    assert len({call.id for call in calls}) == 2


async def test_structured_output_is_json_text() -> None:
    async with served({"when": {"schema": "verdict"}, "json": {"followed": True}}) as (_, client):
        answer = await client.chat.completions.create(
            model="mock",
            messages=HELLO,
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "policy_verdict", "schema": {"type": "object"}},
            },
        )
    assert json.loads(answer.choices[0].message.content or "") == {"followed": True}


async def test_a_refusal_has_no_content() -> None:
    async with served({"fault": "refusal", "say": "I would rather not."}) as (_, client):
        answer = await client.chat.completions.create(model="mock", messages=HELLO)
        message = answer.choices[0].message
    assert message.content is None
    assert message.refusal == "I would rather not."


async def test_malformed_arguments_are_no_json() -> None:
    rule = {"fault": "malformed", "tool_calls": CALLS[:1]}
    async with served(rule) as (_, client):
        answer = await client.chat.completions.create(model="mock", messages=HELLO)
    [call] = answer.choices[0].message.tool_calls or []
    assert call.type == "function"
    with pytest.raises(json.JSONDecodeError):
        json.loads(call.function.arguments)


CUT = {"fault": "cut", "say": "This will never be heard to its end."}


async def test_a_cut_answer_is_a_broken_connection() -> None:
    async with served(CUT) as (_, client):
        with pytest.raises(openai.APIConnectionError):
            await client.chat.completions.create(model="mock", messages=HELLO)


async def test_a_stream_can_be_cut_in_the_middle() -> None:
    heard: list[str | None] = []

    async def listen(stream: openai.AsyncStream[Any]) -> None:
        async for chunk in stream:
            heard.append(chunk.choices[0].delta.content)

    async with served(CUT) as (_, client):
        stream = await client.chat.completions.create(model="mock", messages=HELLO, stream=True)
        with pytest.raises((openai.APIConnectionError, httpx2.TransportError)):
            await listen(stream)
    assert 0 < len("".join(filter(None, heard))) < len(CUT["say"])


async def test_a_rate_limit_says_when_to_come_back() -> None:
    async with served({"fault": 429, "retry_after_s": 1.5}) as (_, client):
        with pytest.raises(openai.RateLimitError) as caught:
            await client.chat.completions.create(model="mock", messages=HELLO)
    assert caught.value.response.headers["retry-after"] == "1.5"


async def test_a_server_error_can_happen_once_and_be_over() -> None:
    async with served({"fault": 500, "at_most": 1}, {"say": "Back again."}) as (server, client):
        with pytest.raises(openai.InternalServerError):
            await client.chat.completions.create(model="mock", messages=HELLO)
        answer = await client.chat.completions.create(model="mock", messages=HELLO)
        assert server.player.used == [1, 1]
    assert answer.choices[0].message.content == "Back again."


async def test_a_slow_answer_is_late_by_what_the_script_says() -> None:
    async with served({"fault": "slow", "after_s": 0.3, "say": "Finally."}) as (_, client):
        impatient = client.with_options(timeout=0.1)
        with pytest.raises(openai.APITimeoutError):
            await impatient.chat.completions.create(model="mock", messages=HELLO)


async def test_a_request_no_rule_matches_is_answered_with_its_last_message() -> None:
    async with served({"when": {"last": "weather"}, "say": "Rain."}) as (_, client):
        with pytest.raises(openai.BadRequestError, match=r"no rule of the script matches.*Hello"):
            await client.chat.completions.create(model="mock", messages=HELLO)


async def test_what_is_null_was_not_asked_for() -> None:
    async with served({"say": "Yes."}) as (server, _), httpx2.AsyncClient() as http:
        fields: dict[str, Any] = {"model": "mock", "messages": [{"role": "user", "content": "Hi"}]}
        nothing = dict.fromkeys(("stream", "stream_options", "tools", "response_format"))
        answer = await http.post(f"{server.url}/chat/completions", json={**fields, **nothing})
        assert answer.json()["choices"][0]["message"]["content"] == "Yes."


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("{", "this is no JSON"),
        ('{"messages": []}', "this is no chat completion request: model: Field required"),
    ],
)
async def test_what_is_no_request_is_reported_in_one_line(body: str, reason: str) -> None:
    async with served({"say": "Yes."}) as (server, _), httpx2.AsyncClient() as http:
        answer = await http.post(f"{server.url}/chat/completions", content=body)
        message = answer.json()["error"]["message"]
    assert (answer.status_code, message.count("\n")) == (400, 0)
    assert message.startswith(reason)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"n": 2}, "n: Input should be 1"),
        ({"functions": []}, "functions is not known here; use tools"),
        ({"function_call": "auto"}, "function_call is not known here; use tool_choice"),
        ({"tools": [{"type": "custom", "custom": {}}]}, "only tools of type function"),
    ],
)
async def test_what_would_change_the_answer_is_refused_by_its_name(
    asked: dict[str, Any], reason: str
) -> None:
    async with served({"say": "Yes."}) as (_, client):
        with pytest.raises(openai.BadRequestError, match=reason):
            await client.chat.completions.create(model="mock", messages=HELLO, extra_body=asked)


async def test_tools_that_may_not_be_called_are_not_offered() -> None:
    offered: Any = [{"type": "function", "function": {"name": "look", "parameters": {}}}]
    rule = {"when": {"tools": False}, "say": "I may not look."}
    async with served(rule) as (_, client):
        answer = await client.chat.completions.create(
            model="mock", messages=HELLO, tools=offered, tool_choice="none"
        )
        assert answer.choices[0].message.content == "I may not look."
        with pytest.raises(openai.BadRequestError, match="no rule"):
            await client.chat.completions.create(model="mock", messages=HELLO, tools=offered)


async def test_an_api_that_is_not_served_is_refused_by_its_name() -> None:
    async with served({"say": "Yes."}) as (_, client):
        with pytest.raises(openai.NotFoundError, match=r"POST /v1/responses: the Responses API"):
            await client.responses.create(model="mock", input="Hello")
        with pytest.raises(openai.NotFoundError, match="the legacy Completions API"):
            await client.completions.create(model="mock", prompt="Hello")
        with pytest.raises(openai.NotFoundError, match="GET /v1/threads/7: this is not served"):
            await client.get("/threads/7", cast_to=object)
        with pytest.raises(openai.APIStatusError, match="GET /v1/chat/completions") as refused:
            await client.get("/chat/completions", cast_to=object)
    assert refused.value.status_code == 405


async def test_any_model_can_be_looked_up() -> None:
    async with served({"say": "Yes."}) as (_, client):
        assert (await client.models.retrieve("org/any")).id == "org/any"


async def test_models_are_listed() -> None:
    async with served({"say": "Yes."}) as (_, client):
        assert [model.id async for model in client.models.list()] == ["mock"]


def test_our_servers_keep_a_connection_longer_than_our_clients_do() -> None:
    assert max(openai_chat.KEPT_OPEN_S, a2a_card.IDLE_CONNECTION_S) < web.KEPT_OPEN_S


async def test_a_taken_port_is_an_error_at_once() -> None:
    script = MockScript()
    async with mock_llm(script) as server:
        with pytest.raises(PortTaken, match="in use; name another --port, or 0 for any free one"):
            async with mock_llm(script, port=server.port):
                pass


# --- rules, without a socket


def request(*messages: tuple[str, str], **more: Any) -> ChatRequest:
    listed = [{"role": role, "content": content} for role, content in messages]
    return ChatRequest.model_validate({"model": "mock", "messages": listed, **more})


@pytest.mark.parametrize(
    ("when", "holds"),
    [
        ({}, True),
        ({"last": "SUNROOF"}, True),
        ({"last": "window"}, False),
        ({"system": "you drive"}, True),
        ({"any": "Good morning"}, True),
        ({"any": "you drive"}, False),
        ({"turn": 2}, True),
        ({"turn": 1}, False),
        ({"role": "user"}, True),
        ({"role": "tool"}, False),
        ({"tools": True}, False),
        ({"model": "^mock$"}, True),
        ({"schema": "verdict"}, False),
        ({"last": "sunroof", "turn": 3}, False),
    ],
)
def test_a_rule_matches_when_all_its_conditions_hold(when: dict[str, Any], holds: bool) -> None:
    asked = request(
        ("system", "You drive a car."),
        ("assistant", "Good morning."),
        ("user", "Which sunroof?"),
    )
    script = as_script({"rules": [{"when": when, "say": "yes"}]})
    assert (Player(script).reply_to(asked) is not None) == holds


def test_the_first_rule_wins_until_it_is_used_up() -> None:
    player = Player(
        as_script(
            {"rules": [{"say": "a", "at_most": 2}, {"say": "b", "at_most": 1}],
             "otherwise": {"say": "c"}}
        )
    )  # fmt: skip
    replies = [player.reply_to(request(("user", "?"))) for _ in range(4)]
    assert [reply.say for reply in replies if reply] == ["a", "a", "b", "c"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ([], "expected a mapping"),
        ({"rules": [{"when": {"last": "("}, "say": "x"}]}, "rules.0.when.last.*no regular"),
        ({"rules": [{}]}, "give say, json or tool_calls"),
        ({"rules": [{"say": "x", "json": {}}]}, "either say or json"),
        ({"rules": [{"fault": 200}]}, "no HTTP status"),
        ({"rules": [{"say": "x", "whne": {}}]}, "rules.0.whne"),
        ({"rules": [{"fault": "explode"}]}, "rules.0.fault"),
    ],
)
def test_a_script_that_cannot_be_used_says_where(data: Any, reason: str) -> None:
    with pytest.raises(ScriptError, match=reason):
        as_script(data)
