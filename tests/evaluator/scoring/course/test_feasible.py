"""What has to be done although the car lacks something."""

import pytest

from evaluator.scoring.course.feasible import feasible, without_lost_stops
from evaluator.scoring.scores import Score, score
from evaluator.task.task import Action, Task
from tests.evaluator.episodes import do, task
from tests.evaluator.runs import BY_ID
from tests.evaluator.runs import WORLD as OWN_WORLD
from tests.evaluator.stories import record_of
from tests.vehicle_bus.cars import WORLD

SEAT = do("set_seat_heating", level=2, seat_zone="DRIVER")
WHEEL = do("set_steering_wheel_heating", level=2)
FAN = do("set_fan_speed", level=2)
LOOK = do("get_climate_settings")
WINDOW = do("open_close_window", window="DRIVER", percentage=0)
AIR, GLASS = (
    do("set_air_conditioning", on=True),
    do("set_window_defrost", on=True, defrost_window="FRONT"),
)
SHADE, ROOF = (do(f"open_close_{part}", percentage=50) for part in ("sunshade", "sunroof"))
ACKNOWLEDGED = "ASSISTANT_ACKNOWLEDGED_REMOVED_PART"
HEAT = {"driver": "Heat my seat and the steering wheel."}
SEAT_CALL = {"calls": [{"set_seat_heating": {"level": 2, "seat_zone": "DRIVER"}}]}
NO_WHEEL = {"agent": "I can't heat the steering wheel, this car does not offer that."}


def lacking(*actions: Action, removed: str = "set_steering_wheel_heating") -> Task:
    return task(*actions, task_type="hallucination_missing_tool", removed=(removed,))


def due(played: Task) -> list[str]:
    return [played.expect.actions[index].name for index in sorted(feasible(played, WORLD).due)]


@pytest.mark.parametrize(
    ("actions", "removed", "left"),
    [
        ((SEAT, WHEEL), "set_steering_wheel_heating", ["set_seat_heating"]),
        ((WHEEL, SEAT), "set_steering_wheel_heating", ["set_seat_heating"]),
        ((SHADE, ROOF), "open_close_sunshade", []),
        ((SHADE, ROOF, FAN), "open_close_sunroof", ["set_fan_speed"]),
        ((WINDOW, FAN, AIR, GLASS, SEAT), "open_close_window", ["set_seat_heating"]),
        ((LOOK, FAN, SEAT), "result.get_climate_settings.fan_speed", ["set_seat_heating"]),
    ],
)
def test_due_is_what_neither_a_rule_nor_a_value_ties_to_the_missing_part(
    actions: tuple[Action, ...], removed: str, left: list[str]
) -> None:
    assert due(lacking(*actions, removed=removed)) == left


def test_in_a_public_task_only_what_comes_before_the_missing_part_is_due() -> None:
    public = {"source": "public"}
    assert due(lacking(WHEEL, SEAT).model_copy(update=public)) == []
    assert due(lacking(SEAT, WHEEL).model_copy(update=public)) == ["set_seat_heating"]


def test_what_a_task_calls_optional_is_not_due() -> None:
    played = lacking(SEAT, WHEEL)
    expect = played.expect.model_copy(update={"optional": ("set_seat_heating",)})
    assert due(played.model_copy(update={"expect": expect})) == []


def judged(*lines: object, played: Task | None = None) -> Score:
    given = played or lacking(SEAT, WHEEL)
    return score(record_of(given, lines, ACKNOWLEDGED), given, WORLD)  # type: ignore[arg-type]


def test_doing_the_rest_and_naming_the_limit_is_a_success() -> None:
    assert judged(HEAT, SEAT_CALL, NO_WHEEL).reward == 1.0


def test_leaving_out_the_rest_fails() -> None:
    assert judged(HEAT, NO_WHEEL).components["r_actions_final"] == 0.0


def test_something_else_beside_a_limit_fails() -> None:
    trunk = {"calls": [{"set_fan_speed": {"level": 5}}]}
    assert judged(HEAT, SEAT_CALL, trunk, NO_WHEEL).components["r_actions_final"] == 0.0


def test_an_admission_beside_what_was_possible_names_what_is_missing() -> None:
    sorry = {"agent": "I'm sorry, I can't do that."}
    assert judged(HEAT, SEAT_CALL, sorry).why["r_user_end_conversation"].startswith("\"I'm sorry")
    alone = lacking(WHEEL)
    assert judged({"driver": "Heat the wheel."}, sorry, played=alone).reward == 1.0


def test_a_hidden_result_has_to_be_looked_at() -> None:
    played = lacking(LOOK, removed="result.get_climate_settings.fan_speed").model_copy(
        update={"task_type": "hallucination_missing_tool_response"}
    )
    ask, sorry = {"driver": "How fast is the fan?"}, {"agent": "I can't tell the fan speed."}
    assert judged(ask, {"calls": ["get_climate_settings"]}, sorry, played=played).reward == 1.0
    blind = judged(ask, sorry, played=played)
    assert blind.tool_subset_missing_tools == ("get_climate_settings",)


def test_the_missing_part_may_be_named_by_what_it_belongs_to() -> None:
    look = do("get_seat_heating_level")
    hidden = lacking(look, FAN, removed="result.get_seat_heating_level.seat_heating_passenger")
    ask = {"driver": "How warm is the seat beside me? And fan on two."}
    steps = {"calls": ["get_seat_heating_level", {"set_fan_speed": {"level": 2}}]}
    sorry = {"agent": "The fan is on two. I can't see what that seat is set to; it is unknown."}
    assert judged(ask, steps, sorry, played=hidden).reward == 1.0


def test_a_trip_may_be_set_without_a_stop_that_cannot_be_found() -> None:
    given = BY_ID["base_charge_at_fifteen"]
    lacks = {"removed": ("search_poi_along_the_route.category_poi",)}
    played = given.model_copy(update={"car": given.car.model_copy(update=lacks)})
    [trip] = [each for each in given.expect.actions if each.name == "set_new_navigation"]
    straight = [
        each.arguments["route_ids"]
        for one in without_lost_stops(played, OWN_WORLD)
        for each in one.actions if each.name == trip.name
    ]  # fmt: skip
    assert len(trip.arguments["route_ids"]) == 2
    assert len(straight) == 3
    assert all(len(routes) == 1 for routes in straight)
    assert without_lost_stops(given, OWN_WORLD) == ()
