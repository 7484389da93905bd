from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.agents.chat.completion import Completion, UnreadableCall
from assistant_gateway.agents.chat.history import ChatHistory
from assistant_gateway.agents.remote import NO_ANSWER, CallPiece

FAN = CallPiece("a", "set_fan_speed", {"level": 3})
BROKEN = UnreadableCall("b", "set fan speed!", "the arguments are no JSON object")


def roles(history: ChatHistory) -> list[str]:
    return [message["role"] for message in history.messages]


def test_a_turn_is_sent_as_the_api_takes_it() -> None:
    history = ChatHistory("Be brief.")
    history.heard("Fan to three.")
    history.said(Completion("One moment.", (FAN,)))
    history.answered({"a": "SUCCESS"})
    history.said(Completion("Done."))
    call = {"name": "set_fan_speed", "arguments": '{"level":3}'}
    assert history.messages == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Fan to three."},
        {
            "role": "assistant",
            "content": "One moment.",
            "tool_calls": [{"id": "a", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": "a", "content": "SUCCESS"},
        {"role": "assistant", "content": "Done."},
    ]


def test_an_unreadable_call_is_answered_by_its_error_and_sent_back_readable() -> None:
    history = ChatHistory("")
    history.heard("Fan to three.")
    history.said(Completion("", (BROKEN, FAN)))
    history.answered({"a": "SUCCESS"})
    _, _, message, error, answer = history.messages
    sent_back = message["tool_calls"][0]["function"]
    assert sent_back == {"name": "set_fan_speed_", "arguments": "{}"}
    assert (message["content"], error["content"]) == (None, BROKEN.why)
    assert answer == {"role": "tool", "tool_call_id": "a", "content": "SUCCESS"}


def test_after_an_interruption_only_what_was_heard_is_left_of_the_words() -> None:
    history = ChatHistory("")
    history.heard("Fan to three.")
    history.said(Completion("I set the fan to three and tell you about it."))
    history.interrupted("I set the fan")
    assert history.messages[2:] == [{"role": "assistant", "content": "I set the fan"}]


def test_calls_that_were_made_stay_and_one_without_an_answer_says_so() -> None:
    history = ChatHistory("")
    history.heard("Fan to three.")
    history.said(Completion("One moment.", (FAN,)))
    history.interrupted("One")
    _, _, call, answer, heard = history.messages
    assert (call["content"], call["tool_calls"][0]["id"]) == (None, "a")
    assert answer == {"role": "tool", "tool_call_id": "a", "content": NO_ANSWER}
    assert heard == {"role": "assistant", "content": "One"}


def test_an_answer_that_comes_after_the_interruption_is_sent_all_the_same() -> None:
    history = ChatHistory("")
    history.heard("Fan to three.")
    history.said(Completion("One moment.", (FAN,)))
    history.interrupted("One")
    history.answered({"a": "SUCCESS"})
    history.heard("Stop!")
    _, _, _, answer, heard, _ = history.messages
    assert (answer["content"], heard["content"]) == ("SUCCESS", "One")


def test_words_nobody_heard_leave_nothing() -> None:
    history = ChatHistory("")
    history.heard("Fan to three.")
    history.said(Completion("I set the fan."))
    history.interrupted(" ")
    history.heard("Hello?")
    assert roles(history) == ["system", "user", "user"]


def test_an_interruption_leaves_earlier_turns_alone() -> None:
    history = ChatHistory("")
    history.heard("Hello.")
    history.said(Completion("Hello, what can I do?"))
    before = list(history.messages)
    history.heard("Fan to three.")
    history.interrupted("")
    assert history.messages == [*before, {"role": "user", "content": "Fan to three."}]


CALLS = st.sampled_from([(), (FAN,), (BROKEN,), (FAN, BROKEN)])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("said"), st.builds(Completion, st.text(max_size=5), CALLS)),
        st.tuples(st.just("answered"), st.just({"a": "SUCCESS"})),
        st.tuples(st.just("interrupted"), st.text(max_size=5)),
        st.tuples(st.just("heard"), st.text(max_size=5)),
    ),
    max_size=8,
)


@given(STEPS)
def test_each_call_has_its_answer_right_behind_it_whatever_happens(
    steps: list[tuple[str, Any]],
) -> None:
    history = ChatHistory("")
    history.heard("Hello.")
    for method, given_ in steps:
        getattr(history, method)(given_)
        open_ids: list[str] = []
        for message in history.messages:
            if message["role"] == "tool":
                assert message["tool_call_id"] == open_ids.pop(0)
                continue
            assert open_ids == []
            open_ids = [call["id"] for call in message.get("tool_calls", [])]
        assert open_ids == []
