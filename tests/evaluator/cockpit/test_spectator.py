from typing import Any

from evaluator.cockpit.spectator import (
    Answered,
    Called,
    CarEventSeen,
    CarPresence,
    Changed,
    ConversationOver,
    DriverSpoke,
    FirstHeard,
    NowDoing,
    Spectator,
    Trouble,
    TurnBegan,
    TurnOver,
    Words,
)
from evaluator.live.update import Update
from evaluator.record.record import Entry
from tests.evaluator.episodes import Episode
from vehicle_bus.contract import CarEvent, CarStatus, Frames, SignalChanged, encode

MS = 1_000_000


def frame(way: str, peer: str, kind: str, t_ms: int, /, **data: Any) -> dict[str, Any]:
    cid = data.pop("cid", None)
    stamps = {"t_ns": t_ms * MS, "mono_ns": 5000 * MS + t_ms * MS}
    fields = {"way": way, "peer": peer, "type": kind, "turn": 1, "rid": "r1", "cid": cid}
    return {**fields, **stamps, "data": data}


def updates(*frames: dict[str, Any]) -> list[Update]:
    entry = Entry("session/s-1/frame", encode(Frames(frames=list(frames))))
    return [each for each in Spectator().take(entry) if not isinstance(each, NowDoing)]


def test_a_turn_is_shown_while_it_goes_on() -> None:
    call = {"name": "set_fan_speed", "arguments": {"level": 2}}
    final = {"text": "Fan to two.", "user_speech_end_ns": 1000 * MS, "now_ns": 1300 * MS}
    assert updates(
        frame("in", "user", "user.speech.end", 1000, utt="u1", text="Fan to two."),
        frame("out", "agent", "input.transcript.final", 1300, **final),
        frame("in", "agent", "tool.call", 1500, cid="a", **call),
        frame("out", "agent", "tool.result", 1504, cid="a", output='{"level": 2}', error=None),
        frame("in", "agent", "response.text.delta", 1600, delta="It is.", kind="content"),
        frame("out", "user", "agent.speech.start", 1810),
    ) == [
        DriverSpoke("Fan to two."),
        TurnBegan(1, 6000 * MS),
        Called("a", "set_fan_speed", {"level": 2}),
        Answered("a", True, '{"level": 2}', 4.0),
        Words("It is.", False, "r1"),
        FirstHeard(810.0),
    ]


def test_a_call_that_waited_for_another_is_timed_from_when_it_was_sent() -> None:
    call = {"name": "set_fan_speed", "arguments": {"level": 2}}
    final = {"text": "Fan to two.", "user_speech_end_ns": 1000 * MS, "now_ns": 1300 * MS}
    shown = updates(
        frame("out", "agent", "input.transcript.final", 1300, **final),
        frame("in", "agent", "tool.call", 1500, cid="a", **call),
        frame("in", "agent", "tool.call", 1500, cid="b", **call),
        frame("out", "agent", "tool.result", 6500, cid="a", output="", error="no answer"),
        frame("out", "agent", "tool.result", 6504, cid="b", output='{"level": 2}', error=None),
    )
    took = {each.call: each.after_ms for each in shown if isinstance(each, Answered)}
    assert took == {"a": 5000.0, "b": 4.0}


def test_words_beside_a_call_are_an_aside_and_planned_speech_is_reported_at_once() -> None:
    words = frame("in", "user", "user.speech.start", 0, utt="u1", planned_words=["Open", "up."])
    aside = frame("in", "agent", "response.text.delta", 9, delta="A moment.", kind="progress")
    assert updates(words, aside) == [DriverSpoke("Open up."), Words("A moment.", True, "r1")]


def test_problems_are_shown() -> None:
    failed = frame("in", "agent", "response.done", 1, status="failed", reason="no key", usage=None)
    complaint = frame("out", "agent", "error", 2, code="not_your_turn", message="wait", fatal=False)
    silence = frame("out", "user", "agent.no_reply", 3, waited_ms=10_000)
    assert [getattr(shown, "text", None) for shown in updates(failed, complaint, silence)] == [
        "the assistant failed: no key",
        "error sent to the assistant: wait",
        "the assistant said nothing for 10 s",
    ]


def test_the_car_is_shown_whole_and_then_by_its_changes() -> None:
    episode = Episode().call("set_fan_speed", level=2).turn().end()
    spectator = Spectator()
    seen = [each for entry in episode.record.entries for each in spectator.take(entry)]
    first, second = [each for each in seen if isinstance(each, Changed)]
    assert first.first
    assert len(first.values) == 32
    assert second == Changed({"fan_speed": 2}, by="assistant")
    assert spectator.values["fan_speed"] == 2
    (turn,) = [each for each in seen if isinstance(each, TurnOver)]
    assert turn.spans_ms["upl"] == 900
    assert isinstance(seen[-1], ConversationOver)


def test_what_no_tool_changes_is_read_from_its_signal() -> None:
    path = "signal/Vehicle/Powertrain/TractionBattery/Range"
    entry = Entry(path, encode(SignalChanged(value=51_000, revision=0)))
    spectator = Spectator()
    assert list(spectator.take(entry)) == [Changed({"remaining_range_km": 51.0}, first=True)]
    assert list(spectator.take(entry)) == []
    fan = Entry("signal/Vehicle/Cabin/HVAC/Station/Row1/Driver/FanSpeed", entry.payload)
    assert list(spectator.take(fan)) == []


def test_events_and_presence_are_reported() -> None:
    event = Entry("event/knob", encode(CarEvent(detail={"by": "passenger"})))
    assert list(Spectator().take(event)) == [CarEventSeen("knob", {"by": "passenger"})]
    clock = Entry("event/time", encode(CarEvent(detail={"clock_ns": 5})))
    assert list(Spectator().take(clock)) == []
    gone = Entry("status", encode(CarStatus(online=False)))
    assert list(Spectator().take(gone)) == [CarPresence(False)]


def test_a_car_that_comes_back_is_news_and_one_that_is_there_is_none() -> None:
    here, gone = (Entry("status", encode(CarStatus(online=online))) for online in (True, False))
    watching = Spectator()
    seen = [update for entry in (here, gone, here, here) for update in watching.take(entry)]
    assert seen == [CarPresence(False), CarPresence(True)]


def test_what_nobody_can_read_is_let_go() -> None:
    assert list(Spectator().take(Entry("snapshot", b"{"))) == []
    assert list(Spectator().take(Entry("session/s/turn", b"{}"))) == []


def test_an_event_carries_its_kind() -> None:
    assert Trouble("oh").fields() == {"kind": "trouble", "text": "oh"}


def test_when_the_conversation_is_over_nobody_does_anything() -> None:
    spectator, episode = Spectator(), Episode().turn().end()
    doing = dict[str, str]()
    speaks = Frames(frames=[frame("in", "user", "user.speech.start", 0, utt="u1")])
    for entry in (Entry("session/s-1/frame", encode(speaks)), *episode.record.entries):
        doing |= {u.who: u.doing for u in spectator.take(entry) if isinstance(u, NowDoing)}
    assert set(doing.values()) == {"idle"}
