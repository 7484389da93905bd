"""An agent that is heard is measured by its samples; its text says which words they are."""

from base64 import b64encode
from dataclasses import replace

import pytest

from assistant_gateway.protocol import (
    AgentSpeechEnd,
    Body,
    ErrorFrame,
    ResponseAudioDelta,
    ResponseDone,
    ResponseTextDelta,
    ToolCall,
    UserInterject,
)
from assistant_gateway.sound.pcm import Samples, silence, to_bytes
from assistant_gateway.sound.wire_format import WireFormat
from assistant_gateway.timing.timeline import MS
from tests.assistant_gateway.sound.test_gate import burst, quiet
from tests.assistant_gateway.talking import PLAN, Talk, bodies, turns

TEXT = "The window is open now."
MEANT = ("No,", "the", "other", "one", "please.")


def audible_agent(*, speak_progress: bool = True, ends: frozenset[str] = frozenset()) -> Talk:
    talk = Talk(replace(PLAN, speak_progress=speak_progress), ends)
    talk.conversation.floor.agent_speaks = WireFormat()
    return talk


def audio(samples: Samples, frame_ms: int = 100) -> list[Body]:
    frame = 24 * frame_ms
    parts = [samples[at : at + frame] for at in range(0, len(samples), frame)]
    encoded = [b64encode(to_bytes(part)).decode() for part in parts]
    return [ResponseAudioDelta(audio=each) for each in encoded]


def text(delta: str = TEXT) -> ResponseTextDelta:
    return ResponseTextDelta(delta=delta)


def error_codes(talk: Talk) -> list[str]:
    return [body.code for body in bodies(talk.effects) if isinstance(body, ErrorFrame)]


@pytest.mark.parametrize("lead_in_ms", [0, 120, 480])
def test_the_first_sound_is_measured_behind_a_silent_lead_in(lead_in_ms: int) -> None:
    talk = audible_agent()
    talk.says("Open the window.")
    talk.agent(text(), after_ns=200 * MS)
    talk.agent(*audio(quiet(lead_in_ms) + burst(1500)), ResponseDone(), after_ns=50 * MS)
    talk.until_quiet()
    (turn,) = turns(talk)
    spans = {name: ns / MS for name, ns in turn.spans.items() if ns is not None}
    first = spans["eou_delay"] + 250
    assert spans["first_delta"] == first
    assert spans["lead_in"] == pytest.approx(lead_in_ms, abs=10)
    assert spans["first_sound"] == spans["upl"] == pytest.approx(first + lead_in_ms, abs=10)
    assert spans["upl_content"] == spans["upl"]
    assert spans["turnaround"] == pytest.approx(first + lead_in_ms + 1500, abs=10)
    assert turn.heard_agent == TEXT


def test_the_driver_waits_for_the_end_of_the_sound_not_of_the_text() -> None:
    talk = audible_agent()
    talk.says("Open the window.")
    done_ns = talk.now_ns
    talk.agent(text(), *audio(burst(4000) + quiet(1000)), ResponseDone())
    talk.until_quiet()
    assert talk.now_ns == pytest.approx(done_ns + 4000 * MS, abs=10 * MS)


def test_a_pause_in_the_sound_is_found() -> None:
    talk = audible_agent()
    talk.says("Open the window.")
    talk.agent(text(), *audio(burst(500) + quiet(900) + burst(500)), ResponseDone())
    talk.until_quiet()
    assert turns(talk)[0].spans["sound_gap"] == pytest.approx(900 * MS, abs=10 * MS)


