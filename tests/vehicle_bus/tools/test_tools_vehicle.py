from typing import Any

import pytest

from tests.vehicle_bus.cars import call, car, error, result
from vehicle_bus.car.state import Compat

BOTH: list[Compat] = ["codriver", "car-bench"]
FRONT = {"seat_heating_driver": 2, "seat_heating_passenger": 2}
SETS: list[tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    ("open_close_sunroof", {"percentage": 50}, {"percentage": 50}, {"sunroof_position": 50}),
    ("open_close_sunshade", {"percentage": 100}, {"percentage": 100}, {"sunshade_position": 100}),
    ("set_air_circulation", {"mode": "FRESH_AIR"}, {"mode": "FRESH_AIR"},
     {"air_circulation": "FRESH_AIR"}),
    ("set_air_conditioning", {"on": True}, {"on": True}, {"air_conditioning": True}),
    ("set_ambient_lights", {"on": True, "lightcolor": "RED"}, {"on": True, "lightcolor": "RED"},
     {"ambient_light": "RED"}),
    ("set_climate_temperature", {"temperature": 22.5, "seat_zone": "DRIVER"},
     {"temperature": 22.5, "seat_zone": "DRIVER"}, {"climate_temperature_driver": 22.5}),
    ("set_climate_temperature", {"temperature": 24, "seat_zone": "ALL_ZONES"},
     {"temperature": 24, "seat_zone": "ALL_ZONES"},
     {"climate_temperature_driver": 24.0, "climate_temperature_passenger": 24.0}),
    ("set_fan_airflow_direction", {"direction": "WINDSHIELD_FEET"},
     {"direction": "WINDSHIELD_FEET"}, {"fan_airflow_direction": "WINDSHIELD_FEET"}),
    ("set_fan_speed", {"level": 3}, {"level": 3}, {"fan_speed": 3}),
    ("set_fog_lights", {"on": True}, {"on": True}, {"fog_lights": True}),
    ("set_head_lights_high_beams", {"on": True}, {"on": True}, {"head_lights_high_beams": True}),
    ("set_head_lights_low_beams", {"on": True}, {"on": True}, {"head_lights_low_beams": True}),
    ("set_reading_light", {"position": "PASSENGER_REAR", "on": True},
     {"position": "PASSENGER_REAR"}, {"reading_light_passenger_rear": True}),
    ("set_seat_heating", {"level": 2, "seat_zone": "ALL_ZONES"},
     {"level": 2, "seat_zone": "ALL_ZONES"}, FRONT),
    ("set_steering_wheel_heating", {"level": 1}, {"level": 1}, {"steering_wheel_heating": 1}),
    ("set_window_defrost", {"on": True, "defrost_window": "FRONT"},
     {"on": True, "defrost_window": "FRONT"}, {"window_front_defrost": True}),
    ("set_window_defrost", {"on": True, "defrost_window": "ALL"},
     {"on": True, "defrost_window": "ALL"},
     {"window_front_defrost": True, "window_rear_defrost": True}),
]  # fmt: skip
FAILURES: list[tuple[str, dict[str, Any], str]] = [
    ("open_close_sunroof", {"percentage": -1}, "OPEN_CLOSE_SUNROOF_001"),
    ("open_close_sunroof", {"percentage": 100.5}, "OPEN_CLOSE_SUNROOF_001"),
    ("open_close_sunshade", {"percentage": 101}, "OPEN_CLOSE_SUNSHADE_001"),
    ("open_close_trunk_door", {"action": "open"}, "OPEN_CLOSE_TRUNK_DOOR_001"),
    ("open_close_window", {"window": "ROOF", "percentage": 101}, "OPEN_CLOSE_WINDOW_001"),
    ("open_close_window", {"window": ["DRIVER"], "percentage": 1}, "OPEN_CLOSE_WINDOW_002"),
    ("open_close_window", {"window": "ROOF", "percentage": 1}, "OPEN_CLOSE_WINDOW_003"),
    ("set_air_circulation", {"mode": None}, "SET_AIR_CIRCULATION_001"),
    ("set_ambient_lights", {"on": False, "lightcolor": "OFF"}, "SET_AMBIENT_LIGHT_001"),
    ("set_climate_temperature", {"temperature": 101, "seat_zone": "DRIVER"},
     "SET_CLIMATE_TEMPERATURE_001"),
    ("set_climate_temperature", {"temperature": 20, "seat_zone": "REAR"},
     "SET_CLIMATE_TEMPERATURE_002"),
    ("set_fan_airflow_direction", {"direction": "UP"}, "SET_FAN_AIRFLOW_DIRECTION_001"),
    ("set_fan_speed", {"level": 6}, "SET_FAN_SPEED_001"),
    ("set_reading_light", {"position": ["ALL"], "on": True}, "SET_READING_LIGHT_001"),
    ("set_reading_light", {"position": "ROOF", "on": True}, "SET_READING_LIGHT_002"),
    ("set_seat_heating", {"level": 4, "seat_zone": "REAR"}, "SET_SEAT_HEATING_001"),
    ("set_seat_heating", {"level": 3, "seat_zone": "REAR"}, "SET_SEAT_HEATING_002"),
    ("set_steering_wheel_heating", {"level": -1}, "SET_STEERING_WHEEL_HEATING_001"),
    ("set_window_defrost", {"on": True, "defrost_window": "LEFT"}, "SET_WINDOW_DEFROST_001"),
]  # fmt: skip
BAD: list[tuple[str, dict[str, Any]]] = [
    ("open_close_sunroof", {"percentage": 50.5}),
    ("open_close_sunroof", {"percentage": "50"}),
    ("open_close_sunroof", {}),
    ("open_close_sunroof", {"percentage": 5, "speed": 1}),
    ("set_fan_speed", {"level": 1.5}),
    ("set_fog_lights", {"on": None}),
    ("set_fog_lights", {"on": "maybe"}),
    ("set_fog_lights", {"on": []}),
    ("set_fan_speed", {"level": None}),
    ("set_climate_temperature", {"temperature": True, "seat_zone": "DRIVER"}),
    ("set_climate_temperature", {"temperature": 20.3, "seat_zone": "DRIVER"}),
    ("set_climate_temperature", {"temperature": "warm", "seat_zone": "DRIVER"}),
    ("get_car_color", {"of": "the car"}),
]
GETS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("get_ambient_light_status_and_color", {"ambient_light": "BLUE"}, {"ambient_light": "BLUE"}),
    ("get_car_color", {"car_color": "GREEN"}, {"car_color": "GREEN"}),
    ("get_climate_settings", {"fan_speed": 2}, {
        "fan_speed": 2, "fan_airflow_direction": "FEET", "air_conditioning": False,
        "air_circulation": "AUTO", "window_front_defrost": False, "window_rear_defrost": False}),
    ("get_exterior_lights_status", {"fog_lights": True}, {
        "fog_lights": True, "head_lights_low_beams": False, "head_lights_high_beams": False}),
    ("get_reading_lights_status", {"reading_light_driver": True}, {
        "reading_light_driver": True, "reading_light_passenger": False,
        "reading_light_driver_rear": False, "reading_light_passenger_rear": False}),
    ("get_seat_heating_level", FRONT, FRONT),
    ("get_seats_occupancy", {"seats_occupied": {"passenger": True}}, {"seats_occupied": {
        "driver": True, "passenger": True, "driver_rear": False, "passenger_rear": False}}),
    ("get_steering_wheel_heating_level", {"steering_wheel_heating": 3},
     {"steering_wheel_heating": 3}),
    ("get_temperature_inside_car", {"climate_temperature_driver": 22}, {
        "climate_temperature_driver": 22.0, "climate_temperature_passenger": 20.0,
        "temperature_unit": "Celsius"}),
    ("get_trunk_door_position", {}, {"trunk_door_position": "closed"}),
]  # fmt: skip


