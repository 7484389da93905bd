"""The turn state machine, without sockets: frames in, effects out."""

from itertools import pairwise

import pytest

from assistant_gateway.conversation.effects import (
    CallOverdue,
    Decided,
    Ended,
    HandOver,
    NoReply,
    SendCommand,
    ToAgent,
)
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.protocol import (
    FROM_USER,
    AgentNoReply,
    AgentSpeechEnd,
    BadFrame,
    ErrorFrame,
    Frame,
    InputTranscriptFinal,
    InputTranscriptPartial,
    Interrupt,
    ResponseDone,
    ResponseTextDelta,
    SessionEnded,
    ToolCall,
    ToolResult,
    UserControl,
    UserSpeechEnd,
    UserSpeechStart,
    UserSpeechWord,
    decode,
)
from assistant_gateway.timing.budgets import Budgets
from assistant_gateway.timing.timeline import SECOND
from tests.assistant_gateway.talking import PLAN, Talk, bodies, turns


def test_the_agents_turn_comes_after_the_last_word_and_the_endpointing() -> None:
    talk = Talk()
    [final] = [body for body in bodies(talk.says("open it")) if body.TYPE.endswith("final")]
    assert isinstance(final, InputTranscriptFinal)
    assert final.text == "open it"
    assert final.user_speech_end_ns == PLAN.speech.words_end_ns(("open", "it"))[-1]
    assert final.now_ns == final.user_speech_end_ns + PLAN.speech.end_of_turn_ns("open it", 1)


def test_a_message_without_calls_hands_the_floor_over_when_it_has_been_heard() -> None:
    talk = Talk()
    talk.says("open it")
    talk.agent(ResponseTextDelta(delta="It is open."), ResponseDone())
    talk.until_quiet()
    [heard] = [body for body in bodies(talk.drain()) if isinstance(body, AgentSpeechEnd)]
    assert heard.heard_text == "It is open."
    [turn] = turns(talk)
    assert turn.spans["turnaround"] == talk.now_ns - talk_end(talk)


def talk_end(talk: Talk) -> int:
    return talk.conversation.floor.turn.speech_end_ns


def test_calls_run_one_after_the_other_in_listed_order() -> None:
    talk = Talk()
    talk.says("both please")
    first = talk.agent(ToolCall(name="one", arguments={}), cid="a")
    assert [effect.call.tool for effect in first if isinstance(effect, SendCommand)] == ["one"]
    assert not talk.agent(ToolCall(name="two", arguments={}), cid="b")
    effects = talk.car("c1")
    assert [effect.cid for effect in effects if isinstance(effect, ToAgent)] == ["a"]
    assert [effect.call.tool for effect in effects if isinstance(effect, SendCommand)] == ["two"]


def test_a_message_with_calls_is_no_hand_over_even_when_they_are_answered_before_it_closes() -> (
    None
):
    talk = Talk()
    talk.says("close it")
    talk.agent(ToolCall(name="one", arguments={}), cid="a")
    talk.car("c1")
    talk.agent(ResponseDone())
    assert talk.conversation.owes
    talk.agent(ResponseTextDelta(delta="Closed."), ResponseDone())
    assert not talk.conversation.owes


def test_speech_beside_calls_is_no_content() -> None:
    talk = Talk()
    talk.says("close it")
    talk.agent(ResponseTextDelta(delta="One moment."), ToolCall(name="one", arguments={}), cid="a")
    talk.agent(ResponseDone())
    talk.car("c1")
    talk.agent(ResponseTextDelta(delta="Closed."), ResponseDone(), after_ns=5 * SECOND)
    talk.until_quiet()
    [turn] = turns(talk)
    first, content = turn.spans["upl"], turn.spans["upl_content"]
    assert first is not None
    assert content is not None
    assert content > first + 4 * SECOND


def test_progress_speech_can_be_recorded_without_being_spoken() -> None:
    talk = Talk(SessionPlan("s", "v", speak_progress=False))
    talk.says("close it")
    talk.agent(ResponseTextDelta(delta="Hm."), ToolCall(name="one", arguments={}), cid="a")
    talk.agent(ResponseDone())
    talk.car("c1")
    talk.agent(ResponseTextDelta(delta="Closed."), ResponseDone())
    talk.until_quiet()
    assert turns(talk)[0].heard_agent == "Closed."


def test_the_first_text_is_one_that_can_be_spoken() -> None:
    talk = Talk(SessionPlan("s", "v", speak_progress=False))
    talk.says("close it")
    talk.agent(ResponseTextDelta(delta="Hm."), ToolCall(name="one", arguments={}), cid="a")
    talk.agent(ResponseDone())
    talk.car("c1")
    talk.agent(ResponseTextDelta(delta="Closed."), ResponseDone(), after_ns=2 * SECOND)
    talk.until_quiet()
    assert turns(talk)[0].spans["ttft_text"] == 2 * SECOND


