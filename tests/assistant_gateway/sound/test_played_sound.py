"""First sound, gaps and stop of an agent are those of its samples, however they arrive."""

from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant_gateway.sound.gate import MS, gaps
from assistant_gateway.sound.pcm import RATE, Samples
from assistant_gateway.sound.played_sound import PlayedSound
from tests.assistant_gateway.sound.test_gate import burst, in_ms, quiet


def arrived(samples: Samples, at_ms: int, frame_ms: int, every_ms: int) -> PlayedSound:
    """In frames, the first one at that moment of the session."""
    played, frame = PlayedSound(), RATE * frame_ms // 1000
    for number, start in enumerate(range(0, len(samples), frame)):
        played.add(samples[start : start + frame], (at_ms + number * every_ms) * MS)
    return played


@pytest.mark.parametrize("lead_in_ms", [0, 120, 480])
@pytest.mark.parametrize(("frame_ms", "every_ms"), [(100, 100), (20, 20), (100, 3), (250, 10)])
def test_the_first_sound_is_found_behind_the_first_delta(
    lead_in_ms: int, frame_ms: int, every_ms: int
) -> None:
    played = arrived(quiet(lead_in_ms) + burst(900) + quiet(100), 70_003, frame_ms, every_ms)
    assert played.lead_in_ns == pytest.approx(lead_in_ms * MS, abs=10 * MS)
    ((begins_ms, ends_ms),) = in_ms(played.audible)
    assert begins_ms == pytest.approx(70_003 + lead_in_ms, abs=10)
    assert ends_ms == pytest.approx(70_003 + lead_in_ms + 900, abs=10)
    assert played.ends_ns == pytest.approx((70_003 + lead_in_ms + 1000) * MS, abs=MS)


def test_frames_that_come_too_late_leave_a_gap() -> None:
    played = PlayedSound()
    played.add(burst(300), 1000 * MS)
    played.add(burst(300), 1800 * MS)
    assert in_ms(gaps(played.audible)) == [(1300, 1800)]


def test_silence_alone_is_no_first_sound() -> None:
    played = arrived(quiet(2000), 5000, 100, 100)
    assert played.audible == ()
    assert played.lead_in_ns is None


@settings(max_examples=30)
@given(st.integers(0, 2500))
def test_nothing_is_heard_after_a_cut(cut_ms: int) -> None:
    played = arrived(quiet(200) + burst(3000), 1000, 100, 5)
    played.cut((1000 + cut_ms) * MS)
    played.add(burst(500), (1000 + cut_ms) * MS)
    ends = [ends_ms for _, ends_ms in in_ms(played.audible)]
    assert ends == ([1000 + cut_ms] if cut_ms > 200 else [])


@given(st.lists(st.integers(10, 300), min_size=1, max_size=10))
@settings(max_examples=30)
def test_what_arrives_in_time_is_heard_as_one(frames_ms: list[int]) -> None:
    played, starts = PlayedSound(), [0, *accumulate(frames_ms)]
    for frame_ms, start in zip(frames_ms, starts, strict=False):
        played.add(burst(frame_ms), start * MS)
    ((begins_ms, ends_ms),) = in_ms(played.audible)
    assert begins_ms == 0
    assert ends_ms == pytest.approx(sum(frames_ms), abs=10)
