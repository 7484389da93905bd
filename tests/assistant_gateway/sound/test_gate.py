"""The gate finds where sound begins and ends, in whatever parts it comes."""

from array import array
from itertools import accumulate, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant_gateway.sound.gate import MS, Gate, Hearing, Interval, audible, gaps, overlap_ns
from assistant_gateway.sound.mixing import mixed
from assistant_gateway.sound.pcm import FULL_SCALE, RATE, Samples, silence


def burst(ms: int, peak: int = 8000) -> Samples:
    chance = Random(f"burst/{ms}")
    return array("h", (chance.randint(-peak, peak) for _ in range(RATE * ms // 1000)))


def quiet(ms: float) -> Samples:
    return silence(round(RATE * ms / 1000))


def in_ms(intervals: tuple[Interval, ...]) -> list[tuple[float, float]]:
    return [(each.begins_ns / MS, each.ends_ns / MS) for each in intervals]


def test_lead_in_gap_and_end_are_found() -> None:
    heard = audible(quiet(480) + burst(300) + quiet(700) + burst(200) + quiet(500))
    assert in_ms(heard) == [(480, 780), (1480, 1680)]
    assert in_ms(gaps(heard)) == [(780, 1480)]


def test_silence_and_nothing_are_not_audible() -> None:
    assert audible(quiet(500)) == audible(silence(0)) == ()
    assert gaps(()) == ()


def test_a_short_pause_belongs_to_the_words_around_it() -> None:
    sound = burst(100) + quiet(190) + burst(100)
    assert in_ms(audible(sound)) == [(0, 390)]
    assert in_ms(audible(sound, Gate(pause_ms=0))) == [(0, 100), (290, 390)]


@pytest.mark.parametrize(("level", "heard"), [(-44.0, True), (-46.0, False)])
def test_the_threshold_is_a_level(level: float, heard: bool) -> None:
    square = array("h", [8192, -8192] * RATE)  # -12.04 dBFS
    assert bool(audible(mixed([(square, level + 12.04)]))) is heard


@settings(max_examples=30)
@given(st.integers(0, 2000), st.integers(10, 500))
def test_onset_and_end_are_within_a_hop_of_the_truth(lead_in: int, lasts: int) -> None:
    ((begins, ends),) = in_ms(audible(quiet(lead_in) + burst(lasts) + quiet(100)))
    assert lead_in - 10 < begins < lead_in + 10
    assert lead_in + lasts - 10 < ends < lead_in + lasts + 10


@settings(max_examples=30)
@given(st.lists(st.integers(1, 2400), max_size=20))
def test_the_parts_of_a_stream_do_not_matter(lengths: list[int]) -> None:
    whole = quiet(130) + burst(300) + quiet(250) + burst(40) + quiet(60)
    hearing = Hearing()
    edges = [*accumulate(lengths, initial=0), len(whole)]
    for begin, end in pairwise(sorted(edges)):
        hearing.add(whole[begin:end] if end <= len(whole) else silence(0))
    rest = whole[max(edge for edge in edges if edge <= len(whole)) :]
    hearing.add(rest)
    assert hearing.intervals == audible(whole)


@settings(max_examples=60)
@given(st.lists(st.sampled_from([0, 60, 180, 190, 8000]), max_size=60), st.integers(0, 250))
def test_what_is_audible_is_so_hop_by_hop(peaks: list[int], pause_ms: int) -> None:
    gate = Gate(pause_ms=pause_ms)
    whole = [each for peak in peaks for each in [peak, -peak] * (RATE // 200)]
    expected: list[Interval] = []
    for number, peak in enumerate(peaks):
        begins_ns = 10 * MS * number
        if peak < FULL_SCALE * 10 ** (gate.threshold_dbfs / 20):
            continue
        if expected and begins_ns - expected[-1].ends_ns <= pause_ms * MS:
            begins_ns = expected.pop().begins_ns
        expected.append(Interval(begins_ns, 10 * MS * (number + 1)))
    assert audible(array("h", whole), gate) == tuple(expected)


def test_overlap_is_the_time_in_which_both_are_audible() -> None:
    one = (Interval(0, 100 * MS), Interval(200 * MS, 300 * MS))
    other = (Interval(50 * MS, 250 * MS),)
    assert overlap_ns(one, other) == overlap_ns(other, one) == 100 * MS
    assert overlap_ns(one, ()) == 0
