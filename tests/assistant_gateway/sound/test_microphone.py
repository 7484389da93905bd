"""The microphone hears everybody at their time, and what was cut is not heard."""

from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.sound.cabin import Cabin
from assistant_gateway.sound.gate import Hearing, audible
from assistant_gateway.sound.microphone import Echo, Microphone
from assistant_gateway.sound.mixing import mixed
from assistant_gateway.sound.noise import CabinNoise
from assistant_gateway.sound.pcm import RATE, Samples, dbfs, silence
from assistant_gateway.sound.speech_band import band_dbfs
from assistant_gateway.sound.track import Track
from tests.assistant_gateway.sound.test_gate import burst, in_ms

FRAME = RATE // 10
CITY = CabinNoise(Cabin(speed_kmh=50))


def listened(microphone: Microphone, frames: int, noise: CabinNoise | None = None) -> Samples:
    whole = silence(0)
    for number in range(frames):
        whole += microphone.frame(number * FRAME, FRAME, noise)
    return whole


def test_an_utterance_is_heard_at_its_time_across_frames() -> None:
    microphone = Microphone()
    microphone.driver.add(burst(330), RATE * 250 // 1000)
    assert in_ms(audible(listened(microphone, 10))) == [(250, 580)]


def test_there_is_noise_between_utterances() -> None:
    heard = listened(Microphone(), 20, CITY)
    assert band_dbfs(heard) == pytest.approx(CITY.dbfs, abs=0.5)
    assert all(any(heard[at : at + 24]) for at in range(0, len(heard), FRAME))


def test_noise_alone_is_the_noise_that_a_silent_driver_is_mixed_with() -> None:
    noise = CITY.samples(FRAME, FRAME)
    assert Microphone().frame(FRAME, FRAME, CITY) == noise
    assert mixed([(silence(FRAME), 0.0), (noise, 0.0)]) == noise


def test_the_loudspeaker_comes_back_later_and_softer() -> None:
    microphone = Microphone(Echo(-20.0, delay_ms=60))
    microphone.loudspeaker.add(burst(500), 0)
    heard = listened(microphone, 8)
    assert not any(heard[: RATE * 60 // 1000])
    assert dbfs(heard[1440 : 1440 + 12_000]) == pytest.approx(dbfs(burst(500)) - 20, abs=0.1)


def test_without_echo_the_loudspeaker_is_not_heard() -> None:
    microphone = Microphone()
    microphone.loudspeaker.add(burst(500), 0)
    assert not any(listened(microphone, 8))


def test_a_sound_waits_until_the_one_before_has_ended() -> None:
    track = Track()
    begins = [
        track.add(burst(100), 0),
        track.add(burst(100), FRAME // 2),
        track.add(burst(10), 9999),
    ]
    assert begins == [0, 2400, 9999]
    assert track.ends == 9999 + 240


@pytest.mark.parametrize("stopped_ms", [700, 733, 1204])
def test_the_stop_after_an_interruption_is_measured_from_samples(stopped_ms: int) -> None:
    loudspeaker, hearing = Track(), Hearing()
    loudspeaker.add(silence(RATE * 480 // 1000) + burst(3000), 0)
    loudspeaker.cut(RATE * stopped_ms // 1000)
    for number in range(40):
        hearing.add(loudspeaker.part(number * FRAME, FRAME))
    ((begins_ms, ends_ms),) = in_ms(hearing.intervals)
    assert begins_ms == 480
    assert abs(ends_ms - stopped_ms) < 10


def test_what_was_cut_is_not_heard_and_something_new_can_follow() -> None:
    track = Track()
    track.add(array("h", [1] * 100), 0)
    track.add(array("h", [2] * 100), 0)
    track.cut(130)
    assert track.ends == 130
    track.add(array("h", [3] * 10), 140)
    assert list(track.part(95, 60)) == [1] * 5 + [2] * 30 + [0] * 10 + [3] * 10 + [0] * 5


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 400)), max_size=6),
       st.lists(st.integers(0, 900), max_size=6))  # fmt: skip
def test_frames_of_any_length_make_the_same_whole(
    sounds: list[tuple[int, int]], edges: list[int]
) -> None:
    track = Track()
    for value, (length, begin) in enumerate(sounds, start=1):
        track.add(array("h", [value] * length), begin)
    parts = silence(0)
    for begin, end in pairwise(sorted([0, *edges, 900])):
        parts += track.part(begin, end - begin)
        track.forget(end)
    assert [value for value in parts if value] == [
        value for value, (length, _) in enumerate(sounds, start=1) for _ in range(length)
    ]
