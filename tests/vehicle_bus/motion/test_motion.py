"""A car under way: what moves, what stays, and that it never depends on how time is told."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vehicle_bus.cars import call, result
from tests.vehicle_bus.small_world import (
    BER,
    ESS,
    HAM,
    LOCATIONS,
    MUN,
    SMALL,
    route_id,
    said,
    world_file,
)
from vehicle_bus.car.event import Event
from vehicle_bus.car.signals import CONTEXT_BY_NAME, MOTION_SIGNALS
from vehicle_bus.car.state import CarSetup, CarState, PlannedEvent, UnderWay
from vehicle_bus.motion.cabin_air import later_c, target_c
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.world import World

S = 1_000_000_000
HOUR = 3600 * S
SPEED, TRAVELLED, OUTSIDE, CABIN = (signal.path for signal in MOTION_SIGNALS)
CHARGE = CONTEXT_BY_NAME["state_of_charge"].path


def moving(
    *waypoints: str,
    at_kilometer: float = 0.0,
    happenings: tuple[PlannedEvent, ...] = (),
    removed: tuple[str, ...] = (),
    seed: int = 0,
    **start: Any,
) -> Vehicle:
    trip = {
        "navigation_active": bool(waypoints),
        "waypoints_id": waypoints,
        "routes_to_final_destination_id": tuple(
            route_id(one, other) for one, other in pairwise(waypoints)
        ),
    }
    setup = CarSetup(
        start={**trip, "state_of_charge": 80, **start},
        motion=UnderWay(at_kilometer=at_kilometer),
        happenings=happenings,
        removed=removed,
    )
    return Vehicle(setup, SMALL, seed=seed)


def kinds(happened: list[Event]) -> list[str]:
    return [each.kind for each in happened if each.kind is not None]


def place(car: Vehicle) -> tuple[float, float]:
    position = car.context.current_location.position
    return position.longitude, position.latitude


def share_of(car: Vehicle, start: str, end: str) -> float:
    """How far a car is on the line between two cities; fails if it is beside it."""
    (west, south), (east, north) = (
        (row["position"]["longitude"], row["position"]["latitude"])
        for row in (SMALL.location(start), SMALL.location(end))
        if row is not None
    )
    longitude, latitude = place(car)
    share: float = (latitude - south) / (north - south)
    assert longitude == pytest.approx(west + (east - west) * share, abs=1e-4)
    return share


moments = st.lists(st.integers(0, 4000 * S), min_size=1, max_size=5).map(sorted)
fast = settings(max_examples=12, deadline=None)


@fast
@given(moments)
def test_the_position_stays_on_the_route_and_only_goes_forward(times: list[int]) -> None:
    car, shares = moving(MUN, BER), [0.0]
    for time in times:
        car.advance(time)
        shares.append(share_of(car, MUN, BER))
    assert shares == sorted(shares)
    assert 0 <= shares[-1] <= 1


@fast
@given(moments)
def test_it_does_not_matter_in_how_many_pieces_time_passes(times: list[int]) -> None:
    knob = PlannedEvent(at_s=61.5, set={"fan_speed": 4})
    whole, pieces = (moving(MUN, BER, HAM, happenings=(knob,)) for _ in range(2))
    at_once = whole.advance(times[-1])
    bit_by_bit = [each for time in times for each in pieces.advance(time)]
    assert pieces.signals() == whole.signals()
    assert pieces.snapshot() == whole.snapshot()
    assert [e for e in bit_by_bit if e.kind] == [e for e in at_once if e.kind]


@fast
@given(moments, st.sampled_from(range(6)), st.sampled_from((16.0, 28.0)))
def test_charge_never_rises_without_a_plug(times: list[int], fan: int, wanted: float) -> None:
    car = moving(MUN, BER, fan_speed=fan, climate_temperature_driver=wanted)
    charges = []
    for time in times:
        car.advance(time)
        charges.append(car.context.state_of_charge)
    assert charges == sorted(charges, reverse=True)


def test_what_is_used_is_kilometres_times_consumption() -> None:
    car = moving(MUN, BER)
    car.advance(2 * HOUR)
    used_kwh = (80 - car.context.state_of_charge) / 100 * car.context.usable_kwh
    # One drives faster than 90 km/h here, to which the consumption of a car applies.
    assert car.signals()[TRAVELLED] == 100_000
    assert used_kwh == pytest.approx(car.context.energy_consumption, rel=0.25)


def test_heating_takes_its_part_and_reaches_what_was_asked_for() -> None:
    plain = moving(MUN, BER)
    heated = moving(
        MUN, BER, fan_speed=3, climate_temperature_driver=24, climate_temperature_passenger=24
    )
    for car in (plain, heated):
        car.advance(HOUR)
    assert plain.signals()[CABIN] == plain.signals()[OUTSIDE]
    assert heated.signals()[CABIN] == 24.0
    more_kwh = (plain.context.state_of_charge - heated.context.state_of_charge) / 100
    more_kwh *= plain.context.usable_kwh
    # 80 W/K against nine kelvin with a heat pump, and a fan of 90 W, for an hour
    assert more_kwh == pytest.approx(0.08 * 9 / 2 + 0.09, abs=0.1)


@fast
@given(
    st.floats(-25, 45), st.floats(-25, 45), st.integers(0, 5), st.booleans(), st.integers(0, 100)
)
def test_the_cabin_goes_straight_to_its_temperature(
    inside: float, outside: float, fan: int, cooling: bool, window: int
) -> None:
    state = CarState(
        fan_speed=fan,
        air_conditioning=cooling,
        window_driver_position=window,
        sunroof_position=window,
    )
    target = target_c(state, outside)
    distances = [abs(inside - target)]
    for _ in range(10):
        inside = later_c(state, inside, outside, 60)
        distances.append(abs(inside - target))
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(distances))
    assert abs(later_c(state, inside, outside, 24 * 3600) - target) < 0.01


def test_without_air_conditioning_nothing_gets_cooler_than_the_air_outside() -> None:
    state = CarState(fan_speed=5, climate_temperature_driver=18, climate_temperature_passenger=18)
    assert target_c(state, 30) == 30
    assert target_c(state.changed(air_conditioning=True), 30) == 18


def test_the_same_seed_drives_the_same_and_another_a_little_otherwise() -> None:
    one, same, other = (moving(MUN, BER, seed=seed) for seed in (1, 1, 2))
    for car in (one, same, other):
        car.advance(600 * S)
    assert one.signals() == same.signals()
    assert place(other) != place(one)
    assert share_of(other, MUN, BER) == pytest.approx(share_of(one, MUN, BER), rel=0.1)


def test_a_route_takes_about_as_long_as_the_world_says() -> None:
    car = moving(MUN, BER)
    [arrived] = [each for each in car.advance(2 * HOUR) if each.kind == "arrival"]
    assert arrived.at_ns == pytest.approx(HOUR, rel=0.05)


def test_speed_changes_as_a_driver_would_change_it() -> None:
    car, speeds = moving(MUN, BER), [0.0]
    for second in range(1, 4200):
        car.advance(second * S)
        speeds.append(car.signals()[SPEED])
    assert max(abs(one - other) for one, other in pairwise(speeds)) < 1.3 * 3.6
    assert max(speeds) < 140
    assert speeds[-1] == 0


def test_a_stop_on_the_way_is_arrived_at_and_left_again() -> None:
    car = moving(MUN, BER, HAM)
    seen = [each for each in car.advance(3 * HOUR) if each.kind == "arrival"]
    assert [(each.detail["waypoint_id"], each.detail["final"]) for each in seen] == [
        (BER, False),
        (HAM, True),
    ]
    assert (car.context.current_location.id, car.signals()[SPEED]) == (HAM, 0)


def test_arriving_changes_no_variable_of_the_car() -> None:
    car = moving(MUN, BER)
    before = car.snapshot()
    assert kinds(car.advance(2 * HOUR)) == ["arrival"]
    assert (car.snapshot(), car.revision) == (before, 0)


def test_a_low_battery_is_reported_once_at_its_moment() -> None:
    car = moving(MUN, BER, at_kilometer=10, state_of_charge=20.2, energy_consumption=10)
    assert kinds(car.advance(5 * S)) == []
    seen = car.advance(HOUR)
    assert kinds(seen) == ["battery_low", "arrival"]
    assert 5 * S < seen[0].at_ns < 90 * S
    assert seen[0].at_ns % S


def test_a_battery_that_was_low_before_is_no_news() -> None:
    assert kinds(moving(MUN, BER, state_of_charge=19).advance(60 * S)) == []


def test_a_range_that_does_not_reach_the_next_stop_or_charger_is_reported() -> None:
    # Berlin-Hamburg has no charger; Munich-Berlin has one half-way.
    assert kinds(moving(BER, HAM, state_of_charge=15).advance(S)) == ["range_low"]
    assert kinds(moving(MUN, BER, state_of_charge=15).advance(S)) == []
    past_it = moving(MUN, BER, at_kilometer=51, state_of_charge=10, energy_consumption=20)
    [seen] = [each for each in past_it.advance(S) if each.kind == "range_low"]
    assert seen.detail == {
        "remaining_range_km": 38,
        "next_stop_km": 49.0,
        "next_waypoint_id": BER,
    }


def test_an_empty_battery_ends_the_drive() -> None:
    cold = PlannedEvent(at_s=30, set={"state_of_charge": 10})
    car = moving(BER, HAM, ESS, happenings=(cold,), energy_consumption=20)
    seen = car.advance(3 * HOUR)
    assert kinds(seen)[-1] == "battery_empty"
    assert kinds(seen).count("battery_empty") == 1
    assert (car.context.state_of_charge, car.signals()[SPEED]) == (0, 0)
    assert 0 < share_of(car, BER, HAM) < 1


def test_events_come_in_order_with_what_passengers_do() -> None:
    knob = PlannedEvent(at_s=90, set={"fan_speed": 4})
    car = moving(
        MUN,
        BER,
        at_kilometer=10,
        state_of_charge=20.1,
        energy_consumption=10,
        happenings=(knob,),
    )
    seen = [each for each in car.advance(2 * HOUR) if each.kind]
    assert [each.kind for each in seen] == ["battery_low", "knob", "arrival"]
    assert [each.at_ns for each in seen] == sorted(each.at_ns for each in seen)


def test_tools_tell_where_the_car_is_and_what_is_left() -> None:
    car = moving(MUN, BER)
    before = result(car, "get_charging_specs_and_status")
    car.advance(1800 * S)
    now = result(car, "get_charging_specs_and_status")
    assert now["state_of_charge"] < before["state_of_charge"]
    assert float(now["remaining_range"][:-2]) < float(before["remaining_range"][:-2])
    answer = call(car, "get_current_navigation_state", detailed_information=True)
    progress = said(answer.output)["result"]["details"]["progress"]
    assert progress["next_waypoint_id"] == BER
    assert progress["at_kilometer"] + progress["remaining_km"] == pytest.approx(100)
    assert 20 < progress["remaining_minutes"] < 40


def test_a_car_that_stands_tells_no_progress() -> None:
    still = Vehicle(moving(MUN, BER).setup.model_copy(update={"motion": False}), SMALL)
    answer = call(still, "get_current_navigation_state", detailed_information=True)
    assert "progress" not in said(answer.output)["result"]["details"]
    assert still.advance(HOUR) == []
    assert SPEED not in still.signals()


def test_a_car_whose_navigation_ends_rolls_to_a_stand() -> None:
    car = moving(MUN, BER, at_kilometer=30)
    car.advance(10 * S)
    assert car.signals()[SPEED] > 80
    call(car, "delete_current_navigation")
    car.advance(60 * S)
    stood = place(car)
    assert car.signals()[SPEED] == 0
    car.advance(120 * S)
    assert place(car) == stood


def test_a_car_takes_the_way_it_is_given() -> None:
    car = moving()
    car.advance(60 * S)
    assert car.signals()[TRAVELLED] == 0
    call(car, "set_new_navigation", route_ids=[route_id(MUN, BER)])
    car.advance(180 * S)
    assert share_of(car, MUN, BER) > 0


def test_another_destination_bends_the_way() -> None:
    car = moving(MUN, BER, at_kilometer=30)
    call(
        car,
        "navigation_replace_final_destination",
        new_destination_id=HAM,
        route_id_leading_to_new_destination=route_id(MUN, HAM),
    )
    car.advance(10 * S)
    assert 0.3 < share_of(car, MUN, HAM) < 0.32


def test_instruments_are_published_once_per_moment_and_only_if_changed() -> None:
    car = moving(MUN, BER)
    [seen] = car.advance(20 * S)
    assert seen.kind is None
    assert {SPEED, TRAVELLED} <= dict(seen.changes).keys()
    assert OUTSIDE not in dict(seen.changes)
    assert car.advance(20 * S) == []


def test_what_a_car_must_not_tell_it_does_not_tell_by_moving() -> None:
    car = moving(
        MUN,
        BER,
        at_kilometer=10,
        state_of_charge=20.1,
        removed=("result.get_charging_specs_and_status.state_of_charge",),
    )
    seen = car.advance(HOUR // 2)
    assert kinds(seen) == []
    assert CHARGE not in {path for each in seen for path, _ in each.changes}


def test_a_moving_car_is_moved_by_nobody_else() -> None:
    elsewhere = PlannedEvent(at_s=1, set={"current_location": SMALL.location(BER)})
    with pytest.raises(ValueError, match="no event may move it"):
        moving(MUN, BER, happenings=(elsewhere,))


def test_a_car_that_stood_can_be_made_to_drive_and_to_stand_again() -> None:
    set_up = moving(MUN, BER).setup.model_copy(update={"motion": False})
    car = Vehicle(set_up, SMALL, seed=0)
    assert car.advance(60 * S) == []
    car.let_drive(True)
    [seen] = car.advance(120 * S)
    shown = dict(seen.changes)
    assert 20 < shown[SPEED] < 130
    assert 100 < shown[TRAVELLED] < 2500
    car.let_drive(False)
    car.advance(180 * S)
    stands = car.signals()
    assert stands[SPEED] == 0
    assert car.advance(240 * S) == []
    car.let_drive(True)
    car.advance(300 * S)
    assert car.signals()[TRAVELLED] > stands[TRAVELLED]


def test_a_speed_factor_drives_as_far_as_in_that_much_time_at_the_same_speed() -> None:
    slow, fast = moving(MUN, BER), moving(MUN, BER)
    fast.let_drive(True, 10)
    slow.advance(10 * 120 * S)
    fast.advance(120 * S)
    assert fast.signals()[TRAVELLED] == pytest.approx(slow.signals()[TRAVELLED], rel=0.05)
    assert fast.signals()[CHARGE] == pytest.approx(slow.signals()[CHARGE], abs=0.3)
    assert fast.signals()[SPEED] == pytest.approx(slow.signals()[SPEED], rel=0.2)


def test_the_weather_follows_the_clock_in_the_car_which_a_speed_factor_makes_faster() -> None:
    slots = [
        {"start_time": f"{at:02}:00", "end_time": f"{at + 1:02}:00", "temperature_c": at}
        | {"condition": "sunny"}
        for at in range(24)
    ]
    weather = [{"location_id": MUN, "weather": slots}]
    world = World(world_file(locations=LOCATIONS, weather=weather))
    here = {"id": MUN, "name": "Munich", "position": {"longitude": 11.6, "latitude": 48.1}}
    setup = CarSetup(start={"current_location": here}, motion=UnderWay())
    slow, fast = Vehicle(setup, world), Vehicle(setup, world)
    at_first = slow.signals()[OUTSIDE]
    fast.let_drive(True, 60)
    slow.advance(2 * HOUR)
    fast.advance(2 * HOUR // 60)
    assert fast.signals()[OUTSIDE] == pytest.approx(slow.signals()[OUTSIDE], abs=0.2)
    assert fast.signals()[OUTSIDE] > at_first + 1
