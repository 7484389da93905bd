from assistant_gateway.protocol import (
    AgentSpeechEnd,
    AgentSpeechStart,
    Body,
    InputTranscriptFinal,
    Interrupt,
    ResponseDone,
    ResponseTextDelta,
)
from evaluator.record.record import Entry, Record
from evaluator.views.transcript import transcript
from tests.evaluator.episodes import SECOND, Episode


def test_an_episode_reads_like_a_conversation() -> None:
    episode = Episode().said("driver", "fan to two").call("set_fan_speed", level=2)
    episode.said("agent", "Fan is at two.").turn().end()
    lines = [(line.who, line.what, line.text) for line in transcript(episode.record)]
    assert lines[0] == ("driver", "said", "fan to two")
    assert ("agent", "call", "set_fan_speed(level=2)") in lines
    assert ("car", "state", "fan_speed=2") in lines
    assert ("agent", "said", "Fan is at two.") in lines
    assert lines[-2:] == [("driver", "control", "STOP ()"), ("bench", "end", "STOP")]
    times = [line.t_ns for line in transcript(episode.record)]
    assert times == sorted(times)


def test_what_nobody_can_read_is_still_shown() -> None:
    record = Record("car-1", (*Episode().record.entries, Entry("command/think", b"\xff\xff")))
    assert ("unreadable", "command/think (2 bytes)") in [
        (line.what, line.text) for line in transcript(record)
    ]


def test_a_call_the_car_never_answered_says_so() -> None:
    record = Episode().call("set_fan_speed", level=2, answered=False).record
    assert [line.text for line in transcript(record)] == ["set_fan_speed(level=2)", "none"]


def heard(episode: Episode, at_s: float, rid: str | None, *bodies: Body) -> None:
    """Frames of one message, or of the driver's socket, at a moment."""
    episode.now_ns = int(at_s * SECOND)
    episode.frames(*bodies, rid=rid)


def test_messages_of_one_sound_are_heard_one_after_the_other_until_it_ends() -> None:
    episode = Episode().said("driver", "fan to two")
    heard(episode, 1, "r1", ResponseTextDelta(delta="Let me check."), ResponseDone())
    heard(episode, 1.5, "r1", AgentSpeechStart())
    heard(episode, 1.6, "r2", ResponseTextDelta(delta="one two three four"), ResponseDone())
    heard(episode, 4, None, AgentSpeechEnd(heard_text="Let me check. one two three four"))
    heard(episode, 9, "r3", ResponseTextDelta(delta="too late"), ResponseDone())
    first, second, third = (line for line in transcript(episode.record) if line.who == "agent")
    assert first.detail["heard_ns"] == 1.5 * SECOND
    assert first.until_ns == second.detail["heard_ns"]
    assert second.until_ns is not None
    assert second.until_ns <= 4 * SECOND
    assert (third.detail["heard_ns"], third.until_ns) == (None, None)


def test_an_interrupted_message_has_the_words_that_were_heard_and_the_driver_speaks_from_then() -> (
    None
):
    episode = Episode().said("driver", "fan to two")
    heard(episode, 1, "r1", ResponseTextDelta(delta="one two three four"), ResponseDone())
    heard(episode, 1, "r1", AgentSpeechStart())
    heard(episode, 1.5, None, Interrupt(heard_text="one two", now_ns=0))
    heard(episode, 1.5, None, AgentSpeechEnd(heard_text="one two", reason="interrupted"))
    final = InputTranscriptFinal(text="No, wait.", user_speech_end_ns=2 * SECOND, now_ns=0)
    heard(episode, 2.3, None, final)
    lines = [line for line in transcript(episode.record) if line.what == "said"]
    assert (lines[1].detail["heard_words"], lines[1].until_ns) == (2, 1.5 * SECOND)
    assert (lines[2].text, lines[2].t_ns, lines[2].until_ns) == (
        "No, wait.",
        1.5 * SECOND,
        2 * SECOND,
    )
