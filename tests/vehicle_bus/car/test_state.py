import pytest
from pydantic import ValidationError

from vehicle_bus.car.state import CarSetup, CarState, FixedContext, context_at_start, state_at_start


def test_31_public_variables_and_our_own_change_and_12_stay() -> None:
    assert list(CarState.model_fields)[31:] == ["charge_limit_percent"]
    assert len(FixedContext.model_fields) == 12


def test_temperatures_are_stored_as_fractions() -> None:
    assert repr(state_at_start({"climate_temperature_driver": 22}).climate_temperature_driver) == (
        repr(22.0)
    )
    assert repr(CarState().climate_temperature_passenger) == repr(20.0)


def test_a_start_is_split_between_state_and_context() -> None:
    start = {"fan_speed": 3, "car_color": "GREEN", "waypoints_id": ["loc_a", "loc_b"]}
    assert state_at_start(start).fan_speed == 3
    assert state_at_start(start).waypoints_id == ("loc_a", "loc_b")
    assert context_at_start(start).car_color == "GREEN"


def test_an_unknown_start_name_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ValidationError, match=r"no car has fan_sped; known are .*fan_speed"):
        CarSetup(start={"fan_sped": 3})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sunroof_position", 101),
        ("fan_speed", 2.5),
        ("climate_temperature_driver", 21.3),
        ("climate_temperature_driver", 30),
        ("ambient_light", "BEIGE"),
        ("trunk_door_position", "ajar"),
        ("max_charging_power_ac", 7),
        ("state_of_charge", 120),
        ("seats_occupied", {"roof": True}),
    ],
)
def test_a_start_value_that_no_car_can_have_is_an_error(name: str, value: object) -> None:
    with pytest.raises(ValidationError):
        CarSetup(start={name: value})


def test_a_change_leaves_the_old_state_as_it_was() -> None:
    before = CarState()
    after = before.changed(fan_speed=2, fog_lights=True)
    assert (before.fan_speed, after.fan_speed, after.fog_lights) == (0, 2, True)
    with pytest.raises(ValidationError):
        before.changed(fan_speed=9)
