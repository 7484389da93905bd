"""`realtime:MODEL` against servers that begin late, talk too much, or say less than they should."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from openai.types.realtime import ResponseTextDeltaEvent
from websockets.asyncio.server import ServerConnection, serve

from assistant_gateway.agents.realtime.connection import AHEAD, PendingResponse
from assistant_gateway.agents.remote import (
    AgentFailed,
    AgentUnavailable,
    CallPiece,
    Finished,
    RemoteAgent,
)
from assistant_gateway.models.errors import ModelUnusable
from tests.assistant_gateway.realtime import KEY, Event
from tests.assistant_gateway.realtime_rig import agent_at, all_of, calls, first_words, text

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


def word(number: int) -> ResponseTextDeltaEvent:
    return ResponseTextDeltaEvent(
        type="response.output_text.delta",
        event_id="e",
        response_id="r",
        item_id="i",
        output_index=0,
        content_index=0,
        delta=str(number),
    )


async def test_a_server_is_read_no_further_than_what_there_is_room_for() -> None:
    pending = PendingResponse(over=False)
    for number in range(AHEAD):
        await pending.put(word(number))
    reading = asyncio.create_task(pending.put(word(AHEAD)), name="reading")
    await asyncio.sleep(0)
    assert not reading.done()
    taken = [await pending.event() for _ in range(AHEAD + 1)]
    await reading
    assert taken == list(map(word, range(AHEAD + 1)))


async def test_a_server_that_talks_on_after_it_was_cancelled_stops_nobody() -> None:
    async def respond(server: OddServer, number: int) -> None:
        await server.begin(f"r{number}")
        await server.say(f"r{number}", f"words {number}")
        if number == 1:
            await server.until("response.cancel")
            for _ in range(4 * AHEAD):
                await server.say("r1", "late")
            await server.finish("r1", "cancelled")
        else:
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
        reading = asyncio.create_task(all_of(agent.heard("Hello")), name="reading")
        await asked.wait()
        reading.cancel()
        await asyncio.wait([reading])
        agent.interrupted("")
        dropped.set()
        assert text(await all_of(agent.heard("Stop"))) == "Yes."


async def test_a_character_that_comes_in_halves_is_said_whole() -> None:
    async def respond(server: OddServer, number: int) -> None:
        await server.begin("r1")
        for piece in ("Hi \ud83d", "\ude97 there"):
            await server.say("r1", piece)
        await server.finish("r1")

    async with odd(respond) as (_, agent):
        assert text(await all_of(agent.heard("Hello"))) == "Hi \N{AUTOMOBILE} there"


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
