"""A task whose trip cannot be followed is refused with the place in the file."""

from pathlib import Path

import pytest

from evaluator.task.files import parse_task
from evaluator.task.worlds import own_world

WORLD = own_world()
GOOD = """\
task_id: base_trip
task_type: base
title: A trip
car:
  start:
    current_location: Basel
    navigation_active: true
    waypoints_id: [loc_bas_627893, loc_luc_291875, loc_tur_835971]
    routes_to_final_destination_id: [rll_bas_luc_962338, rll_luc_tur_821698]
driver:
  instruction: You stay in Lucerne.
  script: {opening: End the trip in Lucerne.}
expect:
  actions:
    - navigation_delete_destination: {destination_id_to_delete: loc_tur_835971}
  turn_classes: [D]
"""


def problems(text: str) -> list[str]:
    return parse_task(text, Path("base_trip.yaml"), WORLD)[1]


def test_a_trip_of_legs_that_meet_is_fine() -> None:
    assert problems(GOOD) == []


@pytest.mark.parametrize(
    ("right", "wrong", "line", "expected"),
    [
        ("navigation_active: true", "navigation_active: false", 7, "expected true for a car that"),
        ("current_location: Basel", "current_location: Freiburg", 8, "starts where the car is"),
        ("[loc_bas_627893, loc_luc_291875, loc_tur_835971]", "[loc_bas_627893]", 8,
         "expected a start and a destination"),
        ("rll_bas_luc_962338, ", "", 9, "expected one route from each waypoint to the next"),
        ("rll_luc_tur_821698", "rll_bas_luc_962338", 9,
         "expected a route of the world from loc_luc_291875 to loc_tur_835971"),
        ("rll_luc_tur_821698", "rll_luc_tur_000000", 9, "expected a route of the world from"),
    ],
)  # fmt: skip
def test_a_trip_that_cannot_be_followed_is_refused(
    right: str, wrong: str, line: int, expected: str
) -> None:
    found = problems(GOOD.replace(right, wrong))
    assert found[0].startswith(f"base_trip.yaml:{line}: car.start.")
    assert expected in found[0]


def test_an_expected_trip_starts_where_the_car_is() -> None:
    text = GOOD.replace(
        "    - navigation_delete_destination: {destination_id_to_delete: loc_tur_835971}\n",
        "    - delete_current_navigation\n"
        "    - set_new_navigation: {route_ids: [rll_luc_tur_821698]}\n",
    )
    assert problems(text) == [
        "base_trip.yaml:16: expect.actions.1: expected a trip that starts where the car is, "
        "at loc_bas_627893"
    ]
