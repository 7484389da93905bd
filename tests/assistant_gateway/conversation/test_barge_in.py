"""Both at once: the driver speaks while the floor is the agent's."""

from dataclasses import replace

from assistant_gateway.conversation.effects import (
    HandOver,
    HardLimit,
    Interjects,
    Interrupts,
    NoReply,
    ToAgent,
    YourTurn,
)
from assistant_gateway.conversation.session_plan import SessionPlan
from assistant_gateway.protocol import (
    AgentNoReply,
    AgentSpeechEnd,
    AgentSpeechStart,
    Body,
    ErrorFrame,
    InputTranscriptFinal,
    Interrupt,
    Nudge,
    ResponseDone,
    ResponseTextDelta,
    ToolCall,
    ToolResult,
    UserInterject,
    UserSpeechEnd,
    UserSpeechStart,
)
from assistant_gateway.timing.budgets import Budgets, budget_profile
from assistant_gateway.timing.timeline import MS, SECOND
from tests.assistant_gateway.talking import PLAN, Talk, bodies, turns

LONG = "The window on the driver's side is closed now and the heating is on as well."
MEANT = ("No,", "the", "other", "window")


def sent(talk: Talk) -> list[Body]:
    """Everything the peers were sent so far."""
    talk.drain()
    return bodies(talk.effects)


def interrupted(after_words: int = 4, said: tuple[str, ...] = MEANT) -> Talk:
    """A talk in which the driver spoke over the answer after so many words."""
    talk = Talk()
    interject = UserInterject(utt="u1.1", planned_words=said, after_words=after_words)
    talk.driver(interject)
    talk.says("close the window")
    talk.agent(ResponseTextDelta(delta=LONG), ResponseDone())
    talk.until_quiet()
    return talk


def test_an_interruption_tells_both_sides_what_was_heard() -> None:
    everything = sent(interrupted())
    [cut] = [body for body in everything if isinstance(body, Interrupt)]
    [end] = [body for body in everything if isinstance(body, AgentSpeechEnd)]
    assert LONG.startswith(cut.heard_text)
    assert 4 <= len(cut.heard_text.split()) < len(LONG.split())
    assert (end.heard_text, end.reason, end.utt) == (cut.heard_text, "interrupted", "u1.1")


def test_what_interrupted_is_the_next_turn_of_the_agent() -> None:
    talk = interrupted()
    finals = [body.text for body in sent(talk) if isinstance(body, InputTranscriptFinal)]
    assert finals == ["close the window", "No, the other window"]
    talk.agent(ResponseTextDelta(delta="Sorry."), ResponseDone())
    talk.until_quiet()
    first, second = turns(talk)
    assert not first.handed_over
    assert second.handed_over
    assert second.turn == 2


def test_the_agent_stops_when_the_driver_is_meant_and_that_is_measured() -> None:
    [turn] = turns(interrupted())
    assert turn.spans["barge_stop"] == PLAN.speech.interruption_ns
    assert turn.spans["overlap"] == turn.spans["barge_stop"]


def test_a_mhm_stops_nobody() -> None:
    talk = interrupted(said=("Mhm",))
    assert not [body for body in sent(talk) if isinstance(body, Interrupt)]
    [turn] = turns(talk)
    assert turn.handed_over
    assert turn.heard_agent == LONG
    assert turn.spans["overlap"] == PLAN.speech.words_end_ns(("Mhm",))[-1]


def test_an_answer_too_short_to_be_interrupted_is_heard_to_its_end() -> None:
    [turn] = turns(interrupted(after_words=40))
    assert turn.handed_over
    assert "barge_stop" not in turn.spans


def test_what_still_comes_of_a_cut_response_is_dropped_and_timed() -> None:
    talk = Talk()
    talk.driver(UserInterject(utt="u", planned_words=MEANT, after_words=2))
    talk.says("close the window")
    talk.agent(ResponseTextDelta(delta=LONG))
    talk.until_quiet(but=YourTurn)
    talk.drain()
    assert not talk.agent(ResponseTextDelta(delta=" And more."), after_ns=100 * MS)
    talk.until_quiet()
    talk.agent(ResponseTextDelta(delta="Sorry."), ResponseDone(), rid="r2")
    talk.until_quiet()
    first, second = turns(talk)
    assert "more" not in first.heard_agent + second.heard_agent
    assert second.spans["agent_stop"] is not None


