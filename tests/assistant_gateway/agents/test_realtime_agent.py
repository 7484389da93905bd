"""`realtime:MODEL` against a mock model over a real socket."""

import logging

import pytest

from assistant_gateway.agents.remote import NO_ANSWER, AgentFailed, AgentUnavailable, Finished
from assistant_gateway.mock_llm.server import mock_llm
from assistant_gateway.models.errors import ModelUnusable
from tests.assistant_gateway.realtime import CALLS, KEY, Event, Listening
from tests.assistant_gateway.realtime_rig import (
    agent_at,
    all_of,
    calls,
    first_words,
    realtime_rig,
    text,
)

HANGS = {"say": "One two three", "between_s": 600, "at_most": 1}
YES = {"say": "Yes."}


# --- what is said and called


async def test_words_are_passed_on_and_tokens_counted() -> None:
    async with realtime_rig({**YES, "usage": {"input": 40, "output": 2}}) as (player, agent):
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
    assert player.texts() == [
        ("user", "Hello"),
        ("assistant", "Yes."),
        ("user", "Hello again"),
    ]


async def test_the_server_learns_instructions_and_tools_before_the_first_turn() -> None:
    async with realtime_rig(YES) as (player, agent):
        await all_of(agent.heard("Hello"))
    [asked] = player.asked
    assert (asked.model, asked.system) == ("mock", "Be brief.")
    assert asked.tools[0]["function"]["name"] == "set_fan_speed"


async def test_after_all_results_there_is_one_more_response() -> None:
    async with realtime_rig(
        {"when": {"turn": 1}, "say": "I look.", "tool_calls": CALLS}, {"say": "Done."}
    ) as (player, agent):
        asked = await all_of(agent.heard("Faster"))
        made = calls(asked)
        answers = {call.call_id: f"[{n}]" for n, call in enumerate(made)}
        said = await all_of(agent.answered(answers))
    assert [(call.name, call.arguments) for call in made] == [
        (call["name"], call["arguments"]) for call in CALLS
    ]
    assert (text(asked), text(said)) == ("I look.", "Done.")
    assert len(player.asked) == 2
    assert player.texts()[1:] == [("assistant", "I look."), ("tool", "[0]"), ("tool", "[1]")]


async def test_an_unreadable_call_is_reported_to_the_model_which_tries_again() -> None:
    broken = {"fault": "malformed", "tool_calls": CALLS[:1], "at_most": 1}
    async with realtime_rig(broken, {"say": "Sorry."}) as (player, agent):
        said = await all_of(agent.heard("Faster"))
    assert text(said) == "Sorry."
    assert calls(said) == []
    assert "no JSON object" in player.texts()[-1][1]
    assert isinstance(said[-1], Finished)
    assert said[-1].usage is not None
    assert (said[-1].usage["requests"], said[-1].usage["unreadable_calls"]) == (2, 1)


async def test_a_model_that_only_writes_such_calls_has_failed() -> None:
    async with realtime_rig({"fault": "malformed", "tool_calls": CALLS[:1]}) as (player, agent):
        with pytest.raises(AgentFailed, match="3 messages in a row"):
            await all_of(agent.heard("Faster"))
    assert len(player.asked) == 3


# --- interruptions


async def test_what_was_not_heard_leaves_the_conversation() -> None:
    async with realtime_rig(HANGS, YES) as (player, agent):
        assert await first_words(agent.heard("Count")) == "One"
        agent.interrupted("On")
        assert text(await all_of(agent.heard("Stop"))) == "Yes."
    assert player.texts() == [("user", "Count"), ("assistant", "On"), ("user", "Stop")]


async def test_of_what_nobody_heard_nothing_stays() -> None:
    async with realtime_rig(HANGS, YES) as (player, agent):
        await first_words(agent.heard("Count"))
        agent.interrupted(" ")
        await all_of(agent.heard("Stop"))
    assert player.texts() == [("user", "Count"), ("user", "Stop")]


async def test_a_message_that_was_complete_can_be_cut_as_well() -> None:
    async with realtime_rig({"when": {"turn": 1}, "say": "One two three"}, YES) as (player, agent):
        await all_of(agent.heard("Count"))
        agent.interrupted("One two")
        await all_of(agent.heard("Stop"))
    assert player.texts() == [("user", "Count"), ("assistant", "One two"), ("user", "Stop")]


async def test_a_call_without_an_answer_gets_one() -> None:
    asking = {"when": {"turn": 1}, "say": "I look.", "tool_calls": CALLS[:1]}
    async with realtime_rig(asking, YES) as (player, agent):
        await all_of(agent.heard("Faster"))
        agent.interrupted("I")
        await all_of(agent.heard("Stop"))
    assert player.texts() == [
        ("user", "Faster"),
        ("assistant", ""),
        ("tool", NO_ANSWER),
        ("assistant", "I"),
        ("user", "Stop"),
    ]


async def test_an_answer_that_comes_after_the_interruption_is_sent_all_the_same() -> None:
    asking = {"when": {"turn": 1}, "say": "I look.", "tool_calls": CALLS[:1]}
    async with realtime_rig(asking, YES) as (player, agent):
        [call] = calls(await all_of(agent.heard("Faster")))
        agent.interrupted("")
        await all_of(agent.heard("Stop", {call.call_id: "SUCCESS"}))
    assert ("tool", "SUCCESS") in player.texts()


async def test_a_call_nobody_waited_for_was_never_made() -> None:
    async with realtime_rig({"say": "A", "tool_calls": CALLS, "at_most": 1}, YES) as (
        player,
        agent,
    ):
        await first_words(agent.heard("Faster"))
        agent.interrupted("")
        await all_of(agent.heard("Stop"))
    assert player.texts() == [("user", "Faster"), ("user", "Stop")]


async def test_tokens_of_a_cancelled_response_are_counted_later() -> None:
    usage = {"usage": {"input": 10, "output": 1}}
    async with realtime_rig({**HANGS, **usage}, {**YES, **usage}) as (_, agent):
        await first_words(agent.heard("Count"))
        agent.interrupted("One")
        [*_, finished] = await all_of(agent.heard("Stop"))
    assert isinstance(finished, Finished)
    assert finished.usage is not None
    assert (finished.usage["requests"], finished.usage["unreported"]) == (2, 0)
    assert finished.usage["input_tokens"] == 20


# --- what goes wrong


@pytest.mark.parametrize(
    ("rule", "error", "reason"),
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
    rule: Event, error: type[Exception], reason: str
) -> None:
    async with realtime_rig(rule) as (_, agent):
        with pytest.raises(error, match=reason):
            await all_of(agent.heard("Hello"))


async def test_an_agent_that_was_lost_stays_lost() -> None:
    async with realtime_rig({"fault": "cut", "say": "one two"}) as (_, agent):
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


async def test_a_page_instead_of_a_handshake_is_reported_in_a_line() -> None:
    page = {"when": {"connecting": True}, "fault": 404, "say": "<html>\nNot\nhere.\n</html>"}
    async with mock_llm(Listening(page)) as model:
        with pytest.raises(ModelUnusable, match=r"<html> Not here\. </html>"):
            async with agent_at(model.url):
                pass


async def test_a_server_that_is_busy_is_nobodys_failure() -> None:
    busy = {"when": {"connecting": True}, "fault": 503, "say": "Later."}
    async with realtime_rig(busy) as (_, agent):
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
    async with realtime_rig(YES) as (_, agent):
        await all_of(agent.heard("Hello"))
    assert caplog.records
    assert KEY not in caplog.text
