"""Who listens to sound may find out himself when the driver has finished, and stop for him."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant_gateway.protocol import (
    AgentSpeechEnd,
    InputTranscriptFinal,
    Interrupt,
    ResponseAudioClear,
    ResponseAudioCleared,
    ResponseDone,
    TurnDetected,
    UserInterject,
    UserSpeechStart,
)
from assistant_gateway.sound.audio_capability import DetectedBy
from assistant_gateway.sound.gate import Interval
from assistant_gateway.sound.sound import Sound
from assistant_gateway.sound.utterances import Utterances
from assistant_gateway.sound.voice import Voice
from assistant_gateway.sound.wire_format import WireFormat
from assistant_gateway.sound.word_times import spread
from assistant_gateway.timing.speech import Speech, speech_profile
from assistant_gateway.timing.timeline import MS
from tests.assistant_gateway.conversation.test_sound_playout import (
    MEANT,
    audible_agent,
    audio,
    text,
)
from tests.assistant_gateway.heard_drivers import SAYS_NOTHING
from tests.assistant_gateway.sound.test_gate import burst
from tests.assistant_gateway.talking import PLAN, Talk, bodies, turns

WORDS = tuple(["Open", "the", "window", "on", "my", "side,", "please."])
ENDS_NS = PLAN.speech.words_end_ns(WORDS)[-1]


def talk_with(turn_detection: DetectedBy) -> Talk:
    talk = audible_agent()
    talk.conversation.floor.turn_detection = turn_detection
    return talk


def answered(talk: Talk) -> dict[str, int | None]:
    talk.agent(text(), *audio(burst(900)), ResponseDone(), after_ns=100 * MS)
    talk.until_quiet()
    return turns(talk)[-1].spans


@pytest.mark.parametrize("turn_detection", ["truth", "agent"])
def test_who_needs_no_recogniser_is_told_at_the_true_end(turn_detection: DetectedBy) -> None:
    talk = talk_with(turn_detection)
    effects = talk.says(" ".join(WORDS))
    (final,) = (body for body in bodies(effects) if isinstance(body, InputTranscriptFinal))
    assert final.now_ns == final.user_speech_end_ns == ENDS_NS
    assert answered(talk)["eou_delay"] == (0 if turn_detection == "truth" else None)


def test_the_end_that_an_agent_finds_is_its_own() -> None:
    talk = talk_with("agent")
    talk.says(" ".join(WORDS))
    talk.agent(TurnDetected(), after_ns=530 * MS)
    talk.agent(TurnDetected(), after_ns=10 * MS)
    assert answered(talk)["eou_delay"] == 530 * MS


def test_an_end_that_is_found_too_early_has_a_negative_delay() -> None:
    talk = talk_with("agent")
    talk.driver(UserSpeechStart(utt="u", planned_words=WORDS))
    begins = talk.conversation.timeline.pop()
    talk.conversation.due(begins.event, begins.due_ns)
    talk.agent(TurnDetected(), after_ns=400 * MS)
    talk.until_quiet()
    assert answered(talk)["eou_delay"] == 400 * MS - ENDS_NS


def test_of_others_nobody_takes_it() -> None:
    talk = talk_with("truth")
    talk.says(" ".join(WORDS))
    talk.agent(TurnDetected())
    assert talk.counted == [False]


async def test_who_stops_for_the_driver_is_heard_until_then_and_told_how_much(
    tmp_path: Path,
) -> None:
    """Its stop counts from the first sound of a voice that begins 60 ms late."""
    said = Utterances(Voice(), SAYS_NOTHING, tmp_path)
    for words in (WORDS, MEANT):
        text_ = " ".join(words)
        sound = Sound(burst(1500), tuple(spread(words, Interval(60 * MS, 1500 * MS))))
        (tmp_path / f"{SAYS_NOTHING.key(text_, Voice())}.sound").write_bytes(sound.to_bytes())
        await said.prepare(text_)
    talk = Talk(replace(PLAN, speech=Speech(speech_profile("constant"), said=said)))
    talk.conversation.floor.agent_speaks = WireFormat()
    talk.conversation.floor.turn_detection = "agent"
    talk.driver(UserInterject(utt="i", planned_words=MEANT, after_words=1))
    talk.says(" ".join(WORDS))
    talk.agent(text(), *audio(burst(3000)), ResponseDone())
    started_ns = talk.now_ns
    while not talk.conversation.floor.interrupting:
        due = talk.conversation.timeline.pop()
        talk.conversation.due(due.event, due.due_ns)
    interrupts = talk.conversation.timeline.pop()
    onset_ns = talk.conversation.floor.turn.spoken_over[0][0]
    talk.now_ns = onset_ns + 130 * MS
    talk.agent(ResponseAudioClear())
    talk.conversation.due(interrupts.event, interrupts.due_ns)
    (turn,) = turns(talk)
    assert turn.spans["barge_stop"] == pytest.approx((130 - 60) * MS, abs=10 * MS)
    cleared = [each for each in bodies(talk.effects) if isinstance(each, ResponseAudioCleared)]
    played_ms = (onset_ns - started_ns) / MS + 130
    assert [each.played_ms for each in cleared] == pytest.approx([played_ms, played_ms], abs=2)
    assert any(isinstance(each, Interrupt) for each in bodies(talk.effects))


def test_after_a_stop_the_same_message_may_go_on() -> None:
    talk = talk_with("agent")
    talk.says(" ".join(WORDS))
    talk.agent(text("One two three four."), *audio(burst(2000)))
    talk.agent(ResponseAudioClear(), after_ns=500 * MS)
    talk.agent(text("Five six."), *audio(burst(600)), ResponseDone(), after_ns=300 * MS)
    talk.until_quiet()
    (turn,) = turns(talk)
    (ends,) = (each for each in bodies(talk.effects) if isinstance(each, AgentSpeechEnd))
    assert ends.heard_text == turn.heard_agent == "One Five six."
    assert sum(end - begin for begin, end in turn.audible_ns or ()) / MS == pytest.approx(
        1100, abs=20
    )


def test_a_complete_answer_that_is_stopped_hands_over_at_once() -> None:
    talk = talk_with("agent")
    talk.says(" ".join(WORDS))
    talk.agent(text(), *audio(burst(5000)), ResponseDone())
    talk.agent(ResponseAudioClear(), after_ns=1000 * MS)
    stopped_ns = talk.now_ns
    talk.until_quiet()
    assert talk.now_ns == stopped_ns
    assert talk.conversation.floor.state == "driver"
