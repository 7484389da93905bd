"""`realtime:MODEL` against a mock model over a real socket, and against servers that are odd."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
from openai import AsyncOpenAI
from websockets.asyncio.server import ServerConnection, serve

from assistant_gateway.access import Access
from assistant_gateway.agents.chat_history import NO_ANSWER
from assistant_gateway.agents.openai_realtime import realtime_agent
from assistant_gateway.agents.remote import (
    AgentFailed,
    AgentUnavailable,
    CallAnswer,
    CallPiece,
    Finished,
    Piece,
    RemoteAgent,
    TextPiece,
)
from assistant_gateway.mock_llm.server import mock_llm
from assistant_gateway.model import ModelChoice
from assistant_gateway.model_errors import ModelUnusable
from assistant_gateway.protocol import SessionStart
from tests.assistant_gateway.realtime import CALLS, KEY, Event, Listening

TOOL = {"type": "function", "function": {"name": "set_fan_speed", "parameters": {}, "strict": True}}
START = SessionStart(instructions="Be brief.", tools=[TOOL])
HANGS = {"say": "One two three", "between_s": 600, "at_most": 1}
YES = {"say": "Yes."}


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
async def seated(*rules: Event) -> AsyncIterator[tuple[Listening, RemoteAgent]]:
    player = Listening(*rules)
    async with mock_llm(player) as model, agent_at(model.url) as agent:
        yield player, agent


async def all_of(pieces: AsyncIterator[Piece]) -> list[Piece]:
    return [piece async for piece in pieces]


def text(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


def calls(pieces: list[Piece]) -> list[CallPiece]:
    return [piece for piece in pieces if isinstance(piece, CallPiece)]


async def first_words(pieces: AsyncIterator[Piece]) -> str:
    """What is said first; then the stream is closed, as by an interruption."""
    async with aclosing(pieces) as stream:  # type: ignore[type-var]
        async for piece in stream:
            if isinstance(piece, TextPiece):
                return piece.text
    raise AssertionError("it said nothing")


# --- what is said and called


async def test_words_are_passed_on_and_tokens_counted() -> None:
    async with seated({**YES, "usage": {"input": 40, "output": 2}}) as (player, agent):
        said = await all_of(agent.heard("Hello"))
        again = await all_of(agent.heard("Hello again"))
    assert text(said) == "Yes."
    assert said[-1] == Finished(
        {
            "model": "mock", "requests": 1, "retries": 0, "unreadable_calls": 0, "unreported": 0,
            "input_tokens": 40, "output_tokens": 2,
        }
    )  # fmt: skip
    assert isinstance(again[-1], Finished)
    assert again[-1].usage == said[-1].usage
    assert player.told() == [("user", "Hello"), ("assistant", "Yes."), ("user", "Hello again")]


async def test_the_server_learns_instructions_and_tools_before_the_first_turn() -> None:
    async with seated(YES) as (player, agent):
        await all_of(agent.heard("Hello"))
    [asked] = player.asked
    assert (asked.model, asked.system) == ("mock", "Be brief.")
    assert asked.tools[0]["function"]["name"] == "set_fan_speed"


async def test_after_all_results_there_is_one_more_response() -> None:
    async with seated(
        {"when": {"turn": 1}, "say": "I look.", "tool_calls": CALLS}, {"say": "Done."}
    ) as (player, agent):
        asked = await all_of(agent.heard("Faster"))
        made = calls(asked)
        answers = [CallAnswer(call.call_id, f"[{n}]") for n, call in enumerate(made)]
        said = await all_of(agent.answered(answers))
    assert [(call.name, call.arguments) for call in made] == [
        (call["name"], call["arguments"]) for call in CALLS
    ]
    assert (text(asked), text(said)) == ("I look.", "Done.")
    assert len(player.asked) == 2
    assert player.told()[1:] == [("assistant", "I look."), ("tool", "[0]"), ("tool", "[1]")]


async def test_a_call_nobody_can_read_is_told_to_the_model_which_tries_again() -> None:
    broken = {"fault": "malformed", "tool_calls": CALLS[:1], "at_most": 1}
    async with seated(broken, {"say": "Sorry."}) as (player, agent):
        said = await all_of(agent.heard("Faster"))
    assert text(said) == "Sorry."
    assert calls(said) == []
    assert "no JSON object" in player.told()[-1][1]
    assert isinstance(said[-1], Finished)
    assert said[-1].usage is not None
    assert (said[-1].usage["requests"], said[-1].usage["unreadable_calls"]) == (2, 1)


async def test_a_model_that_only_writes_such_calls_has_failed() -> None:
    async with seated({"fault": "malformed", "tool_calls": CALLS[:1]}) as (player, agent):
        with pytest.raises(AgentFailed, match="3 messages in a row"):
            await all_of(agent.heard("Faster"))
    assert len(player.asked) == 3


# --- interruptions


async def test_what_was_not_heard_leaves_the_conversation() -> None:
    async with seated(HANGS, YES) as (player, agent):
        assert await first_words(agent.heard("Count")) == "One"
        agent.interrupted("On")
        assert text(await all_of(agent.heard("Stop"))) == "Yes."
    assert player.told() == [("user", "Count"), ("assistant", "On"), ("user", "Stop")]


async def test_of_what_nobody_heard_nothing_stays() -> None:
    async with seated(HANGS, YES) as (player, agent):
        await first_words(agent.heard("Count"))
        agent.interrupted(" ")
        await all_of(agent.heard("Stop"))
    assert player.told() == [("user", "Count"), ("user", "Stop")]


async def test_a_message_that_was_complete_can_be_cut_as_well() -> None:
    async with seated({"when": {"turn": 1}, "say": "One two three"}, YES) as (player, agent):
        await all_of(agent.heard("Count"))
        agent.interrupted("One two")
        await all_of(agent.heard("Stop"))
    assert player.told() == [("user", "Count"), ("assistant", "One two"), ("user", "Stop")]


async def test_a_call_without_an_answer_gets_one() -> None:
    asking = {"when": {"turn": 1}, "say": "I look.", "tool_calls": CALLS[:1]}
    async with seated(asking, YES) as (player, agent):
        await all_of(agent.heard("Faster"))
        agent.interrupted("I")
        await all_of(agent.heard("Stop"))
    assert player.told() == [
        ("user", "Faster"),
        ("assistant", ""),
        ("tool", NO_ANSWER),
        ("assistant", "I"),
        ("user", "Stop"),
    ]


async def test_a_call_nobody_waited_for_was_never_made() -> None:
    async with seated({"say": "A", "tool_calls": CALLS, "at_most": 1}, YES) as (player, agent):
        await first_words(agent.heard("Faster"))
        agent.interrupted("")
        await all_of(agent.heard("Stop"))
    assert player.told() == [("user", "Faster"), ("user", "Stop")]


async def test_tokens_of_a_cancelled_response_are_counted_later() -> None:
    usage = {"usage": {"input": 10, "output": 1}}
    async with seated({**HANGS, **usage}, {**YES, **usage}) as (_, agent):
        await first_words(agent.heard("Count"))
        agent.interrupted("One")
        [*_, finished] = await all_of(agent.heard("Stop"))
    assert isinstance(finished, Finished)
    assert finished.usage is not None
    assert (finished.usage["requests"], finished.usage["unreported"]) == (2, 0)
    assert finished.usage["input_tokens"] == 20


# --- what goes wrong


@pytest.mark.parametrize(
    ("rule", "error", "told"),
    [
        ({"fault": 429}, AgentUnavailable, "rate_limit_exceeded: Rate limit reached"),
        ({"fault": 500, "say": f"key {KEY}"}, AgentUnavailable, r"server_error: key \[key\]"),
        ({"fault": 400, "say": "Bad."}, AgentFailed, "Bad."),
        ({"fault": 404, "say": "No such model."}, ModelUnusable, "No such model.*check the key"),
        ({"fault": "cut", "say": "one two"}, AgentUnavailable, "the connection failed"),
        ({"fault": "garbage"}, AgentUnavailable, "no JSON"),
        ({"when": {"last": "Nothing"}, "say": "x"}, AgentFailed, "no rule of the script"),
    ],
)
async def test_a_response_that_fails_says_whose_fault_it_is(
    rule: Event, error: type[Exception], told: str
) -> None:
    async with seated(rule) as (_, agent):
        with pytest.raises(error, match=told):
            await all_of(agent.heard("Hello"))


async def test_an_agent_that_was_lost_stays_lost() -> None:
    async with seated({"fault": "cut", "say": "one two"}) as (_, agent):
        for _ in range(2):
            with pytest.raises(AgentUnavailable, match="the connection failed"):
                await all_of(agent.heard("Hello"))


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_key_or_model_that_is_refused_is_of_no_use(status: int) -> None:
    player = Listening({"when": {"connecting": True}, "fault": status, "say": f"No, {KEY}."})
    async with mock_llm(player) as model:
        with pytest.raises(ModelUnusable, match=r"No, \[key\].*check the key"):
            async with agent_at(model.url):
                pass


async def test_a_server_that_is_busy_is_nobodys_failure() -> None:
    busy = {"when": {"connecting": True}, "fault": 503, "say": "Later."}
    async with seated(busy) as (_, agent):
        with pytest.raises(AgentUnavailable, match="HTTP 503: Later"):
            await all_of(agent.heard("Hello"))


async def test_a_server_that_is_away_is_nobodys_failure() -> None:
    async with mock_llm(Listening()) as model:
        gone = model.url
    async with agent_at(gone) as agent:
        with pytest.raises(AgentUnavailable, match="the connection failed"):
            await all_of(agent.heard("Hello"))


async def test_the_key_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with seated(YES) as (_, agent):
        await all_of(agent.heard("Hello"))
    assert caplog.records
    assert KEY not in caplog.text


# --- servers that are odd

Respond = Callable[["OddServer", int], Awaitable[None]]


class OddServer:
    """Sets a session up as it should, then answers the n-th `response.create` as a test wants."""

    def __init__(self, respond: Respond) -> None:
        self.respond = respond
        self.socket: ServerConnection
        self.created = 0

    async def __call__(self, socket: ServerConnection) -> None:
        self.socket = socket
        await self.send("session.created", session={"type": "realtime"})
        async for raw in socket:
            event = json.loads(raw)
            if event["type"] == "session.update":
                await self.send("rate_limits.updated", rate_limits=[])
                await self.send("session.updated", session=event["session"])
            elif event["type"] == "response.create":
                self.created += 1
                await self.respond(self, self.created)

    async def send(self, kind: str, **fields: Any) -> None:
        await self.socket.send(json.dumps({"type": kind, "event_id": "e", **fields}))

    async def begin(self, response_id: str) -> None:
        await self.send("response.created", response={"id": response_id})

    async def say(self, response_id: str, words: str) -> None:
        await self.send(
            "response.output_text.delta", response_id=response_id, item_id="i", delta=words
        )

    async def finish(self, response_id: str, status: str = "completed", **more: Any) -> None:
        response = {"id": response_id, "status": status, "output": [], **more}
        await self.send("response.done", response=response)

    async def until(self, kind: str) -> Event:
        """Wait for an event of the client."""
        async for raw in self.socket:
            event: Event = json.loads(raw)
            if event["type"] == kind:
                return event
        raise AssertionError(f"{kind} never came")


@asynccontextmanager
async def odd(respond: Respond) -> AsyncIterator[tuple[OddServer, RemoteAgent]]:
    server = OddServer(respond)
    async with serve(server, "127.0.0.1", 0) as listening:
        port = next(iter(listening.sockets)).getsockname()[1]
        async with agent_at(f"http://127.0.0.1:{port}/v1") as agent:
            yield server, agent


async def test_words_of_a_cancelled_response_that_come_late_are_dropped() -> None:
    async def respond(server: OddServer, number: int) -> None:
        await server.begin(f"r{number}")
        await server.say(f"r{number}", f"words {number}")
        if number == 1:
            cancel = await server.until("response.cancel")
            assert cancel["response_id"] == "r1"
            await server.say("r1", "late")
            await server.finish("r1", "cancelled")
            await server.say("r1", "later")
        else:
            await server.say("r1", "latest")
            await server.finish("r2")

    async with odd(respond) as (_, agent):
        await first_words(agent.heard("Hello"))
        agent.interrupted("words")
        assert text(await all_of(agent.heard("Stop"))) == "words 2"


async def test_a_response_dropped_before_it_began_is_cancelled_when_it_does() -> None:
    asked, dropped = asyncio.Event(), asyncio.Event()

    async def respond(server: OddServer, number: int) -> None:
        asked.set()
        await dropped.wait()
        await server.begin(f"r{number}")
        if number == 1:
            assert (await server.until("response.cancel"))["response_id"] == "r1"
            await server.finish("r1", "cancelled")
        else:
            await server.say("r2", "Yes.")
            await server.finish("r2")

    async with odd(respond) as (_, agent):
        hearing = asyncio.create_task(all_of(agent.heard("Hello")), name="hearing")
        await asked.wait()
        hearing.cancel()
        await asyncio.wait([hearing])
        agent.interrupted("")
        dropped.set()
        assert text(await all_of(agent.heard("Stop"))) == "Yes."


async def test_names_may_come_with_the_item_alone_and_unknown_events_are_ignored() -> None:
    item = {"type": "function_call", "id": "i1", "call_id": "c1", "name": "set_fan_speed"}

    async def respond(server: OddServer, number: int) -> None:
        await server.send("response.begun", response_id="r1")
        await server.begin("r1")
        await server.send("response.output_item.added", response_id="r1", item=item)
        await server.send("response.thinking.delta", response_id="r1", delta="hm")
        await server.send(
            "response.function_call_arguments.done",
            response_id="r1",
            item_id="i1",
            arguments='{"level": 3}',
        )
        await server.finish("r1")

    async with odd(respond) as (_, agent):
        said = await all_of(agent.heard("Faster"))
    assert calls(said) == [CallPiece("c1", "set_fan_speed", {"level": 3})]


async def test_a_call_may_come_as_a_whole_item_and_is_made_once() -> None:
    item = {"type": "function_call", "id": "i1", "call_id": "c1", "name": "a", "arguments": "{}"}

    async def respond(server: OddServer, number: int) -> None:
        await server.begin("r1")
        for _ in range(2):
            await server.send("response.output_item.done", response_id="r1", item=item)
        await server.finish("r1")

    async with odd(respond) as (_, agent):
        assert calls(await all_of(agent.heard("Faster"))) == [CallPiece("c1", "a", {})]


@pytest.mark.parametrize(
    ("details", "status"),
    [
        ({"type": "incomplete", "reason": "max_output_tokens"}, "incomplete"),
        ({"type": "cancelled", "reason": "turn_detected"}, "cancelled"),
    ],
)
async def test_a_response_that_ends_early_says_so(details: Event, status: str) -> None:
    async def respond(server: OddServer, number: int) -> None:
        await server.begin("r1")
        await server.say("r1", "One")
        await server.finish("r1", status, status_details=details)

    async with odd(respond) as (_, agent):
        said = await all_of(agent.heard("Count"))
    assert isinstance(said[-1], Finished)
    assert (said[-1].status, said[-1].reason) == (status, details["reason"])
    assert said[-1].usage is not None
    assert said[-1].usage["unreported"] == 1


async def test_a_content_filter_is_the_agents_failure() -> None:
    async def respond(server: OddServer, number: int) -> None:
        await server.begin("r1")
        await server.finish("r1", "incomplete", status_details={"reason": "content_filter"})

    async with odd(respond) as (_, agent):
        with pytest.raises(AgentFailed, match="content filter"):
            await all_of(agent.heard("Count"))


@pytest.mark.parametrize(
    ("problem", "error"),
    [
        ({"type": "server_error", "message": "Overloaded."}, AgentUnavailable),
        ({"type": "tokens", "code": "insufficient_quota", "message": "Pay."}, ModelUnusable),
    ],
)
async def test_an_error_without_a_cause_ends_what_is_under_way(
    problem: Event, error: type[Exception]
) -> None:
    async def respond(server: OddServer, number: int) -> None:
        await server.begin("r1")
        await server.send("error", error=problem)

    async with odd(respond) as (_, agent):
        with pytest.raises(error, match=problem["message"]):
            await all_of(agent.heard("Count"))


async def test_a_complaint_about_something_else_is_logged_and_nothing_more(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def respond(server: OddServer, number: int) -> None:
        await server.begin("r1")
        problem = {"type": "invalid_request_error", "message": f"Odd {KEY}.", "event_id": None}
        await server.send("error", error=problem)
        await server.say("r1", "Yes.")
        await server.finish("r1")

    async with odd(respond) as (_, agent):
        assert text(await all_of(agent.heard("Hello"))) == "Yes."
    assert "Odd [key]." in caplog.text


async def test_a_session_the_server_does_not_take_is_the_agents_failure() -> None:
    async def refuse(socket: ServerConnection) -> None:
        await socket.send('{"type": "session.created", "session": {"type": "realtime"}}')
        await socket.recv()
        problem = {"type": "invalid_request_error", "message": "Unknown tool type."}
        await socket.send(json.dumps({"type": "error", "error": problem}))
        await socket.wait_closed()

    async with serve(refuse, "127.0.0.1", 0) as listening:
        port = next(iter(listening.sockets)).getsockname()[1]
        async with agent_at(f"http://127.0.0.1:{port}/v1") as agent:
            with pytest.raises(AgentFailed, match="Unknown tool type"):
                await all_of(agent.heard("Hello"))