def test_the_effect_is_the_last_change_of_the_car() -> None:
    talk = Talk()
    talk.says("close it")
    talk.agent(ToolCall(name="one", arguments={}), cid="a", after_ns=SECOND)
    talk.car("c1")
    talk.agent(ResponseDone())
    talk.agent(ResponseTextDelta(delta="Closed."), ResponseDone())
    talk.until_quiet()
    assert (
        turns(talk)[0].spans["effect_latency"] == PLAN.speech.end_of_turn_ns("close it", 1) + SECOND
    )


def test_a_silent_agent_costs_the_turn_after_the_no_reply_time() -> None:
    talk = Talk()
    talk.says("hello")
    talk.until_quiet(but=HandOver)
    [silence] = [body for body in bodies(talk.drain()) if isinstance(body, AgentNoReply)]
    assert silence.waited_ms == 10_000
    [turn] = turns(talk)
    assert not turn.handed_over
    assert turn.verdict.hard_miss


def test_an_agent_that_falls_silent_half_way_gets_what_was_heard() -> None:
    talk = Talk()
    talk.says("hello")
    talk.agent(ResponseTextDelta(delta="Well, "))
    talk.until_quiet(but=HandOver)
    sent = [effect.body for effect in talk.drain() if isinstance(effect, ToAgent)]
    assert [body.heard_text for body in sent if isinstance(body, Interrupt)] == ["Well,"]


def test_nobody_waits_for_a_word_while_the_agent_is_audible() -> None:
    talk = Talk()
    talk.says("close it")
    talk.agent(ResponseTextDelta(delta="word " * 60, kind="progress"))
    talk.agent(ToolCall(name="one", arguments={}), ResponseDone(), cid="a")
    talk.car("c1")
    talk.until_quiet()
    silence = talk.conversation.timeline.peek()
    assert silence is not None
    assert silence.due_ns == (talk.conversation.floor.turn.playout.end_ns or 0) + 10 * SECOND


def test_of_an_agent_that_talks_too_long_only_what_was_audible_was_heard() -> None:
    talk = Talk(SessionPlan("s", "v", longest_turn_ns=20 * SECOND))
    talk.says("hello")
    talk.agent(ResponseTextDelta(delta="word " * 165))
    talk.until_quiet(but=HandOver)
    [cut] = [body for body in bodies(talk.drain()) if isinstance(body, Interrupt)]
    [turn] = turns(talk)
    assert cut.heard_text == turn.heard_agent
    assert 0 < len(cut.heard_text.split()) < 60


def test_a_driver_can_wait_longer() -> None:
    talk = Talk(SessionPlan("s", "v", budgets=Budgets(patience_s=60)))
    talk.says("hello")
    talk.agent(ResponseTextDelta(delta="Here I am."), ResponseDone(), after_ns=40 * SECOND)
    talk.until_quiet()
    [turn] = turns(talk)
    assert turn.handed_over
    assert turn.verdict.hard_miss, "patience does not make it any quicker"


def test_a_session_can_be_played_without_judging_its_latencies() -> None:
    talk = Talk(SessionPlan("s", "v", budgets=Budgets(patience_s=60, judged=False)))
    talk.says("hello")
    talk.agent(ResponseTextDelta(delta="Here I am."), ResponseDone(), after_ns=40 * SECOND)
    talk.until_quiet()
    [turn] = turns(talk)
    assert turn.spans["upl"] is not None
    assert not turn.verdict.judged
    assert not turn.verdict.hard_miss
    assert Budgets(judged=False).for_agents() == {}, "an agent is told of no limits either"


def test_an_agent_that_ends_its_turn_without_a_word_hands_over_silence() -> None:
    talk = Talk()
    talk.says("hello")
    talk.agent(ResponseDone())
    talk.until_quiet()
    assert [
        body.heard_text for body in bodies(talk.drain()) if isinstance(body, AgentSpeechEnd)
    ] == [""]
    assert turns(talk)[0].verdict.first_speech == "missing"


def test_a_placed_call_ends_the_session_once_its_batch_is_complete() -> None:
    talk = Talk(ends=frozenset({"call"}))
    talk.says("call Mum")
    talk.agent(ToolCall(name="call", arguments={}), cid="a")
    talk.car("c1")
    assert talk.conversation.floor.end_reason is None
    talk.agent(ResponseDone())
    assert talk.conversation.floor.end_reason == "call_placed"
    assert turns(talk)[0].verdict.first_speech == "ok"


