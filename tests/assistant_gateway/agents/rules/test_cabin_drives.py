"""The rules agent keeps the rules of the cabin and says what it did."""

from typing import Any

import pytest

from tests.assistant_gateway.agents.rules.drives import drive

BASEL_IN_RAIN: dict[str, Any] = {
    "current_location": {
        "id": "loc_bas_627893",
        "name": "Basel",
        "position": {"longitude": 7.5886, "latitude": 47.5596},
    },
    "current_datetime": {"year": 2025, "month": 3, "day": 10, "hour": 14, "minute": 20},
}


def test_the_shade_goes_along_with_the_sunroof_and_rain_is_asked_about() -> None:
    drove, said = drive("Open the sunroof halfway.", "Yes, please.", **BASEL_IN_RAIN)
    assert "rain" in said[0]
    assert said[0].endswith("?")
    assert drove.changes == ["open_close_sunshade 100", "open_close_sunroof 50"]
    assert "I've" in said[1]


def test_a_no_leaves_the_sunroof_alone() -> None:
    drove, said = drive("Open the sunroof halfway.", "No, thanks.", **BASEL_IN_RAIN)
    assert drove.changes == []
    assert "stays as it is" in said[1]


def test_another_request_instead_of_an_answer_is_taken_up() -> None:
    drove, _ = drive("Open the sunroof halfway.", "Turn the fan to three.", **BASEL_IN_RAIN)
    assert drove.changes == ["set_fan_speed 3"]


def test_a_number_for_something_else_is_no_answer() -> None:
    drove, said = drive("Open all windows.", "Set the fan to level three.")
    assert "windows" in said[0]
    assert drove.changes == ["set_fan_speed 3"]


def test_an_answer_may_use_another_word_for_the_thing() -> None:
    drove, _ = drive("Turn on the steering wheel heating.", "Medium heating, level 2, please.")
    assert drove.changes == ["set_steering_wheel_heating 2"]


@pytest.mark.parametrize(
    "halt", ["No wait, stop", "Never mind.", "Cancel that, please.", "Stop everything now!"]
)
def test_stop_drops_everything_that_was_wished_for(halt: str) -> None:
    drove, said = drive("Open the driver window and the trunk.", halt, "Yes.")
    assert said[1] == "Alright."
    assert drove.changes == []


def test_nothing_is_claimed_before_the_car_confirmed() -> None:
    drove, said = drive("Open the trunk.", "Yes, please.")
    assert "I've" not in said[0]
    assert drove.changes == ["open_close_trunk_door OPEN"]
    assert said[1] == "I've opened the trunk."


def test_air_conditioning_closes_windows_and_starts_the_fan() -> None:
    drove, _ = drive("AC on.", window_driver_position=50, window_passenger_position=10)
    assert drove.changes == [
        "open_close_window DRIVER 0", "set_fan_speed 1", "set_air_conditioning True",
    ]  # fmt: skip


def test_a_level_that_was_asked_for_is_not_set_twice() -> None:
    drove, _ = drive("Turn on the AC and set the fan to three.")
    assert drove.changes == ["set_air_conditioning True", "set_fan_speed 3"]


def test_defrosting_brings_fan_airflow_and_air_conditioning() -> None:
    drove, _ = drive("Defrost the windshield.", fan_airflow_direction="FEET")
    assert set(drove.changes) == {
        "set_window_defrost True FRONT", "set_fan_speed 2",
        "set_fan_airflow_direction WINDSHIELD", "set_air_conditioning True",
    }  # fmt: skip


def test_open_windows_and_air_conditioning_are_asked_about() -> None:
    drove, said = drive("Open my window halfway.", "Yes.", air_conditioning=True, fan_speed=1)
    assert "energy" in said[0]
    assert drove.changes == ["open_close_window DRIVER 50"]


def test_zones_far_apart_are_mentioned() -> None:
    _, said = drive(
        "Set 26 degrees on my side.",
        climate_temperature_driver=20,
        climate_temperature_passenger=20,
    )
    assert "6 degrees apart" in said[0]


def test_fog_lights_come_with_low_beams_and_without_high_beams() -> None:
    drove, said = drive("Fog lights on.", "Yes.", head_lights_high_beams=True, **BASEL_IN_RAIN)
    assert "high beams" in said[0]
    assert drove.changes == [
        "set_head_lights_low_beams True", "set_head_lights_high_beams False", "set_fog_lights True",
    ]  # fmt: skip


def test_high_beams_need_a_yes_and_no_fog_lights() -> None:
    drove, said = drive("High beams on.", "Yes.", fog_lights=True)
    assert "do not go together" in said[0]
    assert drove.changes == ["set_fog_lights False", "set_head_lights_high_beams True"]


def test_what_is_liked_settles_what_was_left_open() -> None:
    liked = {"vehicle_settings": {"climate_control": ["The driver likes the fan on level 4."]}}
    drove, _ = drive("Turn the fan on.", user_preferences=liked)
    assert drove.changes == ["set_fan_speed 4"]


def test_what_nothing_settles_is_asked() -> None:
    drove, said = drive("Turn the fan on.", "Level two.")
    assert said[0].endswith("?")
    assert drove.changes == ["set_fan_speed 2"]


def test_the_seats_that_are_taken_are_looked_up() -> None:
    drove, _ = drive(
        "Turn on the reading light in the back.",
        seats_occupied={"driver": True, "passenger_rear": True},
    )
    assert drove.changes == ["set_reading_light PASSENGER_REAR True"]


def test_a_missing_tool_is_admitted() -> None:
    drove, said = drive("Open the trunk.", removed=["open_close_trunk_door"])
    assert drove.changes == []
    assert "can't open or close the trunk" in said[0]


def test_a_missing_parameter_is_admitted() -> None:
    drove, said = drive("Open my window halfway.", removed=["open_close_window.percentage"])
    assert drove.changes == []
    assert "isn't available" in said[0]


def test_a_missing_result_is_admitted() -> None:
    _, said = drive("What level is the fan on?", removed=["result.get_climate_settings.fan_speed"])
    assert "doesn't give me that" in said[0]


def test_what_can_be_done_is_done_beside_what_cannot() -> None:
    drove, said = drive("Fan to three, and open the trunk.", removed=["open_close_trunk_door"])
    assert drove.changes == ["set_fan_speed 3"]
    assert "can't" in said[0]
    assert "I've set the fan" in said[0]


def test_values_out_of_range_are_refused_without_a_call() -> None:
    drove, said = drive("Set the temperature to 40 degrees.")
    assert drove.changes == []
    assert "from 16 to 28" in said[0]


def test_something_else_is_declined_honestly() -> None:
    drove, said = drive("Order a pizza.")
    assert drove.made == []
    assert "not something I can help with" in said[0]


def test_what_was_settled_by_asking_holds_for_the_next_window() -> None:
    drove, _ = drive(
        "Open my window a bit.", "Twenty percent.", "And the passenger's too.", "Close both."
    )
    assert drove.changes == [
        "open_close_window DRIVER 20", "open_close_window PASSENGER 20",
        "open_close_window DRIVER 0", "open_close_window PASSENGER 0",
    ]  # fmt: skip
