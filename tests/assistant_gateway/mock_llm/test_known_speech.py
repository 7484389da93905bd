"""A mock model knows what was spoken on this machine by its samples, and who has finished."""

from array import array
from pathlib import Path
from random import Random

import pytest

from assistant_gateway.mock_llm.realtime.events import SoundSettings
from assistant_gateway.mock_llm.realtime.known_speech import KeptSpeech, KnownWords
from assistant_gateway.mock_llm.realtime.sound import ClientSound
from assistant_gateway.mock_llm.realtime.turn_detector import (
    TurnDetection,
    TurnDetector,
    TurnEvent,
)
from assistant_gateway.sound.gate import MS, Interval
from assistant_gateway.sound.mixing import mixed
from assistant_gateway.sound.pcm import RATE, Samples, to_bytes
from assistant_gateway.sound.sound import Sound
from assistant_gateway.sound.word_times import spread
from tests.assistant_gateway.sound.test_gate import quiet

TEXTS = ("Open the window.", "Set the fan to two.", "Yes, please.")


def voice(text: str) -> Sound:
    """A second of noise of its own between two silences."""
    chance = Random(text)
    loud = array("h", (chance.randint(-9000, 9000) for _ in range(RATE)))
    words = tuple(spread(text.split(), Interval(50 * MS, 1050 * MS)))
    return Sound(quiet(50) + loud + quiet(300), words)


@pytest.fixture
def kept(tmp_path: Path) -> KeptSpeech:
    for number, text in enumerate(TEXTS):
        (tmp_path / f"{number}.sound").write_bytes(voice(text).to_bytes())
    return KeptSpeech(tmp_path)


def heard(kept: KeptSpeech, stream: Samples, frame_ms: int = 40) -> KnownWords:
    known, frame = KnownWords(kept), RATE * frame_ms // 1000
    for start in range(0, len(stream), frame):
        known.add(stream[start : start + frame])
    return known


@pytest.mark.parametrize("frame_ms", [20, 40, 100, 3000])
def test_words_are_known_wherever_they_begin(kept: KeptSpeech, frame_ms: int) -> None:
    stream = quiet(777) + voice(TEXTS[1]).samples + quiet(33.5) + voice(TEXTS[2]).samples
    known = heard(kept, stream, frame_ms)
    assert known.between(0, known.position) == f"{TEXTS[1]} {TEXTS[2]}"


def test_an_utterance_without_known_words_is_reported_once(
    kept: KeptSpeech, caplog: pytest.LogCaptureFixture
) -> None:
    noisy = array("h", (sample + 1 for sample in voice(TEXTS[1]).samples))
    sound = ClientSound(SoundSettings(), kept)
    for stream in (voice(TEXTS[1]).samples, noisy, noisy):
        sound.add(to_bytes(stream + quiet(500)))
        sound.utterance()
    (said,) = [record.getMessage() for record in caplog.records]
    assert "without noise and echo" in said


def test_of_half_an_utterance_half_of_the_words_are_known(kept: KeptSpeech) -> None:
    sound = voice(TEXTS[1])
    known = heard(kept, quiet(100) + sound.samples[: RATE * 700 // 1000])
    assert known.between(0, known.position) == "Set the fan"
    assert known.between(RATE * 600 // 1000, known.position) == "fan"


def test_what_was_never_spoken_is_unknown_until_it_falls_silent(kept: KeptSpeech) -> None:
    stream = voice("Who are you?").samples + quiet(100) + voice(TEXTS[0]).samples
    known = heard(kept, stream)
    assert known.between(0, known.position) == TEXTS[0]


def test_a_sound_that_is_kept_later_is_known_as_well(kept: KeptSpeech, tmp_path: Path) -> None:
    assert heard(kept, voice("Stop.").samples).between(0, 2 * RATE) == ""
    (tmp_path / "later.sound").write_bytes(voice("Stop.").to_bytes())
    assert heard(kept, voice("Stop.").samples).between(0, 2 * RATE) == "Stop."


def noise(ms: int, peak: int) -> Samples:
    chance = Random(peak)
    return array("h", (chance.randint(-peak, peak) for _ in range(RATE * ms // 1000)))


def turns(stream: Samples, **settings: object) -> list[TurnEvent]:
    detector = TurnDetector(TurnDetection.model_validate(settings))
    return [
        event
        for start in range(0, len(stream), 960)
        for event in detector.add(stream[start : start + 960])
    ]


@pytest.mark.parametrize("silence_ms", [300, 500])
@pytest.mark.parametrize("peak", [0, 300, 1000])
def test_the_end_is_found_when_it_was_silent_for_so_long(silence_ms: int, peak: int) -> None:
    stream = quiet(1500) + noise(2000, 9000) + quiet(1500)
    if peak:
        stream = mixed([(stream, 0.0), (noise(5000, peak), 0.0)])
    started, stopped = turns(stream, silence_duration_ms=silence_ms)
    assert (started.kind, stopped.kind) == ("started", "stopped")
    assert started.at_ms == pytest.approx(1500 - 300, abs=60)
    assert stopped.at_ms == pytest.approx(3500 + silence_ms, abs=60)


def test_a_pause_that_is_longer_ends_the_turn_too_early() -> None:
    stream = quiet(500) + noise(900, 9000) + quiet(400) + noise(900, 9000) + quiet(800)
    assert [event.kind for event in turns(stream)] == ["started", "stopped"]
    early = turns(stream, silence_duration_ms=200)
    assert [event.kind for event in early] == ["started", "stopped"] * 2


def test_a_higher_threshold_hears_only_louder_speech() -> None:
    stream = mixed([(quiet(1000) + noise(1000, 3000) + quiet(1000), 0.0), (noise(3000, 900), 0.0)])
    assert len(turns(stream, threshold=0.3)) == 2
    assert turns(stream, threshold=1) == []
