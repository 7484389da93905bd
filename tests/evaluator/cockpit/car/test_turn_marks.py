"""The waterfall of a turn: its marks and calls since the driver's last word."""

from typing import Any

from assistant_gateway.protocol import (
    Body,
    InputTranscriptFinal,
    ResponseTextDelta,
    ToolCall,
    ToolResult,
)
from assistant_gateway.session.logged_frame import LoggedFrame
from evaluator.cockpit.car.turn_marks import CallSpan, Mark, TurnMarks
from vehicle_bus.contract import TurnFinished

MS = 1_000_000


def after(t_ms: int, body: Body, cid: str | None = None) -> LoggedFrame:
    return LoggedFrame("in", "agent", body, t_ns=t_ms * MS, cid=cid)


def finished(t_ms: int, **spans_ms: int | None) -> TurnFinished:
    spans = {name: None if ms is None else ms * MS for name, ms in spans_ms.items()}
    rest: dict[str, Any] = {"turn_class": "A", "verdict": {}, "heard_user": "", "heard_agent": ""}
    return TurnFinished(turn=1, revision=0, spans=spans, t_ns=t_ms * MS, **rest)


def asked() -> TurnMarks:
    marks = TurnMarks()
    final = InputTranscriptFinal(text="Fan.", user_speech_end_ns=1000 * MS, now_ns=1300 * MS)
    marks.take(after(1300, final))
    return marks


def test_marks_and_calls_count_from_the_end_of_the_drivers_speech() -> None:
    marks = asked()
    marks.take(after(1500, ToolCall(name="set_fan_speed", arguments={}), "a"))
    marks.take(after(1504, ToolResult(output='{"status": "SUCCESS"}'), "a"))
    marks.take(after(1550, ToolCall(name="open_trunk", arguments={}), "b"))
    marks.take(after(1700, ResponseTextDelta(delta="It is.")))
    marks.take(after(1800, ResponseTextDelta(delta=" Now.")))
    turn = finished(4000, eou_delay=300, upl=910, effect_latency=504, turnaround=2500)
    assert marks.calls() == (
        CallSpan("set_fan_speed", 500.0, 504.0, ok=True),
        CallSpan("open_trunk", 550.0),
    )
    assert marks.marks(turn) == (
        Mark("transcript", 300.0),
        Mark("effect", 504.0),
        Mark("first_token", 700.0),
        Mark("first_sound", 910.0),
        Mark("end", 2500.0),
    )


def test_a_turn_in_which_nothing_was_said_ends_when_it_was_over() -> None:
    assert asked().marks(finished(11_000, eou_delay=300, upl=None)) == (
        Mark("transcript", 300.0),
        Mark("end", 10_000.0),
    )


def test_the_next_turn_begins_without_what_was_called_before() -> None:
    marks = asked()
    marks.take(after(1500, ToolCall(name="set_fan_speed", arguments={}), "a"))
    marks.take(after(9000, InputTranscriptFinal(text="", user_speech_end_ns=0, now_ns=0)))
    assert marks.calls() == ()


def test_a_call_that_waits_for_the_reply_to_another_begins_when_it_was_sent() -> None:
    marks = asked()
    for cid in ("a", "b"):
        marks.take(after(1500, ToolCall(name="set_fan_speed", arguments={}), cid))
    marks.take(after(6500, ToolResult(error="no answer"), "a"))
    marks.take(after(6504, ToolResult(output='{"status": "SUCCESS"}'), "b"))
    assert [(call.from_ms, call.to_ms) for call in marks.calls()] == [(500, 5500), (5500, 5504)]