@pytest.mark.parametrize("compat", BOTH)
@pytest.mark.parametrize(("tool", "arguments", "answer", "changes"), SETS)
def test_a_setter_sets_these_variables_and_no_other(
    compat: Compat, tool: str, arguments: Any, answer: Any, changes: Any
) -> None:
    vehicle = car(compat)
    before = vehicle.snapshot()
    assert result(vehicle, tool, **arguments) == answer
    assert vehicle.snapshot() == before | changes
    assert vehicle.revision == 1


@pytest.mark.parametrize("compat", BOTH)
@pytest.mark.parametrize(("tool", "arguments", "key"), FAILURES)
def test_a_checked_error_has_its_key_counts_and_changes_nothing(
    compat: Compat, tool: str, arguments: Any, key: str
) -> None:
    vehicle = car(compat)
    before = vehicle.snapshot()
    assert error(vehicle, tool, **arguments) == (key, True)
    assert (vehicle.snapshot(), vehicle.revision) == (before, 0)


@pytest.mark.parametrize("compat", BOTH)
@pytest.mark.parametrize(("tool", "arguments"), BAD)
def test_a_bad_argument_does_not_count(compat: Compat, tool: str, arguments: Any) -> None:
    assert error(car(compat), tool, **arguments) == ("INVALID_ARGUMENTS", False)


