import csv
import os
from pathlib import Path
from typing import Any

import pytest

from tests.vehicle_bus.cars import car
from vehicle_bus.car.signals import (
    OVERLAY,
    SIGNALS,
    STATE_SIGNALS,
    Signal,
    hidden_paths,
    state_signals,
)
from vehicle_bus.car.state import CarState, FixedContext

LEAVES = Path(os.environ.get("CODRIVER_VSS", Path(__file__).with_name("vss_v6_leaves.csv")))
STANDARD = [signal for signal in SIGNALS if not signal.path.startswith(OVERLAY)]
SOME: dict[str, list[Any]] = {
    "uint8": [0, 50, 100],
    "int8": [0, 1, 3],
    "boolean": [True, False],
    "float": [16.0, 22.5],
    "string[]": [[], ["one", "two"]],
}
OWN: dict[str, list[Any]] = {
    "ambient_light": ["OFF", "RED", "CYAN"],
    "fan_speed": [0, 1, 2, 3, 4, 5],
    "trunk_door_position": ["closed", "open"],
    "fan_airflow_direction": ["FEET", "WINDSHIELD_HEAD_FEET"],
    "air_circulation": ["AUTO", "RECIRCULATION"],
    "charge_limit_percent": [50, 80, 100],
}


@pytest.fixture(scope="module")
def leaves() -> dict[str, dict[str, str]]:
    with LEAVES.open(encoding="utf-8") as file:
        lines = (line for line in file if not line.startswith("#"))
        return {row["path"]: row for row in csv.DictReader(lines)}


@pytest.mark.parametrize("signal", STANDARD, ids=lambda signal: signal.name)
def test_path_type_unit_and_range_are_those_of_vss(
    signal: Signal, leaves: dict[str, dict[str, str]]
) -> None:
    leaf = leaves[signal.path]
    assert (signal.datatype, signal.unit) == (leaf["datatype"], leaf["unit"])
    for bound, stated in ((signal.lowest, leaf["min"]), (signal.highest, leaf["max"])):
        assert bound == (float(stated) if stated else None)


def test_every_state_variable_has_one_signal_in_order() -> None:
    assert [signal.name for signal in STATE_SIGNALS] == list(CarState.model_fields)
    assert len({signal.path for signal in SIGNALS}) == len(SIGNALS)


@pytest.mark.parametrize("signal", STATE_SIGNALS, ids=lambda signal: signal.name)
def test_a_value_survives_the_way_to_vss_and_back(signal: Signal) -> None:
    for value in OWN.get(signal.name) or SOME[signal.datatype]:
        seen = signal.conversion.to_vss(value)
        assert signal.conversion.from_vss(seen) == value
        if signal.lowest is not None and signal.highest is not None:
            assert signal.lowest <= seen <= signal.highest


def test_values_are_published_in_the_words_of_vss() -> None:
    seen = state_signals({"fan_speed": 3, "seat_heating_driver": 2, "ambient_light": "PINK"})
    assert list(seen.values()) == [60, 67, "#FFC0CB"]
    signals = car(state_of_charge=50, seats_occupied={"passenger": True}).signals()
    assert signals["Vehicle.Cabin.Seat.Row1.PassengerSide.OccupancyStatus"] == "OCCUPIED"
    assert signals["Vehicle.Cabin.Seat.Row2.DriverSide.OccupancyStatus"] == "EMPTY"
    assert signals["Vehicle.Powertrain.TractionBattery.Range"] == 253333


def test_range_follows_charge_battery_and_consumption() -> None:
    context = FixedContext(
        state_of_charge=50,
        battery_capacity_kwh=80,
        useable_battery_percentage=100,
        energy_consumption=20,
    )
    assert context.remaining_range_km == 200


def test_a_result_field_hides_the_signals_that_tell_the_same() -> None:
    hidden = hidden_paths(
        [
            ("get_charging_specs_and_status", "remaining_range"),
            ("get_current_navigation_state", "details", "waypoints"),
            ("get_seats_occupancy", "seats_occupied"),
        ]
    )
    assert "Vehicle.Powertrain.TractionBattery.Range" in hidden
    assert "Vehicle.Codriver.Navigation.Waypoints" in hidden
    assert sum(path.endswith("OccupancyStatus") for path in hidden) == 4
    assert "Vehicle.Cabin.Infotainment.Navigation.DestinationSet.Latitude" in hidden
    assert len(hidden) == 8
