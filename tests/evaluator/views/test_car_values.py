from collections.abc import Iterator
from typing import Any

import pytest

from assistant_gateway.agents.rules import journal
from assistant_gateway.agents.rules.earlier_wishes import EarlierWishes
from assistant_gateway.agents.rules.journal import State
from assistant_gateway.agents.rules.language.patterns import words_of
from assistant_gateway.agents.rules.understanding import wishes_in
from assistant_gateway.agents.rules.wishes.cabin import Adjust
from evaluator.views.car_values import GROUPS, ROWS, is_news, layout, written
from evaluator.views.sentences import event_sentence, readable
from tests.vehicle_bus.cars import WORLD
from vehicle_bus.car.signals import CONTEXT_SIGNALS, MOTION_SIGNALS
from vehicle_bus.car.state import CONTEXT_NAMES, STATE_NAMES, CarState


def test_every_variable_of_a_car_has_one_row() -> None:
    names = [row.name for group in GROUPS for row in group.rows]
    assert len(names) == len(set(names))
    assert set(names) >= STATE_NAMES
    others = {signal.name for signal in CONTEXT_SIGNALS + MOTION_SIGNALS}
    moving = {row.name for row in ROWS.values() if row.moves}
    still = {name for name in names if name.startswith("seats_occupied.")} | {"car_color"}
    assert moving | still == set(names) - STATE_NAMES
    assert not moving & still
    assert set(names) - STATE_NAMES < others
    assert {signal.name for signal in MOTION_SIGNALS} < set(names)
    assert "state_of_charge" in CONTEXT_NAMES


COMMANDS = {
    "amount": "Set the {} to 2.",
    "choice": "Change the {} to auto.",
    "door": "Open the {}.",
}


def captioned_parts() -> Iterator[tuple[str, str, str]]:
    """Every part of the car that can be set: its caption in a command, what it is, and where."""
    for row in words_of(journal.__file__)["states"].values():
        state = State(**row)
        for place in ("DRIVER", "PASSENGER", "DRIVER_REAR", "PASSENGER_REAR", "FRONT", "REAR"):
            shown = ROWS.get(state.field.format(place.lower()))
            if shown is not None:
                said = COMMANDS.get(state.kind, "Turn the {} off.").format(shown.noun)
                yield said, state.thing, place if state.target else ""


@pytest.mark.parametrize(("said", "thing", "place"), sorted(set(captioned_parts())))
def test_the_rules_assistant_knows_every_part_by_its_caption(
    said: str, thing: str, place: str
) -> None:
    [wish] = wishes_in(said, EarlierWishes())
    assert isinstance(wish, Adjust)
    where = wish.choice if place in ("FRONT", "REAR") else "".join(wish.seats)
    assert (wish.thing, where) == (thing, place)


def test_every_value_at_the_start_can_be_written() -> None:
    texts = written(CarState().model_dump(mode="json"), WORLD)
    assert texts["window_driver_position"] == {"value": 0, "text": "closed"}
    assert texts["climate_temperature_driver"]["text"] == "20.0 °C"
    assert texts["waypoints_id"]["text"] == "none"
    assert all(isinstance(shown["text"], str) and shown["text"] for shown in texts.values())


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


def test_what_moves_reads_like_instruments_and_is_no_news() -> None:
    position = {"latitude": 48.30639, "longitude": -14.28611}
    moving = {f"current_location.position.{name}": value for name, value in position.items()}
    moving |= {"speed_kmh": 49.6, "travelled_m": 12_340, "outside_c": -3.04, "cabin_c": 21.0}
    assert [shown["text"] for shown in written(moving, WORLD).values()] == [
        "48.3064° N", "14.2861° W", "50 km/h", "12.3 km", "-3.0 °C", "21.0 °C",
    ]  # fmt: skip
    assert not is_news(moving | {"state_of_charge": 70.1})
    assert is_news(moving | {"fan_speed": 1})


@pytest.mark.parametrize(
    ("kind", "detail", "shown"),
    [
        ("arrival", {"waypoint_id": "w", "name": "Graz", "final": True}, "Arrived at Graz"),
        ("battery_low", {"state_of_charge": 20.0}, "The battery is down to 20 %"),
        ("battery_empty", {"state_of_charge": 0.0}, "The battery is empty: the car stops"),
        (
            "range_low",
            {"remaining_range_km": 40, "next_stop_km": 55.5, "next_waypoint_id": "w"},
            "40 km of range left, 55.5 km to the next stop",
        ),
        (
            "knob",
            {"by": "child in the back", "set": {"window_passenger_rear_position": 100}},
            "The child in the back opened the rear passenger window",
        ),
        (
            "knob",
            {"by": "passenger", "set": {"fan_speed": 5, "fog_lights": False}},
            "The passenger set the fan to level 5 and turned the fog lights off",
        ),
        (
            "battery_corrected",
            {"by": "battery", "set": {"state_of_charge": 11}},
            "Battery corrected, battery, charge 11 %",
        ),
        ("door_opened", {"seat": "rear"}, "Door opened, rear"),
        ("arrival", {}, "Arrival"),
        ("battery_low", {"state_of_charge": None}, "Battery low, None"),
        (
            "fault",
            {"id": "f1", "kind": "offline", "for_s": 4.0},
            "Injected fault: the car is offline",
        ),
        (
            "fault",
            {"kind": "refusal", "tool": "open_close_window"},
            "Injected fault: the car refused open_close_window",
        ),
        (
            "fault",
            {"kind": "loss", "tool": "get_weather"},
            "Injected fault: the reply to get_weather was lost",
        ),
    ],
)
def test_events_read_like_sentences(kind: str, detail: dict[str, Any], shown: str) -> None:
    assert event_sentence(kind, detail) == shown


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        (
            "fan_airflow_direction is HEAD_FEET, expected FEET; fan_speed is 1, expected 2",
            "airflow is head + feet, expected feet; fan is level 1, expected level 2",
        ),
        (
            "after turn 2 window_driver_position is 0, expected 50; and 1 more",
            "after turn 2 driver window is closed, expected 50 %; and 1 more",
        ),
        (
            "routes_to_final_destination_id is ['rll_a'], expected ['rll_b']",
            "route is rll_a, expected rll_b",
        ),
        ("turn 1: max_gap too late", "turn 1: longest silence too late"),
        (
            "turn 2: first_speech never came, effect never came",
            "turn 2: first speech never came, effect in the car never came",
        ),
        (
            'OUT_OF_SCOPE: the script has no answer to "Which song?"',
            'the driver gave up: the script has no answer to "Which song?"',
        ),
        ("OUT_OF_SCOPE: the driver said OUT_OF_SCOPE", "the driver gave up"),
        ("the driver said DISAMBIGUATION_ERROR", "the driver said so"),
        ("step_limit: the agent used up all its messages", "the agent used up all its messages"),
        ("the car is broken, expected nothing", "the car is broken, expected nothing"),
        ("fan_speed is odd, expected nothing", "fan_speed is odd, expected nothing"),
    ],
)
def test_reasons_name_values_of_the_car_in_words(reason: str, shown: str) -> None:
    assert readable(reason) == shown


def test_places_have_the_names_of_the_world() -> None:
    munich = next(place for place in WORLD.locations())
    shown = written({"waypoints_id": [munich["id"], "loc_none"]}, WORLD)
    assert shown["waypoints_id"]["text"] == f"{munich['name']} → loc_none"


def test_what_has_no_row_is_left_out() -> None:
    assert written({"battery_capacity_kwh": 80}, WORLD) == {}
    assert sum(len(group["rows"]) for group in layout()) == len(ROWS)