def test_an_interruption_stops_the_sound_and_leaves_the_words_heard_until_then() -> None:
    talk = audible_agent()
    talk.driver(UserInterject(utt="i", planned_words=MEANT, after_words=2))
    talk.says("Open the window.")
    talk.agent(text("One two three four five six seven eight nine ten."), *audio(burst(3600)))
    talk.until_quiet()
    cut = next(turn for turn in turns(talk) if turn.turn == 1)
    assert cut.spans["barge_stop"] == talk.conversation.floor.plan.speech.interruption_ns
    assert cut.spans["overlap"] == cut.spans["barge_stop"]
    heard = cut.heard_agent.split()
    assert heard[:2] == ["One", "two"]
    assert len(heard) < 6
    assert cut.audible_ns is not None
    assert cut.spans["turnaround"] is not None


def test_silence_alone_is_not_heard() -> None:
    talk = audible_agent()
    talk.says("Open the window.")
    talk.agent(text(), *audio(silence(48_000)), ResponseDone())
    talk.until_quiet()
    (turn,) = turns(talk)
    assert turn.heard_agent == ""
    assert turn.spans["first_sound"] is None
    assert turn.verdict.first_speech == "missing"
    ended = [body for body in bodies(talk.effects) if isinstance(body, AgentSpeechEnd)]
    assert [each.heard_text for each in ended] == [""]


def test_a_phone_call_that_rings_is_heard_first_and_is_no_sound_of_the_agent() -> None:
    talk = audible_agent(ends=frozenset({"call"}))
    talk.says("Call Mum.")
    talk.agent(text("I call her."), ToolCall(name="call", arguments={}), cid="a")
    talk.car("c1")
    talk.agent(ResponseDone())
    (turn,) = turns(talk)
    assert turn.spans["upl"] == turn.spans["effect_latency"] is not None
    assert (turn.spans["first_sound"], turn.audible_ns, turn.heard_agent) == (None, [], "")
    assert turn.verdict.first_speech == "ok"


def test_a_filler_is_no_content() -> None:
    talk = audible_agent()
    talk.says("Open the window.")
    talk.agent(ResponseTextDelta(delta="One moment. ", kind="ack"), *audio(burst(600)))
    talk.agent(text(), *audio(burst(900)), ResponseDone(), after_ns=2000 * MS)
    talk.until_quiet()
    spans = turns(talk)[0].spans
    assert spans["upl"] is not None
    assert spans["upl_content"] == spans["upl"] + 2000 * MS


@pytest.mark.parametrize("progress", [True, False])
def test_progress_is_heard_only_where_it_counts(progress: bool) -> None:
    talk = audible_agent(speak_progress=progress)
    talk.says("Open the window.")
    talk.agent(text("One moment."), *audio(burst(600)))
    talk.agent(ToolCall(name="open_close_window", arguments={}), cid="1")
    talk.agent(ResponseDone())
    assert (talk.conversation.floor.turn.playout.started_ns is not None) == progress


def test_samples_that_nobody_asked_for_are_answered_with_an_error() -> None:
    talk = Talk()
    talk.says("Open the window.")
    talk.agent(*audio(burst(100)))
    assert talk.counted == [False]
    assert error_codes(talk) == ["no_audio"]


def test_what_is_no_base64_is_answered_with_an_error() -> None:
    talk = audible_agent()
    talk.says("Open the window.")
    talk.agent(ResponseAudioDelta(audio="%%%"), text())
    assert error_codes(talk) == ["bad_audio"]


def test_nobody_listens_for_hours() -> None:
    talk = audible_agent()
    talk.says("Open the window.")
    talk.agent(text(), *audio(silence(24_000 * 400), frame_ms=200_000))
    assert error_codes(talk) == []
    talk.agent(*audio(burst(100)))
    assert error_codes(talk) == ["too_much_audio"]


def test_a_voice_that_goes_on_in_the_turn_of_the_driver_is_dropped_without_an_error() -> None:
    talk = audible_agent()
    talk.says("Open the window.")
    talk.agent(text(), *audio(burst(500)), ResponseDone())
    talk.until_quiet()
    talk.agent(*audio(silence(4800)))
    assert talk.counted[-2:] == [False, False]
    assert error_codes(talk) == []
