"""What an MCP client is told, and what is done for it; the gateway is played by the test."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from mcp_types import CallToolResult

from assistant_gateway.agents.mcp import conversation as module
from assistant_gateway.agents.mcp.conversation import LEFT, NOT_DONE, McpConversation
from assistant_gateway.agents.remote import (
    NO_ANSWER,
    AgentFailed,
    CallPiece,
    Finished,
    Piece,
    TextPiece,
)
from assistant_gateway.protocol import SessionStart

SUCCESS = '{"status": "SUCCESS", "result": {}}'
FAILURE = '{"status": "FAILURE", "errors": {"X_001": "no"}}'


def texts(result: CallToolResult) -> list[str]:
    return [block.text for block in result.content if block.type == "text"]


async def message(stream: AsyncGenerator[Piece]) -> list[Piece]:
    async with asyncio.timeout(5):
        return [piece async for piece in stream]


class Talk:
    """A conversation that has begun: the driver said "Hello." and the client was told."""

    def __init__(self) -> None:
        self.conversation = McpConversation(SessionStart(instructions="Be kind.", tools=[]))
        self.agent: asyncio.Task[list[Piece]]

    async def begin(self) -> CallToolResult:
        first = asyncio.create_task(self.conversation.first_words())
        self.hear("Hello.")
        return await first

    def hear(self, text: str, **late: str) -> None:
        self.agent = asyncio.create_task(message(self.conversation.heard(text, late)))

    async def interrupt(self, text: str, **late: str) -> None:
        """The driver gives up waiting, and speaks again."""
        self.agent.cancel()
        await asyncio.wait([self.agent])
        self.conversation.interrupted("")
        self.hear(text, **late)
        await asyncio.sleep(0)


async def test_a_conversation_begins_with_the_rules_and_the_drivers_first_words() -> None:
    talk = Talk()
    result = await talk.begin()
    assert texts(result) == ["Be kind.", "Hello."]
    assert result.structured_content == {"user_message": "Hello.", "conversation_over": False}
    again = await talk.conversation.first_words()  # its context was lost
    assert texts(again) == ["Be kind.", "Hello."]


async def test_what_the_client_says_is_answered_by_what_the_driver_says_next() -> None:
    talk = Talk()
    await talk.begin()
    saying = asyncio.create_task(talk.conversation.say("Good day."))
    assert await talk.agent == [TextPiece("Good day."), Finished()]
    assert not saying.done()
    talk.hear("Open the trunk.")
    assert texts(await saying) == ["Open the trunk."]


@pytest.mark.parametrize(("output", "is_error"), [(SUCCESS, False), (FAILURE, True)])
async def test_a_refusal_of_the_car_is_a_result(output: str, is_error: bool) -> None:
    talk = Talk()
    await talk.begin()
    calling = asyncio.create_task(talk.conversation.call("set_fan_speed", {"level": 9}))
    assert await talk.agent == [CallPiece("c1", "set_fan_speed", {"level": 9}), Finished()]
    talk.conversation.answered({"c1": output})
    result = await calling
    assert (texts(result), result.is_error) == ([output], is_error)


async def test_calls_that_come_together_are_one_message() -> None:
    talk = Talk()
    await talk.begin()
    names = ("get_weather", "get_car_color")
    calling = [asyncio.create_task(talk.conversation.call(name, {})) for name in names]
    pieces = await talk.agent
    assert [piece.name for piece in pieces if isinstance(piece, CallPiece)] == list(names)
    talk.conversation.answered({"c1": "one", "c2": "two"})
    assert [texts(await each) for each in calling] == [["one"], ["two"]]


async def test_what_is_decided_without_hearing_the_driver_is_not_done() -> None:
    talk = Talk()
    await talk.begin()
    await talk.interrupt("Are you there?")
    result = await talk.conversation.call("set_fan_speed", {"level": 3})
    assert (texts(result), result.is_error) == ([NOT_DONE, "The driver: Are you there?"], True)
    saying = asyncio.create_task(talk.conversation.say("Yes."))  # now it has been told
    assert await talk.agent == [TextPiece("Yes."), Finished()]
    saying.cancel()


async def test_a_call_under_way_tells_with_its_result_what_the_driver_said_meanwhile() -> None:
    talk = Talk()
    await talk.begin()
    calling = asyncio.create_task(talk.conversation.call("set_fan_speed", {"level": 3}))
    await talk.agent
    await talk.interrupt("Stop!", c1=SUCCESS)
    assert texts(await calling) == [SUCCESS, "Stop!"]


async def test_a_call_without_an_answer_says_so() -> None:
    talk = Talk()
    await talk.begin()
    calling = asyncio.create_task(talk.conversation.call("set_fan_speed", {"level": 3}))
    await talk.agent
    await talk.interrupt("Hello?")
    assert texts(await calling) == [NO_ANSWER, "Hello?"]


async def test_what_the_client_gives_up_while_it_is_queued_is_not_done() -> None:
    talk = Talk()
    await talk.begin()
    first = asyncio.create_task(talk.conversation.call("get_weather", {}))
    await talk.agent
    given_up = [
        asyncio.create_task(talk.conversation.say("Good day.")),
        asyncio.create_task(talk.conversation.call("set_fan_speed", {"level": 3})),
    ]
    await asyncio.sleep(0)
    for each in given_up:
        each.cancel()
    await asyncio.wait(given_up)
    kept = asyncio.create_task(talk.conversation.say("It is sunny."))
    await asyncio.sleep(0)
    answering = talk.conversation.answered({"c1": SUCCESS})
    assert await message(answering) == [TextPiece("It is sunny."), Finished()]
    assert texts(await first) == [SUCCESS]
    kept.cancel()


async def test_a_silent_driver_is_waited_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.01)
    talk = Talk()
    await talk.begin()
    result = await talk.conversation.say("Good day.")
    assert "call wait_for_user" in texts(result)[0]
    talk.hear("Yes.")
    await asyncio.sleep(0)
    assert texts(await talk.conversation.wait()) == ["Yes."]


async def test_the_end_answers_whatever_the_client_waits_for() -> None:
    talk = Talk()
    await talk.begin()
    saying = asyncio.create_task(talk.conversation.say("Good day."))
    await talk.agent
    await talk.conversation.ended("ended", {})
    for result in (await saying, await talk.conversation.call("get_weather", {})):
        assert result.structured_content == {"user_message": None, "conversation_over": True}


async def test_the_call_that_ends_the_conversation_still_gets_its_result() -> None:
    talk = Talk()
    await talk.begin()
    calling = asyncio.create_task(talk.conversation.call("call_phone_by_number", {}))
    await talk.agent
    await talk.conversation.ended("call_placed", {"c1": SUCCESS})
    assert texts(await calling) == [SUCCESS]


async def test_a_program_that_ends_too_early_has_failed() -> None:
    talk = Talk()
    await talk.begin()
    await talk.conversation.leave()
    with pytest.raises(AgentFailed, match=LEFT):
        await talk.agent


async def test_nothing_is_done_before_the_conversation_has_begun() -> None:
    talk = Talk()
    for result in (
        await talk.conversation.call("set_fan_speed", {"level": 3}),
        await talk.conversation.say("Hello."),
        await talk.conversation.wait(),
    ):
        assert result.is_error
        assert "start_conversation" in texts(result)[0]
