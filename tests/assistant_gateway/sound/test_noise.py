"""The noise follows the car, is the same for the same seed, and is as loud as it says."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant_gateway.sound.cabin import SOURCES, WINDOWS, Cabin, Source
from assistant_gateway.sound.noise import CabinNoise, LoopNoise, recorded_loop, source_loop
from assistant_gateway.sound.pcm import RATE, dbfs, silence
from assistant_gateway.sound.speech_band import band_dbfs, speech_dbfs
from tests.assistant_gateway.sound.test_gate import burst, quiet
from tests.assistant_gateway.sound.test_pcm import tone
from vehicle_bus.car.signals import context_signals, motion_signals, state_signals
from vehicle_bus.car.state import CarState, FixedContext

FAST = Cabin(speed_kmh=120, windows=0.5, fan=0.4)


@pytest.mark.parametrize(
    "cabins",
    [
        [Cabin(speed_kmh=speed) for speed in (0, 30, 50, 100, 130)],
        [Cabin(speed_kmh=100, windows=share) for share in (0, 0.1, 1, 2, 4)],
        [Cabin(speed_kmh=100, roof=share) for share in (0, -1, 0.5, 1)],
        [Cabin(fan=share) for share in (0, 0.2, 0.6, 1)],
        [Cabin(speed_kmh=50, rain=share) for share in (0, 0.3, 1)],
    ],
)
def test_more_of_anything_is_louder(cabins: list[Cabin]) -> None:
    levels = [cabin.noise_dbfs for cabin in cabins]
    assert all(less < more for less, more in pairwise(levels))


def test_an_open_window_is_not_heard_while_the_car_stands() -> None:
    assert Cabin(windows=4, roof=1).noise_dbfs == Cabin().noise_dbfs


@pytest.mark.parametrize("cabin", [Cabin(), Cabin(speed_kmh=100), FAST, Cabin(fan=1, rain=1)])
def test_noise_is_as_loud_as_it_says(cabin: Cabin) -> None:
    noise = CabinNoise(cabin, "seed")
    assert band_dbfs(noise.samples(0, 3 * RATE)) == pytest.approx(noise.dbfs, abs=0.5)


@given(st.integers(0, 10**9), st.integers(0, 3000), st.integers(0, 3000))
def test_noise_does_not_depend_on_how_it_is_cut(begin: int, first: int, second: int) -> None:
    noise = CabinNoise(FAST, "seed")
    parts = noise.samples(begin, first) + noise.samples(begin + first, second)
    assert parts == noise.samples(begin, first + second)


def test_a_seed_makes_its_own_noise() -> None:
    one, again, other = (CabinNoise(FAST, seed).samples(0, 999) for seed in ("a", "a", "b"))
    assert one == again != other


@pytest.mark.parametrize("source", SOURCES)
def test_a_loop_has_no_click_at_its_seam(source: Source) -> None:
    samples = source_loop(source).samples
    steps = [abs(after - before) for before, after in pairwise(samples)]
    assert abs(samples[0] - samples[-1]) <= max(steps)


def test_the_cabin_is_read_from_the_signals_of_a_car() -> None:
    state = CarState(window_driver_position=50, window_passenger_rear_position=25, fan_speed=5)
    driving = {"speed_kmh": 80.0, "travelled_m": 0, "outside_c": 9.0, "cabin_c": 20.0}
    signals = {
        **state_signals(state.model_dump()),
        **context_signals(FixedContext()),
        **motion_signals(driving),
    }
    expected = Cabin(speed_kmh=80, windows=0.75, roof=state.sunroof_position / 100, fan=1)
    assert Cabin.of_signals(signals) == expected
    assert Cabin.of_signals({}) == Cabin()


def test_all_four_windows_are_counted() -> None:
    assert Cabin.of_signals(dict.fromkeys(WINDOWS, 100)).windows == 4


def test_a_recording_is_repeated_at_the_level_that_was_asked_for() -> None:
    noise = LoopNoise(recorded_loop(burst(1500)), -40.0)
    assert band_dbfs(noise.samples(123, 5 * RATE)) == pytest.approx(-40, abs=0.5)


def test_the_band_is_that_of_a_telephone() -> None:
    levels = {hertz: band_dbfs(tone(hertz, RATE)) - dbfs(tone(hertz, RATE)) for hertz in
              (60, 300, 1000, 3400, 8000)}  # fmt: skip
    assert levels[60] < -40
    assert levels[8000] < -40
    assert levels[1000] == pytest.approx(0, abs=0.2)
    assert levels[300] == pytest.approx(-3, abs=0.3)
    assert levels[3400] == pytest.approx(-3, abs=0.3)


def test_pauses_do_not_make_speech_less_loud() -> None:
    words, pause = burst(400), quiet(1600)
    assert speech_dbfs(words + pause + words) == pytest.approx(speech_dbfs(words), abs=0.2)
    assert band_dbfs(words + pause + words) < speech_dbfs(words) - 3
    assert speech_dbfs(silence(500)) == band_dbfs(silence(0)) == -120
