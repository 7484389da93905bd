import pytest

from tests.vehicle_bus.cars import call, car
from vehicle_bus.car.signals import COLOURS, STATE_SIGNALS
from vehicle_bus.remote_car.setters import (
    SETTERS,
    SIGNALS_BY_PATH,
    BadValue,
    call_for,
    read_value,
)
from vehicle_bus.tools import BY_NAME

OTHER_VALUES = {
    "boolean": (True, False),
    "uint8": (60, 100),
    "int8": (33, 67),
    "float": (19.5, 24.0),
}
TEXTS = {
    "ambient_light": tuple(COLOURS.values()),
    "fan_airflow_direction": ("HEAD", "WINDSHIELD_FEET"),
    "air_circulation": ("RECIRCULATION", "FRESH_AIR"),
}
NOT_SETTABLE = {
    "navigation_active",
    "waypoints_id",
    "routes_to_final_destination_id",
    "email_addresses_sent_mail_to",
    "phone_numbers_called",
}
PATHS = sorted(SETTERS)


@pytest.mark.parametrize("path", PATHS)
def test_a_setter_moves_its_signal_and_no_other(path: str) -> None:
    signal = SIGNALS_BY_PATH[path]
    vehicle = car()
    for value in TEXTS.get(signal.name) or OTHER_VALUES[signal.datatype]:
        before = vehicle.signals()
        tool, arguments = call_for(path, value)
        assert call(vehicle, tool, **arguments).status == "SUCCESS"
        assert vehicle.signals() == {**before, path: value}


def test_only_what_no_single_tool_owns_is_read_only() -> None:
    settable = {SIGNALS_BY_PATH[path].name for path in SETTERS}
    assert {signal.name for signal in STATE_SIGNALS} - settable == NOT_SETTABLE
    assert {setter.tool for setter in SETTERS.values()} <= BY_NAME.keys()


def test_the_limits_of_the_car_hold() -> None:
    tool, arguments = call_for("Vehicle.Cabin.Sunroof.Position", -50)  # VSS allows it
    assert call(car(), tool, **arguments).status == "FAILURE"


def test_a_value_between_two_levels_becomes_the_nearest() -> None:
    path = "Vehicle.Cabin.HVAC.Station.Row1.Driver.FanSpeed"
    assert call_for(path, 55) == ("set_fan_speed", {"level": 3})


def test_a_colour_without_a_name_is_no_value() -> None:
    with pytest.raises(BadValue, match="#123456"):
        call_for("Vehicle.Cabin.Light.AmbientLight.Row1.DriverSide.Color", "#123456")


@pytest.mark.parametrize(
    ("path", "given", "value"),
    [
        ("Vehicle.Body.Lights.Fog.Front.IsOn", "true", True),
        ("Vehicle.Body.Lights.Fog.Front.IsOn", False, False),
        ("Vehicle.Cabin.Sunroof.Position", "50", 50),
        ("Vehicle.Cabin.Sunroof.Position", 50.0, 50),
        ("Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature", "21.5", 21.5),
    ],
)
def test_values_may_be_written_as_text(path: str, given: object, value: object) -> None:
    read = read_value(SIGNALS_BY_PATH[path], given)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("Vehicle.Body.Lights.Fog.Front.IsOn", "yes"),
        ("Vehicle.Body.Lights.Fog.Front.IsOn", 1),
        ("Vehicle.Cabin.Sunroof.Position", "half"),
        ("Vehicle.Cabin.Sunroof.Position", 50.5),
        ("Vehicle.Cabin.Sunroof.Position", True),
        ("Vehicle.Cabin.Sunroof.Position", 101),
        ("Vehicle.Cabin.Sunroof.Position", None),
        ("Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature", "nan"),
        ("Vehicle.Cabin.HVAC.Station.Row1.Driver.Temperature", "1e999"),
    ],
)
def test_what_is_no_value_of_a_signal_is_said(path: str, given: object) -> None:
    with pytest.raises(BadValue, match=path):
        read_value(SIGNALS_BY_PATH[path], given)
