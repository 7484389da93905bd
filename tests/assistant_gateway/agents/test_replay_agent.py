from typing import Any

from assistant_gateway.agents.agent import Call, TimedMessage
from assistant_gateway.agents.replay import ReplayAgent, recorded_turns
from assistant_gateway.protocol import ResponseDone

MS = 1_000_000
FINE = '{"status": "SUCCESS"}'


def logged(
    way: str, kind: str, t_ms: int, data: dict[str, Any] | None = None, cid: str | None = None
) -> dict[str, Any]:
    frame = {"way": way, "peer": "agent", "type": kind, "t_ns": t_ms * MS, "turn": 1}
    return {**frame, "rid": "own-1", "cid": cid, "mono_ns": 0, "data": data or {}}


def asked(t_ms: int) -> dict[str, Any]:
    data = {"text": "The fan, please.", "user_speech_end_ns": 0, "now_ns": t_ms * MS}
    return logged("out", "input.transcript.final", t_ms, data)


def called(t_ms: int, cid: str, level: int) -> dict[str, Any]:
    data = {"name": "set_fan_speed", "arguments": {"level": level}}
    return logged("in", "tool.call", t_ms, data, cid)


def answered(t_ms: int, cid: str) -> dict[str, Any]:
    return logged("out", "tool.result", t_ms, {"output": FINE}, cid)


def said(t_ms: int, text: str) -> dict[str, Any]:
    return logged("in", "response.text.delta", t_ms, {"delta": text, "kind": "content"})


def done(t_ms: int) -> dict[str, Any]:
    return logged("in", "response.done", t_ms)


def told(message: object) -> tuple[str, list[int]]:
    assert isinstance(message, TimedMessage)
    return message.text, [planned.after_ns // MS for planned in message.frames]


def test_words_calls_and_pauses_come_again() -> None:
    frames = [asked(1000), called(1400, "x", 2), done(1410), answered(1420, "x")]
    agent = ReplayAgent(recorded_turns([*frames, said(1900, "It is "), said(2000, "on two.")]))
    first = agent.on_heard("Whatever is said now.")
    assert told(first) == ("", [400, 410])
    assert first.calls == (Call("set_fan_speed", {"level": 2}),)
    assert told(agent.on_results(((first.calls[0], FINE),))) == ("It is on two.", [900, 1000])


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
    assert told(agent.on_results(((calls[1], FINE),))) == ("Done.", [600])


def test_a_silent_turn_stays_silent() -> None:
    agent = ReplayAgent(recorded_turns([asked(0), asked(20_000), said(20_100, "Sorry?")]))
    assert told(agent.on_heard("Hello?")) == ("", [])
    assert told(agent.on_heard("Hello!")) == ("Sorry?", [100])


def test_a_turn_that_was_never_recorded_fails() -> None:
    agent = ReplayAgent(recorded_turns([asked(0), said(100, "Yes.")]))
    agent.on_heard("First.")
    message = agent.on_heard("Second.")
    assert isinstance(message, TimedMessage)
    (planned,) = message.frames
    assert isinstance(planned.body, ResponseDone)
    assert planned.body.status == "failed"
    assert planned.body.reason == "the recorded conversation ended after turn 1"
