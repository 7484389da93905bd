from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vehicle_bus.cars import call, error, result
from tests.vehicle_bus.small_world import CAFE, FAST_PLUG, MUN, PUMP, SLOW_PLUG, car
from vehicle_bus.car.state import ChargingCurve, Compat
from vehicle_bus.tools.charging_curve import Charging

BATTERY = {
    "battery_capacity_kwh": 80,
    "useable_battery_percentage": 95,
    "max_charging_power_ac": 11,
    "max_charging_power_dc": 250,
    "energy_consumption": 15,
}
TIME, SOC = "calculate_charging_time_by_soc", "calculate_charging_soc_by_time"


def at(plug: str, start: float, **more: Any) -> dict[str, Any]:
    return {
        "charging_station_id": PUMP,
        "charging_station_plug_id": plug,
        "start_state_of_charge": start,
        **more,
    }


@pytest.mark.parametrize(
    ("plug", "start", "target", "minutes"),
    [
        (FAST_PLUG, 20, None, {"80": "11min", "100": "19min"}),
        (FAST_PLUG, 0, 100, {"100": "24min"}),
        (FAST_PLUG, 90, None, {"80": "0min", "100": "5min"}),
        (FAST_PLUG, 79, 80, {"80": "0min"}),
        (FAST_PLUG, 80, 80, {"80": "0min"}),
        (FAST_PLUG, 0, 0, {"0": "16min"}),
        (SLOW_PLUG, 20, None, {"80": "249min", "100": "446min"}),
    ],
)
def test_charging_takes_as_long_as_in_the_public_benchmark(
    plug: str, start: int, target: int | None, minutes: dict[str, str]
) -> None:
    seen = result(
        car("car-bench", **BATTERY), TIME, **at(plug, start, target_state_of_charge=target)
    )
    assert seen == {
        f"time_from_{start}_until_{until}_percent_soc": text for until, text in minutes.items()
    }


def test_charging_ends_at_the_target_and_never_beyond_full() -> None:
    vehicle = car("codriver", **BATTERY)
    seen = result(vehicle, TIME, **at(FAST_PLUG, 79, target_state_of_charge=80))
    assert seen == {"time_from_79_until_80_percent_soc": "1min"}
    assert result(vehicle, TIME, **at(FAST_PLUG, 0, target_state_of_charge=0)) == {
        "time_from_0_until_0_percent_soc": "0min"
    }
    seen = result(car("codriver", **SMALL_BATTERY), SOC, **at(FAST_PLUG, 99, charging_time=1))
    assert seen == {"soc_in_percent_after_charging_for_1min": "100.0 percent"}


SMALL_BATTERY = {**BATTERY, "battery_capacity_kwh": 60, "max_charging_power_dc": 350}


@pytest.mark.parametrize(
    ("plug", "start", "minutes", "reached"),
    [
        (FAST_PLUG, 20, 10, "75.0 percent"),
        (FAST_PLUG, 20, 30, "100.0 percent"),
        (FAST_PLUG, 20, 0, "20 percent"),
        (SLOW_PLUG, 20, 60, "34.0 percent"),
    ],
)
def test_a_time_at_the_plug_brings_as_much_as_in_the_public_benchmark(
    plug: str, start: int, minutes: int, reached: str
) -> None:
    seen = result(car("car-bench", **BATTERY), SOC, **at(plug, start, charging_time=minutes))
    assert seen == {f"soc_in_percent_after_charging_for_{minutes}min": reached}


def test_the_public_benchmark_charges_beyond_full() -> None:
    seen = result(car("car-bench", **SMALL_BATTERY), SOC, **at(FAST_PLUG, 99, charging_time=1))
    assert seen == {"soc_in_percent_after_charging_for_1min": "101.0 percent"}


