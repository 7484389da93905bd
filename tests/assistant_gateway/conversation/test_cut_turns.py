"""A turn that the driver cuts misses what was due by then, and nothing else."""

import pytest

from assistant_gateway.conversation.effects import Ended, HandOver, TurnDone, YourTurn
from assistant_gateway.protocol import (
    ResponseDone,
    ResponseTextDelta,
    ToolCall,
    UserHangup,
    UserInterject,
    UserSpeechStart,
)
from assistant_gateway.timing.timeline import SECOND
from tests.assistant_gateway.talking import Talk, turns

LONG = ResponseTextDelta(delta="The window on the driver's side is closed now, as you have asked.")
CHECKING = ResponseTextDelta(delta="Let me have a look at the windows first.", kind="progress")
HELLO = ("Hello?", "Anybody", "there?")
FIRST_HARD_S, CONTENT_HARD_S = 3.0, 3.5


def asked() -> Talk:
    """The agent of a class B turn has been asked and owes an answer."""
    talk = Talk()
    talk.says("close the window")
    return talk


def waited(talk: Talk, seconds: float) -> None:
    """So much time passes from the last word of the driver on."""
    until_ns = talk.conversation.floor.turn.speech_end_ns + round(seconds * SECOND)
    timeline = talk.conversation.timeline
    while (due := timeline.peek()) is not None and due.due_ns <= until_ns:
        talk.conversation.due(timeline.pop().event, due.due_ns)
    talk.now_ns = until_ns


def hung_up(talk: Talk) -> TurnDone:
    talk.driver(UserHangup())
    assert talk.conversation.floor.end_reason == "driver_hung_up"
    return turns(talk)[-1]


def test_hanging_up_after_a_hard_limit_counts_the_miss() -> None:
    talk = asked()
    waited(talk, FIRST_HARD_S + 0.1)
    turn = hung_up(talk)
    assert (turn.verdict.first_speech, turn.verdict.content) == ("missing", "n/a")
    assert turn.verdict.hard_miss
    assert not turn.handed_over


def test_hanging_up_before_any_hard_limit_counts_none() -> None:
    talk = asked()
    waited(talk, FIRST_HARD_S)
    turn = hung_up(talk)
    assert not turn.verdict.hard_miss
    assert not turn.verdict.soft_miss
    assert turn.verdict.score is None
    assert not {"upl", "upl_content", "ttft_text", "turnaround"} & set(turn.spans)


def test_words_about_the_work_do_not_excuse_an_answer_that_is_overdue() -> None:
    for seconds, content in ((CONTENT_HARD_S, "n/a"), (CONTENT_HARD_S + 0.1, "missing")):
        talk = asked()
        talk.agent(CHECKING)
        talk.agent(ToolCall(name="one", arguments={}), ResponseDone(), cid="a")
        talk.car("c1", changes=False)
        waited(talk, seconds)
        verdict = hung_up(talk).verdict
        assert (verdict.first_speech, verdict.content) == ("ok", content)


@pytest.mark.parametrize("complete", [True, False])
def test_an_answer_that_is_heard_when_the_driver_hangs_up_was_in_time(complete: bool) -> None:
    talk = asked()
    talk.agent(LONG, *([ResponseDone()] if complete else []))
    waited(talk, CONTENT_HARD_S + 0.1)
    turn = hung_up(talk)
    assert (turn.verdict.first_speech, turn.verdict.content) == ("ok", "ok")
    assert 0 < len(turn.heard_agent.split()) < len(LONG.delta.split())


def test_words_that_were_not_audible_yet_when_the_driver_hung_up_are_no_answer() -> None:
    talk = asked()
    waited(talk, CONTENT_HARD_S + 0.1)
    talk.agent(LONG, ResponseDone())
    turn = hung_up(talk)
    assert (turn.verdict.first_speech, turn.verdict.content) == ("missing", "missing")
    assert turn.heard_agent == ""


def test_hanging_up_outside_a_turn_of_the_agent_measures_nothing() -> None:
    opening, speaking, between = Talk(), Talk(), asked()
    speaking.driver(UserSpeechStart(utt="u", planned_words=("close", "it")))
    speaking.until_quiet(but=YourTurn)
    between.agent(LONG, ResponseDone())
    between.until_quiet()
    for talk, finished in ((opening, 0), (speaking, 0), (between, 1)):
        effects = talk.driver(UserHangup())
        assert [effect.reason for effect in effects if isinstance(effect, Ended)]
        assert len(turns(talk)) == finished


@pytest.mark.parametrize(("after_ms", "missed"), [(2900, False), (3100, True)])
def test_speaking_over_silence_counts_a_miss_once_a_limit_has_passed(
    after_ms: int, missed: bool
) -> None:
    talk = Talk()
    talk.driver(UserInterject(utt="u", planned_words=HELLO, after_silence_ms=after_ms))
    talk.says("close the window")
    talk.until_quiet()
    assert turns(talk)[0].verdict.hard_miss is missed


def test_speaking_over_an_answer_in_time_counts_none_though_it_has_no_end() -> None:
    talk = Talk()
    talk.driver(UserInterject(utt="u", planned_words=HELLO, after_words=4))
    talk.says("close the window")
    talk.agent(LONG)
    talk.until_quiet()
    [turn] = turns(talk)
    assert (turn.verdict.content, turn.verdict.hard_miss) == ("ok", False)


def test_who_is_cut_for_having_said_nothing_for_too_long_has_missed_its_turn() -> None:
    talk = asked()
    talk.agent(ResponseTextDelta(delta="Well, "))
    talk.until_quiet(but=HandOver)
    [turn] = turns(talk)
    assert (turn.verdict.first_speech, turn.verdict.content) == ("ok", "missing")