@pytest.mark.parametrize(
    ("tool", "arguments", "name", "value"),
    [
        ("set_head_lights_low_beams", {"on": 1}, "head_lights_low_beams", True),
        ("set_head_lights_high_beams", {"on": "true"}, "head_lights_high_beams", True),
        ("set_air_conditioning", {"on": "False"}, "air_conditioning", False),
        ("set_reading_light", {"on": 0, "position": "DRIVER"}, "reading_light_driver", False),
        ("set_window_defrost", {"on": 1.0, "defrost_window": "REAR"}, "window_rear_defrost", True),
        ("set_ambient_lights", {"on": None, "lightcolor": "RED"}, "ambient_light", "OFF"),
        ("set_ambient_lights", {"on": "false", "lightcolor": "RED"}, "ambient_light", "RED"),
        ("set_fan_speed", {"level": True}, "fan_speed", 1),
    ],
)
def test_what_stands_for_a_truth_value_counts_in_the_public_benchmark(
    tool: str, arguments: dict[str, Any], name: str, value: Any
) -> None:
    """The answer quotes the argument as it was given."""
    assert error(car(), tool, **arguments) == ("INVALID_ARGUMENTS", False)
    vehicle = car("car-bench", **{"head_lights_low_beams": False, "air_conditioning": True})
    answer = result(vehicle, tool, **arguments)
    assert repr(answer.get("on", arguments.get("on"))) == repr(arguments.get("on"))
    assert vehicle.snapshot()[name] == value


@pytest.mark.parametrize(("tool", "start", "answer"), GETS)
def test_a_getter_tells_what_is(tool: str, start: Any, answer: Any) -> None:
    vehicle = car("codriver", **start)
    assert result(vehicle, tool) == answer
    assert vehicle.revision == 0


@pytest.mark.parametrize(
    ("tool", "fields"),
    [
        ("get_sunroof_and_sunshade_position", {"sunroof_position": 0, "sunshade_position": 30}),
        ("get_vehicle_window_positions", {
            "window_driver_position": 0, "window_passenger_position": 0,
            "window_driver_rear_position": 25, "window_passenger_rear_position": 0}),
    ],
)  # fmt: skip
def test_two_getters_add_a_caption(tool: str, fields: dict[str, int]) -> None:
    seen = result(car("codriver", sunshade_position=30, window_driver_rear_position=25), tool)
    assert seen.pop("description")
    assert seen == fields


@pytest.mark.parametrize(
    ("window", "moved"),
    [
        ("ALL", ("driver", "passenger", "driver_rear", "passenger_rear")),
        ("DRIVER", ("driver",)),
        ("PASSENGER", ("passenger",)),
        ("DRIVER_REAR", ("driver_rear",)),
        ("PASSENGER_REAR", ("passenger_rear",)),
    ],
)
def test_windows_are_named_by_seat(window: str, moved: tuple[str, ...]) -> None:
    vehicle = car()
    result(vehicle, "open_close_window", window=window, percentage=40)
    opened = {name for name, value in vehicle.snapshot().items() if value == 40}
    assert opened == {f"window_{seat}_position" for seat in moved}


@pytest.mark.parametrize(
    ("compat", "side"), [("codriver", "LEFT_REAR"), ("car-bench", "RIGHT_REAR")]
)
def test_the_driver_sits_on_the_left_but_in_the_public_benchmark(compat: Compat, side: str) -> None:
    vehicle = car(compat)
    result(vehicle, "open_close_window", window=side, percentage=40)
    result(vehicle, "set_reading_light", position=side, on=True)
    seen = vehicle.snapshot()
    assert seen["window_driver_rear_position"] == 40
    assert seen["reading_light_driver_rear"]
    assert not seen["reading_light_passenger_rear"]


@pytest.mark.parametrize(("on", "colour"), [(False, "RED"), (True, "NONE"), (False, "NONE")])
def test_ambient_light_goes_out_by_switch_or_by_colour(on: bool, colour: str) -> None:
    vehicle = car("codriver", ambient_light="BLUE")
    assert result(vehicle, "set_ambient_lights", on=on, lightcolor=colour)["on"] is on
    assert vehicle.snapshot()["ambient_light"] == "OFF"


def test_the_trunk_is_open_or_closed_and_remembers_commands_only_for_the_public_benchmark() -> None:
    ours, public = car("codriver"), car("car-bench")
    for vehicle in (ours, public):
        assert result(vehicle, "open_close_trunk_door", action="CLOSE") == {"action": "CLOSE"}
    assert (ours.snapshot()["trunk_door_position"], ours.revision) == ("closed", 0)
    assert (public.snapshot()["trunk_door_position"], public.revision) == ("CLOSE", 1)
    opened = call(ours, "open_close_trunk_door", action="OPEN")
    assert opened.changes == (("Vehicle.Body.Trunk.Rear.IsOpen", True),)
    assert ours.snapshot()["trunk_door_position"] == "open"


@pytest.mark.parametrize("temperature", [5, 15.5, 28.5, 100])
def test_a_temperature_off_the_scale_counts_only_in_our_own_profile(temperature: float) -> None:
    arguments = {"temperature": temperature, "seat_zone": "ALL_ZONES"}
    ours = error(car("codriver"), "set_climate_temperature", **arguments)
    assert ours == ("SET_CLIMATE_TEMPERATURE_001", True)
    public = error(car("car-bench"), "set_climate_temperature", **arguments)
    assert public == ("INVALID_ARGUMENTS", False)