def test_a_refused_call_does_not_end_the_session() -> None:
    talk = Talk(ends=frozenset({"call"}))
    talk.says("call Mum")
    talk.agent(ToolCall(name="call", arguments={}), cid="a")
    talk.agent(ResponseDone())
    talk.car("c1", changes=False, status="FAILURE")
    assert talk.conversation.floor.end_reason is None


def test_the_drivers_word_ends_the_session_and_the_agent_does_not_learn_it() -> None:
    talk = Talk()
    talk.says("hello")
    talk.agent(ResponseTextDelta(delta="Done."), ResponseDone())
    talk.until_quiet()
    talk.drain()
    effects = talk.driver(UserControl(word="HALLUCINATION_ERROR", reason="no limit named"))
    assert [effect.word for effect in effects if isinstance(effect, Decided)] == [
        "HALLUCINATION_ERROR"
    ]
    assert [body.reason for body in bodies(effects) if isinstance(body, SessionEnded)] == ["ended"]
    assert [effect.reason for effect in effects if isinstance(effect, Ended)] == [
        "HALLUCINATION_ERROR"
    ]


def test_the_forty_first_message_is_one_too_many() -> None:
    talk = Talk(SessionPlan("s", "v", max_steps=2))
    talk.says("go on")
    for number in (1, 2):
        talk.agent(ToolCall(name="one", arguments={}), cid=str(number))
        talk.agent(ResponseDone())
        talk.car(f"c{number}")
    talk.agent(ResponseTextDelta(delta="Done."))
    assert talk.conversation.floor.end_reason == "step_limit"


def test_a_car_that_does_not_answer_is_reported_to_the_agent_and_counted() -> None:
    talk = Talk()
    talk.says("close it")
    talk.agent(ToolCall(name="one", arguments={}), cid="a")
    talk.agent(ResponseDone())
    talk.until_quiet(but=type(None))
    errors = [body.error for body in bodies(talk.drain()) if isinstance(body, ToolResult)]
    assert errors == ["the car did not answer one within 5 s"]
    assert talk.conversation.calls.unanswered == {"c1"}


@pytest.mark.parametrize(
    ("name", "cid", "complaint"),
    [("a/b", "a", "no tool can be named"), ("#", "a", "no tool can be named"), ("x", None, "cid")],
)
def test_a_call_that_cannot_be_put_on_the_bus_is_answered_at_once(
    name: str, cid: str | None, complaint: str
) -> None:
    talk = Talk()
    talk.says("do it")
    effects = talk.agent(ToolCall(name=name, arguments={}), cid=cid)
    assert not any(isinstance(effect, SendCommand) for effect in effects)
    [body] = bodies(effects)
    assert complaint in str(body)


def test_an_agent_that_speaks_out_of_turn_gets_an_error_that_says_what_to_wait_for() -> None:
    [error] = bodies(Talk().agent(ResponseTextDelta(delta="Hello!")))
    assert isinstance(error, ErrorFrame)
    assert "input.transcript.final" in error.message


def test_what_was_typed_is_said_when_it_is_sent() -> None:
    talk = Talk()
    talk.driver(UserSpeechStart(utt="u"))
    talk.driver(UserSpeechEnd(utt="u", text="open it"))
    talk.until_quiet()
    [final] = [body for body in bodies(talk.drain()) if isinstance(body, InputTranscriptFinal)]
    assert (final.text, final.user_speech_end_ns) == ("open it", 0)
    assert final.now_ns == PLAN.speech.end_of_turn_ns("open it", 1)


def test_a_driver_may_speak_word_by_word() -> None:
    talk = Talk()
    talk.driver(UserSpeechStart(utt="u"))
    talk.until_quiet()
    for number, word in enumerate(("warm", "it", "up")):
        talk.driver(UserSpeechWord(utt="u", i=number, w=word))
    talk.now_ns = 2 * SECOND
    talk.driver(UserSpeechEnd(utt="u", text=""))
    talk.until_quiet()
    [final] = [body for body in bodies(talk.drain()) if isinstance(body, InputTranscriptFinal)]
    assert (final.text, final.user_speech_end_ns) == ("warm it up", 2 * SECOND)


def test_partial_transcripts_grow_and_end_with_the_final_one() -> None:
    talk = Talk()
    talk.conversation.floor.partials = True
    effects = talk.says("please open the roof a little")
    partials = [body.text for body in bodies(effects) if isinstance(body, InputTranscriptPartial)]
    assert partials[0] == "please"
    assert all(after.startswith(before) for before, after in pairwise(partials))
    assert "please open the roof a".startswith(partials[-1])


