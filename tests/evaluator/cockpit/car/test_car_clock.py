"""The clock in a car goes on with its time, and faster while it drives that much farther."""

from datetime import datetime

from evaluator.cockpit.car.car_clock import CarClock

NOON = datetime(2025, 2, 14, 12)  # noqa: DTZ001 - a car knows no time zone
S = 1_000_000_000


def test_it_goes_on_with_the_time_of_the_car() -> None:
    clock = CarClock(NOON)
    assert clock.go(90 * S, 1.0)
    assert clock.moment == datetime(2025, 2, 14, 12, 1, 30)  # noqa: DTZ001
    assert not clock.go(91 * S, 1.0)


def test_a_rate_counts_from_the_moment_at_which_it_is_set() -> None:
    clock = CarClock(NOON)
    assert clock.go(10 * S, 10.0)
    clock.go(20 * S, 1.0)
    clock.go(30 * S, 1.0)
    assert clock.moment == datetime(2025, 2, 14, 12, 2)  # noqa: DTZ001
