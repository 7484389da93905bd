"""Tasks in which something happens: what is expected then, and that it is deterministic."""

from evaluator.run.units import Played
from evaluator.scoring.expected import passed_states
from evaluator.task.expected_course import expected_course
from tests.evaluator.episodes import do, task
from tests.evaluator.runs import BY_ID, OWN, TaskSet, digests, outcomes, play
from tests.vehicle_bus.cars import WORLD

MOVING = [each for each in OWN.tasks if each.car.motion]


PLAIN = task(do("set_fan_speed", level=2), do("set_seat_heating", level=1, seat_zone="DRIVER"))


def test_a_call_has_the_last_word_on_what_a_hand_set() -> None:
    assert expected_course(PLAIN, WORLD, [{"fan_speed": 5}]).snapshots[-1]["fan_speed"] == 2


def test_what_no_call_touches_stays_as_it_happened() -> None:
    last = expected_course(
        PLAIN, WORLD, [{"sunshade_position": 20}, {"sunshade_position": 50}]
    ).snapshots[-1]
    assert (last["sunshade_position"], last["fan_speed"]) == (50, 2)


def test_an_event_may_come_before_between_or_after_the_calls() -> None:
    seen = {
        (state["fan_speed"], state["seat_heating_driver"], state["sunshade_position"])
        for state in passed_states(PLAIN, WORLD, [{"sunshade_position": 50}])
    }
    assert seen == {(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 0, 50), (2, 0, 50), (2, 1, 50)}


def test_at_least_six_tasks_are_about_something_that_happens_on_the_road() -> None:
    assert len(MOVING) >= 6
    assert {each.car.happenings != () for each in MOVING} == {True, False}


def kinds(played: Played) -> list[str]:
    """The events inside the fence of a record, without those that only tell the time."""
    events = [entry.rest for entry in played.record.fenced() if entry.kind == "event"]
    return [rest.removeprefix("event/") for rest in events if rest != "event/time"]


async def test_what_happens_is_in_the_record_and_the_same_at_any_concurrency() -> None:
    moving = TaskSet(MOVING, OWN.world)
    crowded, alone = [await play(moving, max_concurrency=number) for number in (8, 1)]
    assert set(outcomes(crowded).values()) == {"success"}
    assert digests(crowded) == digests(alone)
    events = {played.unit.task.task_id: kinds(played) for played in crowded}
    assert events["base_battery_warning"] == ["battery_low"]
    assert events["base_here_we_are"] == ["arrival"]
    assert events["base_range_drops"] == ["battery_corrected", "battery_low", "range_low"]
    assert events["base_kids_and_windows"] == ["knob"]


async def test_every_car_may_drive_and_another_seed_drives_otherwise() -> None:
    one = TaskSet([BY_ID["base_skip_charging"]], OWN.world)
    still, moving, other = [
        await play(one, motion=motion, seed=seed)
        for motion, seed in ((False, 10), (True, 10), (True, 11))
    ]
    assert {*outcomes(still).values(), *outcomes(moving).values()} == {"success"}
    speeds = [
        [e.fields["value"] for e in played.record.entries if e.rest == "signal/Vehicle/Speed"]
        for [played] in (still, moving, other)
    ]
    assert speeds[0] == []
    assert speeds[1]
    assert speeds[1] != speeds[2]


async def test_events_have_the_same_moments_in_fast_pace() -> None:
    one = TaskSet([BY_ID["base_battery_warning"]], OWN.world)
    moments = [
        [entry.t_ns for entry in played.record.fenced() if entry.rest == "event/battery_low"]
        for pace in ("virtual", "fast")
        for played in await play(one, pace=pace)
    ]
    assert len(moments[0]) == 1
    assert moments[0] == moments[1]