@pytest.mark.parametrize(
    ("tool", "arguments", "key"),
    [
        (TIME, at(FAST_PLUG, 20) | {"charging_station_id": "pump"}, "CALCULATE_CHARGING_TIME_001"),
        (TIME, at("plug", 120), "CALCULATE_CHARGING_TIME_002"),
        (TIME, at(FAST_PLUG, 120), "CALCULATE_CHARGING_TIME_003"),
        (TIME, at(FAST_PLUG, 20, target_state_of_charge=101), "CALCULATE_CHARGING_TIME_004"),
        (TIME, at(FAST_PLUG, 20, target_state_of_charge=10), "CALCULATE_CHARGING_TIME_005"),
        (TIME, at("plg_cha_99", 20), "CALCULATE_CHARGING_TIME_006"),
        (TIME, at(FAST_PLUG, 20) | {"charging_station_id": MUN}, "CALCULATE_CHARGING_TIME_006"),
        (SOC, at(FAST_PLUG, 120, charging_time=-1), "CALCULATE_CHARGING_SOC_BY_TIME_003"),
        (SOC, at(FAST_PLUG, 20, charging_time=-1), "CALCULATE_CHARGING_SOC_BY_TIME_004"),
        (SOC, at("plg_cha_99", 20, charging_time=1), "CALCULATE_CHARGING_SOC_BY_TIME_005"),
        ("get_distance_by_soc", {"initial_state_of_charge": 10, "final_state_of_charge": 11},
         "GET_DISTANCE_BY_SOC_001"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("compat", ["codriver", "car-bench"])
def test_a_bad_charging_question_has_its_key(
    tool: str, arguments: dict[str, Any], key: str, compat: Compat
) -> None:
    assert error(car(compat), tool, **arguments) == (key, True)


def test_a_place_without_plugs_is_named_only_by_our_own_car() -> None:
    asked = at(FAST_PLUG, 20) | {"charging_station_id": CAFE}
    assert error(car("codriver"), TIME, **asked) == ("CALCULATE_CHARGING_TIME_006", True)
    assert error(car("car-bench"), TIME, **asked) == ("INVALID_ARGUMENTS", False)


@pytest.mark.parametrize("minutes", [10.5, "10", True, float("inf")])
def test_minutes_are_whole_numbers(minutes: Any) -> None:
    arguments = at(FAST_PLUG, 20, charging_time=minutes)
    assert error(car(), SOC, **arguments) == ("INVALID_ARGUMENTS", False)


def test_ten_point_zero_minutes_are_ten_but_not_in_the_public_benchmark() -> None:
    arguments = at(FAST_PLUG, 20, charging_time=10.0)
    assert list(result(car("codriver", **BATTERY), SOC, **arguments).values()) == ["75.0 percent"]
    assert error(car("car-bench"), SOC, **arguments) == ("INVALID_ARGUMENTS", False)


def test_an_endless_time_at_the_plug_is_answered_at_once() -> None:
    for compat in ("codriver", "car-bench"):
        call(car(compat), SOC, **at(SLOW_PLUG, 20, charging_time=2**62))


def test_specs_and_distances_are_named_as_texts_with_units() -> None:
    vehicle = car("car-bench", **BATTERY, state_of_charge=40)
    assert result(vehicle, "get_charging_specs_and_status") == {
        "battery_capacity_kwh": 80.0,
        "max_charging_power_ac": 11,
        "max_charging_power_dc": 250,
        "state_of_charge": 40.0,
        "remaining_range": "203.0km",
    }
    distance = result(
        vehicle, "get_distance_by_soc", initial_state_of_charge=80, final_state_of_charge=20
    )
    assert distance == {"distance_km_for_80_until_20_percent_soc": "304.0km"}


def test_more_than_everything_can_be_driven_only_in_the_public_benchmark() -> None:
    asked = {"initial_state_of_charge": 150, "final_state_of_charge": -20}
    seen = result(car("car-bench", **BATTERY), "get_distance_by_soc", **asked)
    assert seen == {"distance_km_for_150_until_-20_percent_soc": "861.0km"}
    assert error(car(), "get_distance_by_soc", **asked) == ("INVALID_ARGUMENTS", False)


def test_the_charge_limit_is_set_in_steps_of_five() -> None:
    vehicle = car()
    assert vehicle.snapshot()["charge_limit_percent"] == 100
    assert result(vehicle, "set_charge_limit", limit_percent=80.0) == {"limit_percent": 80.0}
    assert repr(vehicle.snapshot()["charge_limit_percent"]) == "80"
    limit = "Vehicle.Powertrain.TractionBattery.Charging.ChargeLimit"
    assert vehicle.signals()[limit] == 80
    for bad in (45, 105, 82, "80"):
        assert error(vehicle, "set_charge_limit", limit_percent=bad) == (
            "SET_CHARGE_LIMIT_001",
            True,
        )


def test_a_curve_that_ends_early_is_not_waited_for() -> None:
    curve = ChargingCurve(soc_tresholds=(50,), power_percentages=(100,))
    charging = Charging(usable_kwh=60, limit_kw=100, curve=curve)
    assert charging.minutes_until(20, 40) is not None
    assert charging.minutes_until(20, 90) is None
    parameters = {"soc_tresholds": [50], "power_percentages": [100]}
    vehicle = car("codriver", charging_curve_parameters=parameters)
    assert error(vehicle, TIME, **at(FAST_PLUG, 20)) == ("INVALID_ARGUMENTS", False)


@given(st.integers(0, 100), st.integers(0, 200), st.integers(0, 200))
def test_longer_charging_never_brings_less(start: int, one: int, other: int) -> None:
    charging = Charging(usable_kwh=76, limit_kw=250, curve=ChargingCurve(), full=100)
    less, more = sorted((one, other))
    assert start <= charging.after(start, less) <= charging.after(start, more) <= 100
