"""When a mock model says what, without a socket."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.mock_llm.answer import Answer
from assistant_gateway.mock_llm.pacing import AT_ONCE, Paced, Timing, fixed_timing, paced
from assistant_gateway.mock_llm.request import ChatRequest
from assistant_gateway.mock_llm.script import ScriptedReply
from assistant_gateway.timing.latency import LatencyProfile, latency_profile
from assistant_gateway.timing.timeline import MS, SECOND

LONG = "one two three four five six seven eight nine ten eleven twelve thirteen"
CALL = {"name": "open_close_sunroof", "arguments": {"percentage": 50, "reason": "x" * 40}}
SLOW = Timing(latency_profile("cloud_fast"))


def request(*said: str, tools: int = 0, system: str = "Be brief.") -> ChatRequest:
    """The driver and the assistant by turns."""
    roles = ("user", "assistant")
    messages = [{"role": "system", "content": system}]
    messages += [{"role": roles[n % 2], "content": text} for n, text in enumerate(said)]
    offered = [{"type": "function", "function": {"name": f"tool_{n}"}} for n in range(tools)]
    return ChatRequest.model_validate({"model": "m", "messages": messages, "tools": offered})


def plan(timing: Timing, asked: ChatRequest | None = None, **reply: Any) -> Paced:
    return paced(Answer(asked or request("Hello"), ScriptedReply.model_validate(reply), 1), timing)


def words(planned: Paced) -> str:
    return "".join(piece.text for piece in planned.fragments if piece.call is None)


def test_without_a_profile_everything_is_due_at_once_in_words() -> None:
    planned = plan(AT_ONCE, say=LONG)
    assert words(planned) == LONG
    assert len(planned.fragments) == 13
    assert {piece.after_ns for piece in planned.fragments} == {0}


def test_arguments_come_in_fragments_that_add_up() -> None:
    planned = plan(SLOW, say="One moment.", tool_calls=[CALL, {"name": "b"}])
    for number, arguments in enumerate((CALL["arguments"], {})):
        pieces = [piece.text for piece in planned.fragments if piece.call == number]
        assert json.loads("".join(pieces)) == arguments
    times = [piece.after_ns for piece in planned.fragments]
    assert times == sorted(times)
    assert planned.end_ns == times[-1] > planned.first_ns


@given(st.text(), st.sampled_from([AT_ONCE, SLOW]))
def test_whatever_is_said_arrives_whole_and_in_order(text: str, timing: Timing) -> None:
    planned = plan(timing, say=text)
    due = [piece.after_ns for piece in planned.fragments]
    assert words(planned) == text
    assert due == sorted(due)


def test_a_fixed_delay_is_kept_to_the_nanosecond() -> None:
    planned = plan(fixed_timing(500), say=LONG)
    assert planned.first_ns == planned.end_ns == 500 * MS


def test_a_profile_streams_bursts_after_the_first_token() -> None:
    planned = plan(SLOW, say=LONG)
    assert planned.first_ns > 100 * MS
    assert planned.fragments[0].after_ns == planned.first_ns
    assert len({piece.after_ns for piece in planned.fragments}) == 3


def test_the_same_request_takes_the_same_time_and_another_seed_does_not() -> None:
    assert plan(SLOW, say="Yes.") == plan(SLOW, say="Yes.")
    other = Timing(SLOW.profile, seed=11)
    assert plan(other, say="Yes.").first_ns != plan(SLOW, say="Yes.").first_ns


def test_each_answer_and_each_conversation_has_its_own_chance() -> None:
    asked = (
        request("Hello"),
        request("Good morning"),
        request("Hello", system="Be kind."),
        request("Hello", "Yes?", "The window"),
        request("Hello", "Yes?", "The window", "It is open.", "Thanks"),
    )
    assert len({plan(SLOW, one, say="Yes.").first_ns for one in asked}) == len(asked)


def test_a_prompt_is_read_once() -> None:
    profile = LatencyProfile(source="test", prefill_tokens_per_s=1000, session_sigma=0)
    timing = Timing(profile)
    first = plan(timing, request("Hello", tools=57), say="Yes?")
    later = plan(timing, request("Hello", "Yes?", "x" * 40, tools=57), say="Yes.")
    assert first.first_ns > 300 * MS
    assert later.first_ns == 10 * MS


def test_delays_of_the_script_come_on_top() -> None:
    planned = plan(fixed_timing(100), say="one two", after_s=1, between_s=0.5)
    due = [piece.after_ns for piece in planned.fragments]
    assert due == [SECOND + 100 * MS, SECOND + 600 * MS]
    assert planned.first_ns == due[0]