def test_calls_that_had_not_begun_are_not_carried_out() -> None:
    talk = Talk()
    talk.driver(UserInterject(utt="u", planned_words=MEANT, after_words=2))
    talk.says("close the window")
    talk.agent(ResponseTextDelta(delta=LONG))
    talk.agent(ToolCall(name="one", arguments={}), cid="a")
    talk.agent(ToolCall(name="two", arguments={}), cid="b")
    talk.until_quiet(but=NoReply)
    talk.drain()
    refused = [
        effect.cid
        for effect in talk.effects
        if isinstance(effect, ToAgent)
        and isinstance(effect.body, ToolResult)
        and effect.body.error == "not carried out: the driver spoke first"
    ]
    assert refused == ["b"]
    talk.car("c1")


def test_a_driver_who_is_speaking_already_does_not_begin_again() -> None:
    talk = Talk()
    for number, after_words in enumerate((4, 5), start=1):
        utt = f"u1.{number}"
        talk.driver(UserInterject(utt=utt, planned_words=MEANT, after_words=after_words))
    talk.says("close the window")
    talk.agent(ResponseTextDelta(delta=LONG), ResponseDone())
    talk.until_quiet()
    [end] = [body for body in sent(talk) if isinstance(body, AgentSpeechEnd)]
    assert end.utt == "u1.1"
    [turn] = turns(talk)
    assert turn.spans["overlap"] == turn.spans["barge_stop"]


def test_an_answer_cut_before_its_first_sound_has_not_begun() -> None:
    talk = Talk()
    talk.driver(UserInterject(utt="u", planned_words=MEANT, after_silence_ms=3000))
    talk.driver(UserSpeechStart(utt="u", planned_words=("close", "it")))
    talk.until_quiet(but=Interrupts)
    due = talk.conversation.timeline.peek()
    assert due is not None
    talk.now_ns = due.due_ns - 100 * MS
    talk.agent(ResponseTextDelta(delta=LONG))
    talk.until_quiet()
    everything = sent(talk)
    assert [body.heard_text for body in everything if isinstance(body, Interrupt)] == [""]
    assert not [body for body in everything if isinstance(body, AgentSpeechStart)]


def test_a_person_may_speak_over_the_agent_without_having_planned_it() -> None:
    talk = Talk()
    talk.says("close the window")
    talk.agent(ResponseTextDelta(delta=LONG), ResponseDone())
    talk.until_quiet(but=HandOver)
    talk.now_ns = talk.conversation.timeline.now_ns + SECOND
    talk.driver(UserSpeechStart(utt="u2", planned_words=MEANT, is_barge_in=True))
    talk.until_quiet()
    finals = [body.text for body in sent(talk) if isinstance(body, InputTranscriptFinal)]
    assert finals[1:] == ["No, the other window"]


def test_an_impatient_driver_asks_after_silence_but_not_over_an_answer() -> None:
    for answered in (False, True):
        talk = Talk()
        words = ("Hello?", "Anybody", "there?")
        talk.driver(UserInterject(utt="u", planned_words=words, after_silence_ms=3000))
        talk.driver(UserSpeechStart(utt="u", planned_words=("close", "it")))
        talk.until_quiet(but=Interjects)
        if answered:
            talk.agent(ResponseTextDelta(delta=LONG), ResponseDone())
        talk.until_quiet()
        cuts = [body for body in sent(talk) if isinstance(body, Interrupt)]
        assert [cut.heard_text for cut in cuts] == ([] if answered else [""])


def after_the_hard_limit(plan: SessionPlan) -> Talk:
    talk = Talk(plan)
    talk.says("close the window")
    talk.until_quiet(but=NoReply)
    return talk


def test_on_a_hard_limit_the_agent_is_nudged_if_so_wanted() -> None:
    talk = after_the_hard_limit(replace(PLAN, on_hard_limit="nudge"))
    [nudge] = [body for body in sent(talk) if isinstance(body, Nudge)]
    assert nudge.waited_ms == 3000


