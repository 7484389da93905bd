from evaluator.cockpit.panel import GROUPS, ROWS, layout, written
from tests.vehicle_bus.cars import WORLD
from vehicle_bus.state import CONTEXT_NAMES, STATE_NAMES, CarState


def test_every_variable_of_a_car_has_one_row() -> None:
    names = [row.name for group in GROUPS for row in group.rows]
    assert len(names) == len(set(names))
    assert set(names) >= STATE_NAMES
    assert set(names) - STATE_NAMES == {"state_of_charge", "remaining_range_km"}
    assert "state_of_charge" in CONTEXT_NAMES


def test_every_value_at_the_start_can_be_written() -> None:
    texts = written(CarState().model_dump(mode="json"), WORLD)
    assert texts["window_driver_position"] == {"value": 0, "text": "closed"}
    assert texts["climate_temperature_driver"]["text"] == "20.0 °C"
    assert texts["waypoints_id"]["text"] == "nowhere"
    assert all(isinstance(told["text"], str) and told["text"] for told in texts.values())


def test_values_read_like_words() -> None:
    def text(name: str, value: object) -> str:
        return str(written({name: value}, WORLD)[name]["text"])

    assert text("sunroof_position", 100) == "open"
    assert text("sunroof_position", 40) == "40 %"
    assert text("seat_heating_driver", 2) == "level 2"
    assert text("fan_airflow_direction", "HEAD_FEET") == "head + feet"
    assert text("air_circulation", "FRESH_AIR") == "fresh air"
    assert text("trunk_door_position", "CLOSE") == "closed"
    assert text("routes_to_final_destination_id", ["a", "b"]) == "2 legs"


def test_places_have_the_names_of_the_world() -> None:
    munich = next(place for place in WORLD.locations())
    told = written({"waypoints_id": [munich["id"], "loc_none"]}, WORLD)
    assert told["waypoints_id"]["text"] == f"{munich['name']} → loc_none"


def test_what_has_no_row_is_left_out() -> None:
    assert written({"car_color": "blue"}, WORLD) == {}
    assert sum(len(group["rows"]) for group in layout()) == len(ROWS)
