"""The time of a car that runs by itself, stands still and runs on."""

from tests.vehicle_bus.cars import car as vehicle
from vehicle_bus.contract import Clock
from vehicle_bus.host.command import HostedCar


def car() -> HostedCar:
    return HostedCar("v", vehicle())


def now(hosted: HostedCar) -> int:
    assert hosted.now_ns is not None
    return hosted.now_ns


def test_a_car_that_waits_has_no_time_of_its_own() -> None:
    hosted = car()
    assert hosted.now_ns is None
    hosted.stop_clock()
    hosted.go_on()
    assert hosted.now_ns is None


def test_a_stopped_car_stands_still_and_runs_on_from_there() -> None:
    hosted = car()
    hosted.start_clock()
    assert now(hosted) < now(hosted)
    hosted.stop_clock()
    there_ns = now(hosted)
    assert now(hosted) == hosted.car_ns(1) == there_ns
    hosted.go_on()
    assert there_ns <= now(hosted) < now(hosted)


def test_what_a_session_counts_during_a_pause_the_car_does_not() -> None:
    hosted = car()
    hosted.set_clock(Clock(t_ns=0, pace="live"))
    hosted.stop_clock()
    there_ns, began_ns = now(hosted), hosted.began_ns
    hosted.go_on()
    missed_ns = began_ns - hosted.began_ns
    assert missed_ns > 0
    hosted.set_clock(Clock(t_ns=missed_ns + there_ns, pace="live"))
    assert 0 <= now(hosted) - there_ns < 1_000_000_000
