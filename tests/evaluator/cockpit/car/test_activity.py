"""What driver and assistant are shown to be doing."""

import pytest

from assistant_gateway.protocol import (
    AgentNoReply,
    AgentSpeechEnd,
    AgentSpeechStart,
    Body,
    InputTranscriptFinal,
    Interrupt,
    ResponseTextDelta,
    SessionClose,
    ToolCall,
    UserSpeechEnd,
    UserSpeechStart,
)
from evaluator.cockpit.car.activity import Activity

SPEAKS = UserSpeechStart(utt="u1", planned_words=["Hello."])
ENDS = UserSpeechEnd(utt="u1", text="Hello.")
FINAL = InputTranscriptFinal(text="Hello.", user_speech_end_ns=0, now_ns=0)
HEARD = AgentSpeechStart()
CALL = ToolCall(name="set_fan_speed", arguments={})
WORD = ResponseTextDelta(delta="Done.")
DONE = AgentSpeechEnd(heard_text="Done.")


@pytest.mark.parametrize(
    ("frames", "driver", "assistant"),
    [
        ([], "idle", "idle"),
        ([SPEAKS], "speaking", "listening"),
        ([SPEAKS, ENDS], "idle", "listening"),
        ([SPEAKS, ENDS, FINAL], "listening", "thinking"),
        ([SPEAKS, ENDS, FINAL, WORD], "listening", "thinking"),
        ([SPEAKS, ENDS, FINAL, WORD, HEARD], "listening", "speaking"),
        ([SPEAKS, ENDS, FINAL, WORD, HEARD, CALL], "listening", "thinking"),
        ([SPEAKS, ENDS, FINAL, WORD, HEARD, CALL, WORD], "listening", "speaking"),
        ([SPEAKS, ENDS, FINAL, WORD, HEARD, DONE], "idle", "listening"),
        ([SPEAKS, ENDS, FINAL, AgentNoReply(waited_ms=9)], "idle", "listening"),
        ([SPEAKS, ENDS, FINAL, SessionClose(reason="STOP")], "idle", "idle"),
    ],
)
def test_both_do_what_the_last_frame_says(frames: list[Body], driver: str, assistant: str) -> None:
    activity = Activity()
    for frame in frames:
        list(activity.take(frame))
    assert activity.now == {"driver": driver, "assistant": assistant}


def test_over_the_assistant_both_speak_until_it_is_cut_off() -> None:
    activity = Activity()
    for frame in (SPEAKS, ENDS, FINAL, HEARD, SPEAKS):
        list(activity.take(frame))
    assert activity.now == {"driver": "speaking", "assistant": "speaking"}
    cut = AgentSpeechEnd(heard_text="", utt="u2", reason="interrupted")
    changes = [*activity.take(Interrupt(heard_text="")), *activity.take(cut)]
    assert changes == [("assistant", "listening")]


def test_who_only_cuts_the_assistant_off_does_not_speak_on() -> None:
    activity = Activity()
    for frame in (SPEAKS, ENDS, FINAL, HEARD, UserSpeechStart(utt="u2"), Interrupt(heard_text="")):
        list(activity.take(frame))
    assert activity.now == {"driver": "idle", "assistant": "listening"}


def test_only_what_is_different_is_told() -> None:
    activity = Activity()
    assert list(activity.take(SPEAKS)) == [("driver", "speaking"), ("assistant", "listening")]
    assert list(activity.take(SPEAKS)) == []
