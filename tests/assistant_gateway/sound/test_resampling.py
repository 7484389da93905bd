"""Sound at another rate stays what it was, whole or in parts."""

from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.sound.pcm import RATE, Samples, dbfs, silence
from assistant_gateway.sound.resampling import Resampler, resampled
from tests.assistant_gateway.sound.test_pcm import SAMPLES, tone

RATES = st.sampled_from([8000, 16_000, 22_050, 44_100, 48_000])


@pytest.mark.parametrize("rate", [8000, 16_000, 22_050, 44_100, 48_000])
def test_a_tone_stays_itself_at_another_rate(rate: int) -> None:
    made, expected = resampled(tone(1000, rate), rate), tone(1000, RATE)
    assert len(made) == len(expected)
    wrong = [a - b for a, b in zip(made[300:-300], expected[300:-300], strict=True)]
    assert dbfs(wrong) < dbfs(expected) - 55


def test_what_telephony_cannot_carry_does_not_come_back_as_another_tone() -> None:
    assert dbfs(resampled(tone(3000, RATE), RATE, 8000)) == pytest.approx(
        dbfs(tone(3000, RATE)), abs=0.2
    )
    assert dbfs(resampled(tone(5200, RATE), RATE, 8000)[50:-50]) < -60


@given(st.integers(-30_000, 30_000), st.sampled_from([8000, 16_000, 22_050, 48_000]))
def test_a_constant_stays_constant(value: int, rate: int) -> None:
    made = resampled(array("h", [value] * 200), rate)
    middle = made[len(made) // 3 : 2 * len(made) // 3]
    assert set(middle) <= {value - 1, value, value + 1}


@given(SAMPLES, RATES, st.booleans())
def test_samples_made_at_once_are_those_made_one_by_one(
    samples: Samples, rate: int, loud: bool
) -> None:
    """Also where sums go beyond full scale."""
    if loud:
        samples = array("h", (32_767 if sample > 0 else -32_768 for sample in samples))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("assistant_gateway.sound.resampling.weighted", lambda *_: None)
        one_by_one = resampled(samples, rate)
    assert resampled(samples, rate) == one_by_one


@given(SAMPLES, RATES, RATES, st.lists(st.integers(0, 300), max_size=5))
def test_the_parts_of_a_stream_make_the_same(
    samples: Samples, rate: int, to_rate: int, edges: list[int]
) -> None:
    resampler, made = Resampler(rate, to_rate), silence(0)
    for begin, end in pairwise(sorted([0, *edges, 300])):
        made += resampler.add(samples[begin:end])
    made += resampler.end()
    assert len(made) == -(-len(samples) * to_rate // rate)
    assert made == resampled(samples, rate, to_rate)
