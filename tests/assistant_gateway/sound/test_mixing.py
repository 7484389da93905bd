"""A mix is the sum of its parts, whichever way it is worked out."""

from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.sound.mixing import GAIN_BITS, mixed, one_by_one, packed, weighted
from assistant_gateway.sound.pcm import Samples, silence
from tests.assistant_gateway.sound.test_pcm import SAMPLES


@given(SAMPLES, st.floats(-60, 0))
def test_a_part_mixed_with_silence_is_scaled(samples: Samples, gain_db: float) -> None:
    made = mixed([(samples, gain_db), (silence(len(samples)), 20.0)])
    assert made == mixed([(samples, gain_db)])
    factor = 10 ** (gain_db / 20)
    assert all(abs(a - b * factor) <= 1.5 for a, b in zip(made, samples, strict=True))


@given(SAMPLES, SAMPLES)
def test_a_mix_is_the_sum_within_full_scale(one: Samples, other: Samples) -> None:
    length = min(len(one), len(other))
    one, other = one[:length], other[:length]
    sums = [min(32_767, max(-32_768, a + b)) for a, b in zip(one, other, strict=True)]
    assert list(mixed([(one, 0.0), (other, 0.0)])) == sums


@given(
    st.lists(
        st.tuples(SAMPLES, st.integers(1 - (1 << GAIN_BITS), (1 << GAIN_BITS) - 1)),
        min_size=1,
        max_size=3,
    )
)
def test_all_at_once_is_the_same_as_one_by_one(parts: list[tuple[Samples, int]]) -> None:
    length = min(len(samples) for samples, _ in parts)
    sounds, gains = [samples[:length] for samples, _ in parts], [gain for _, gain in parts]
    at_once = weighted([packed(samples, length) for samples in sounds], gains, length)
    expected = one_by_one(sounds, gains)
    assert at_once == expected or (at_once is None and max(map(abs, expected)) >= 32_767)
