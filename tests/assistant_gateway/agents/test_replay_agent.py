from assistant_gateway.agents.agent import Call, TimedMessage
from assistant_gateway.agents.replay import ReplayAgent, recorded_turns
from assistant_gateway.protocol import (
    Body,
    InputTranscriptFinal,
    ResponseDone,
    ResponseTextDelta,
    ToolCall,
    ToolResult,
)
from assistant_gateway.session.logged_frame import LoggedFrame, Way

MS = 1_000_000
FINE = '{"status": "SUCCESS"}'


def logged(way: Way, body: Body, t_ms: int, cid: str | None = None) -> LoggedFrame:
    return LoggedFrame(way, "agent", body, t_ms * MS, turn=1, rid="own-1", cid=cid)


def asked(t_ms: int) -> LoggedFrame:
    text = "The fan, please."
    final = InputTranscriptFinal(text=text, user_speech_end_ns=0, now_ns=t_ms * MS)
    return logged("out", final, t_ms)


def called(t_ms: int, cid: str, level: int) -> LoggedFrame:
    return logged("in", ToolCall(name="set_fan_speed", arguments={"level": level}), t_ms, cid)


def answered(t_ms: int, cid: str) -> LoggedFrame:
    return logged("out", ToolResult(output=FINE), t_ms, cid)


def said(t_ms: int, text: str) -> LoggedFrame:
    return logged("in", ResponseTextDelta(delta=text), t_ms)


def done(t_ms: int) -> LoggedFrame:
    return logged("in", ResponseDone(), t_ms)


def timed(message: object) -> tuple[str, list[int]]:
    assert isinstance(message, TimedMessage)
    return message.text, [planned.after_ns // MS for planned in message.frames]


def test_words_calls_and_pauses_come_again() -> None:
    frames = [asked(1000), called(1400, "x", 2), done(1410), answered(1420, "x")]
    agent = ReplayAgent(recorded_turns([*frames, said(1900, "It is "), said(2000, "on two.")]))
    first = agent.on_heard("Whatever is said now.")
    assert timed(first) == ("", [400, 410])
    assert first.calls == (Call("set_fan_speed", {"level": 2}),)
    assert timed(agent.on_results(((first.calls[0], FINE),))) == (
        "It is on two.",
        [900, 1000],
    )


def test_names_of_messages_and_calls_are_the_recorded_ones() -> None:
    message = ReplayAgent(recorded_turns([asked(0), called(5, "x9", 1)])).on_heard("Hi.")
    assert isinstance(message, TimedMessage)
    assert [(planned.rid, planned.cid) for planned in message.frames] == [("own-1", "x9")]


def test_nothing_is_said_before_the_answers_it_was_based_on() -> None:
    both = [asked(0), called(10, "a", 1), called(500, "b", 2), done(510)]
    answers = [answered(20, "a"), answered(520, "b"), said(600, "Done.")]
    agent = ReplayAgent(recorded_turns([*both, *answers]))
    calls = agent.on_heard("Fan.").calls
    assert agent.on_results(((calls[0], FINE),)) is None
    assert timed(agent.on_results(((calls[1], FINE),))) == ("Done.", [600])


def test_a_silent_turn_stays_silent() -> None:
    agent = ReplayAgent(recorded_turns([asked(0), asked(20_000), said(20_100, "Sorry?")]))
    assert timed(agent.on_heard("Hello?")) == ("", [])
    assert timed(agent.on_heard("Hello!")) == ("Sorry?", [100])


def test_a_turn_that_was_never_recorded_fails() -> None:
    agent = ReplayAgent(recorded_turns([asked(0), said(100, "Yes.")]))
    agent.on_heard("First.")
    message = agent.on_heard("Second.")
    assert isinstance(message, TimedMessage)
    (planned,) = message.frames
    assert isinstance(planned.body, ResponseDone)
    assert planned.body.status == "failed"
    assert planned.body.reason == "the recorded conversation ended after turn 1"
