"""Whose doing it was that the car did not end as expected."""

from evaluator.scoring.end_state import OffTarget
from evaluator.scoring.scores import score
from tests.evaluator.episodes import Episode, do, task
from tests.vehicle_bus.cars import WORLD

FAN = task(do("set_fan_speed", level=3))


def found(episode: Episode) -> tuple[OffTarget, ...]:
    return score(episode.turn().end().record, episode.task, WORLD).off_target


def test_nothing_is_off_when_everything_is_right() -> None:
    assert found(Episode(FAN).call("set_fan_speed", level=3)) == ()


def test_the_last_call_that_set_it_and_the_expected_one_are_named() -> None:
    episode = Episode(FAN).call("set_fan_speed", level=3).turn().call("set_fan_speed", level=2)
    [off] = found(episode)
    assert (off.variable, off.value, off.expected) == ("fan_speed", 2, 3)
    assert (off.set_by, off.t_ns) == ("set_fan_speed", 5_000_000_000)
    assert off.expected_by == "set_fan_speed(level=3)"


def test_what_nobody_set_has_no_call() -> None:
    [off] = found(Episode(FAN))
    assert (off.set_by, off.t_ns, off.value) == (None, None, 0)


def test_what_should_have_stayed_has_no_expected_call() -> None:
    episode = Episode(FAN).call("set_fan_speed", level=3)
    [off] = found(episode.call("set_seat_heating", level=2, seat_zone="DRIVER"))
    assert (off.variable, off.set_by, off.expected_by) == (
        "seat_heating_driver",
        "set_seat_heating",
        None,
    )


def test_a_call_that_was_refused_set_nothing() -> None:
    [off] = found(Episode(FAN).call("set_fan_speed", level=99))
    assert off.set_by is None


def test_where_the_end_state_does_not_count_nothing_is_off() -> None:
    removed = ("set_fan_speed",)
    limit = task(
        do("set_fan_speed", level=3), task_type="hallucination_missing_tool", removed=removed
    )
    assert found(Episode(limit)) == ()