def test_on_a_hard_limit_the_turn_ends_if_so_wanted() -> None:
    plan = replace(PLAN, on_hard_limit="end", budgets=Budgets(budget_profile("strict")))
    talk = after_the_hard_limit(plan)
    [silence] = [body for body in sent(talk) if isinstance(body, AgentNoReply)]
    assert silence.waited_ms == 2250
    assert [turn.handed_over for turn in turns(talk)] == [False]


def test_words_that_were_not_yet_audible_when_a_turn_ended_were_not_heard() -> None:
    talk = Talk(replace(PLAN, on_hard_limit="end"))
    talk.driver(UserSpeechStart(utt="u", planned_words=("close", "it")))
    talk.until_quiet(but=HardLimit)
    due = talk.conversation.timeline.peek()
    assert due is not None
    talk.now_ns = due.due_ns - 100 * MS
    talk.agent(ResponseTextDelta(delta=LONG))
    talk.until_quiet()
    [cut] = [body for body in sent(talk) if isinstance(body, Interrupt)]
    [turn] = turns(talk)
    assert (cut.heard_text, turn.heard_agent, turn.spans["upl"]) == ("", "", None)


def test_a_hard_limit_alone_changes_nothing() -> None:
    talk = after_the_hard_limit(PLAN)
    assert not [body for body in sent(talk) if isinstance(body, Nudge | AgentNoReply)]
    assert talk.now_ns < 3 * SECOND + 500 * MS


def cut_at_once(talk: Talk) -> None:
    """The driver's side says that this is an interruption, and the words follow."""
    talk.driver(UserSpeechStart(utt="u2", is_barge_in=True))
    talk.until_quiet(but=HandOver)
    talk.driver(UserSpeechEnd(utt="u2", text="stop"))


def test_a_decided_interruption_cuts_at_once_however_short_it_is() -> None:
    talk = Talk()
    talk.says("close the window")
    talk.agent(ResponseTextDelta(delta=LONG), ResponseDone())
    talk.now_ns += 2 * SECOND
    cut_at_once(talk)
    talk.until_quiet()
    [first] = turns(talk)
    assert LONG.startswith(first.heard_agent)
    assert 0 < len(first.heard_agent) < len(LONG)
    assert {"overlap", "barge_stop"}.isdisjoint(first.spans)
    finals = [body.text for body in sent(talk) if isinstance(body, InputTranscriptFinal)]
    assert finals == ["close the window", "stop"]


def test_what_comes_after_a_decided_interruption_is_timed_too() -> None:
    talk = Talk()
    talk.says("close the window")
    talk.agent(ResponseTextDelta(delta=LONG))
    cut_at_once(talk)
    assert not talk.agent(ResponseTextDelta(delta=" And more."), after_ns=100 * MS)
    late_ns = talk.now_ns
    talk.until_quiet()
    talk.agent(ResponseTextDelta(delta="Sorry."), ResponseDone(), rid="r2")
    talk.until_quiet()
    [cut] = [body for body in sent(talk) if isinstance(body, Interrupt)]
    assert turns(talk)[1].spans["agent_stop"] == late_ns - cut.now_ns


def test_an_interruption_before_the_transcript_cuts_the_answer_before_it_begins() -> None:
    talk = Talk()
    talk.driver(UserSpeechStart(utt="u"))
    talk.driver(UserSpeechEnd(utt="u", text="close the window"))
    cut_at_once(talk)
    talk.until_quiet()
    [first] = turns(talk)
    assert (first.heard_user, first.heard_agent) == ("close the window", "")


def test_words_that_are_planned_over_words_of_the_driver_are_refused() -> None:
    talk = Talk()
    talk.driver(UserSpeechStart(utt="u", planned_words=("close", "it")))
    [refused] = bodies(
        talk.driver(UserSpeechStart(utt="u2", planned_words=MEANT, is_barge_in=True))
    )
    assert isinstance(refused, ErrorFrame)
    assert refused.code == "not_your_turn"


def test_an_interruption_that_comes_too_late_is_an_ordinary_utterance() -> None:
    talk = Talk()
    talk.says("close the window")
    talk.agent(ResponseTextDelta(delta="Done."), ResponseDone())
    talk.until_quiet()
    cut_at_once(talk)
    talk.until_quiet()
    assert not [body for body in sent(talk) if isinstance(body, Interrupt)]
    finals = [body.text for body in sent(talk) if isinstance(body, InputTranscriptFinal)]
    assert finals == ["close the window", "stop"]
