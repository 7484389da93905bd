"""Samples keep what they have to keep, and what cannot be read is refused in one line."""

import math
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.sound.pcm import (
    RATE,
    SILENCE_DBFS,
    BadSound,
    Samples,
    dbfs,
    from_bytes,
    from_mulaw,
    from_wav,
    silence,
    sum_db,
    to_bytes,
    to_mulaw,
    to_wav,
)

A_SAMPLE = st.integers(-32_768, 32_767)
SAMPLES = st.lists(A_SAMPLE, max_size=300).map(lambda values: array("h", values))


def tone(hertz: float, rate: int, seconds: float = 0.2, peak: float = 8000) -> Samples:
    step = 2 * math.pi * hertz / rate
    return array("h", (round(peak * math.sin(step * n)) for n in range(round(rate * seconds))))


@given(SAMPLES)
def test_bytes_and_wav_give_back_the_samples(samples: Samples) -> None:
    assert from_bytes(to_bytes(samples)) == samples
    assert from_wav(to_wav(samples, 8000)) == (samples, 8000)


@given(A_SAMPLE)
def test_mulaw_is_as_exact_as_its_steps(sample: int) -> None:
    (decoded,) = from_mulaw(to_mulaw(array("h", [sample])))
    assert abs(decoded - sample) <= max((abs(sample) + 132) / 32, abs(sample) - 32_124)


def test_a_code_of_mulaw_stays_itself() -> None:
    codes = bytes(range(256))
    negative_zero = 0x7F
    assert to_mulaw(from_mulaw(codes)) == codes.replace(bytes([negative_zero]), b"\xff")


def test_mulaw_is_that_of_g711() -> None:
    assert to_mulaw(array("h", [0, -1, 1000, -1000, 32_767, -32_768])).hex() == "ff7fce4e8000"
    assert list(from_mulaw(bytes.fromhex("ffce4e8000"))) == [0, 988, -988, 32_124, -32_124]


def test_levels_are_those_of_a_meter() -> None:
    assert dbfs(array("h", [32_767, -32_767] * 100)) == pytest.approx(0, abs=0.001)
    assert dbfs(tone(1000, RATE, peak=32_767)) == pytest.approx(-3.01, abs=0.01)
    assert dbfs(silence(10)) == dbfs(silence(0)) == SILENCE_DBFS
    assert sum_db([-30.0, -30.0]) == pytest.approx(-26.99, abs=0.01)


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "not a WAV file"), (b"RIFFxxxxWAVE", "not a WAV file"), (b"MP3", "not a WAV file")],
)
def test_a_file_that_is_no_sound_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(BadSound, match=why):
        from_wav(content)


def test_half_a_sample_is_refused() -> None:
    with pytest.raises(BadSound, match="two bytes for each sample"):
        from_bytes(b"\0\0\0")