def test_an_agent_that_never_stops_talking_loses_the_floor() -> None:
    talk = Talk(SessionPlan("s", "v", longest_turn_ns=60 * SECOND))
    talk.says("hello")
    for _ in range(100):
        talk.until_quiet()
        talk.agent(ResponseTextDelta(delta="word "), after_ns=SECOND)
        if talk.conversation.timeline.now_ns > 60 * SECOND:
            break
        due = talk.conversation.timeline.peek()
        if due is not None and due.due_ns <= talk.now_ns:
            talk.conversation.due(talk.conversation.timeline.pop().event, talk.now_ns)
    assert [turn.handed_over for turn in turns(talk)] == [False]


def test_the_last_message_allowed_may_still_be_the_answer() -> None:
    talk = Talk(SessionPlan("s", "v", max_steps=1))
    talk.says("hello")
    talk.agent(ResponseTextDelta(delta="Done."), ResponseDone())
    talk.until_quiet()
    talk.driver(UserControl(word="STOP"))
    assert talk.conversation.floor.end_reason == "STOP"


def test_a_turn_that_fails_is_a_miss_and_no_gap() -> None:
    talk = Talk()
    talk.says("hello")
    talk.agent(ResponseDone(status="failed", reason="out of memory"))
    assert talk.conversation.floor.end_reason == "agent_failed"
    [turn] = turns(talk)
    assert turn.verdict.hard_miss


def test_an_utterance_without_a_word_is_none() -> None:
    frame = Frame(UserSpeechStart.model_construct(utt="u", planned_words=()))
    with pytest.raises(BadFrame, match="planned_words"):
        decode(frame.encode(), FROM_USER)


def test_words_before_the_utterance_began_get_an_error() -> None:
    talk = Talk()
    talk.driver(UserSpeechStart(utt="u", after_ms=400))
    [error] = bodies(talk.driver(UserSpeechEnd(utt="u", text="hello")))
    assert isinstance(error, ErrorFrame)


def test_an_effect_counts_for_the_turn_that_asked_for_it() -> None:
    talk = Talk()
    talk.says("close it")
    talk.agent(ToolCall(name="one", arguments={}), cid="a")
    talk.conversation.due(NoReply(), talk.now_ns)
    talk.says("hello?")
    talk.car("c1")
    talk.agent(ResponseTextDelta(delta="Yes."), ResponseDone(), rid="r2")
    talk.until_quiet()
    assert turns(talk)[1].spans["effect_latency"] is None


def test_a_call_of_a_turn_that_is_over_holds_up_no_other_turn() -> None:
    talk = Talk()
    talk.says("close it")
    talk.agent(ToolCall(name="one", arguments={}), cid="a")
    talk.conversation.due(NoReply(), talk.now_ns)
    talk.driver(UserSpeechStart(utt="u", planned_words=("hello?",)))
    talk.until_quiet(but=CallOverdue)
    talk.agent(ResponseTextDelta(delta="Yes."), ResponseDone(), rid="r2")
    talk.until_quiet(but=CallOverdue)
    assert [turn.handed_over for turn in turns(talk)] == [False, True]


def test_a_result_for_a_turn_that_is_over_buys_the_next_one_no_time() -> None:
    talk = Talk()
    talk.says("close it")
    talk.agent(ToolCall(name="one", arguments={}), cid="a")
    talk.conversation.due(NoReply(), talk.now_ns)
    talk.driver(UserSpeechStart(utt="u", planned_words=("hello?",)))
    talk.until_quiet(but=CallOverdue)
    talk.until_quiet()
    due = talk.conversation.timeline.peek()
    assert due is not None
    patience_ns = Budgets().no_reply_ns("B")
    assert due.due_ns - talk.conversation.floor.turn.speech_end_ns == patience_ns


@pytest.mark.parametrize("speaking", [True, False])
def test_a_call_placed_in_a_turn_that_is_over_ends_the_session_and_no_turn(speaking: bool) -> None:
    talk = Talk(ends=frozenset({"call"}))
    talk.says("call Mum")
    talk.agent(ToolCall(name="call", arguments={}), cid="a")
    talk.conversation.due(NoReply(), talk.now_ns)
    if speaking:
        talk.driver(UserSpeechStart(utt="u", planned_words=("hello?",)))
    talk.car("c1")
    assert talk.conversation.floor.end_reason == "call_placed"
    assert [turn.turn for turn in turns(talk)] == [1]


def test_a_word_that_no_driver_of_ours_uses_ends_the_session_too() -> None:
    talk = Talk()
    raw = '{"type": "user.control", "data": {"word": "BORED"}}'
    talk.driver(decode(raw, FROM_USER).body)
    assert talk.conversation.floor.end_reason == "BORED"
