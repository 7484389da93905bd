from typing import Any

import pytest

from tests.vehicle_bus.cars import call, car, error, result
from vehicle_bus.car.state import Compat

TODAY = {"month": 2, "day": 14}
HERE = "loc_mun_9995"


def weather(compat: Compat, hour: float, minutes: float = 0) -> Any:
    return result(
        car(compat),
        "get_weather",
        location_or_poi_id=HERE,
        time_hour_24hformat=hour,
        time_minutes=minutes,
        **TODAY,
    )


@pytest.mark.parametrize(
    ("hour", "minutes", "start", "following"),
    [
        (0, 0, "00:00", "03:00"),
        (5, 59, "03:00", "06:00"),
        (6, 0, "06:00", "09:00"),
        (14.0, 59.0, "12:00", "15:00"),
        (23, 59, "21:00", None),
    ],
)
def test_the_slot_that_holds_the_time_and_the_one_after_it(
    hour: float, minutes: float, start: str, following: str | None
) -> None:
    seen = weather("codriver", hour, minutes)
    assert seen["current_slot"]["start_time"] == start
    after = seen["next_slot"]
    assert (after and after["start_time"]) == following


def test_the_public_benchmark_has_no_next_slot_and_no_weather_at_night() -> None:
    assert weather("car-bench", 12)["next_slot"] is None
    at_night = {"location_or_poi_id": HERE, "time_hour_24hformat": 5, **TODAY}
    assert error(car("car-bench"), "get_weather", **at_night) == ("INVALID_ARGUMENTS", False)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"day": 15}, ("GET_WEATHER_001", True)),
        ({"month": 13}, ("GET_WEATHER_001", True)),
        ({"location_or_poi_id": "loc_xyz_1"}, ("GET_WEATHER_002", True)),
        ({"day": 15, "location_or_poi_id": "x"}, ("GET_WEATHER_001", True)),
        ({"time_hour_24hformat": 24}, ("INVALID_ARGUMENTS", False)),
        ({"time_minutes": 75}, ("INVALID_ARGUMENTS", False)),
        ({"month": "2"}, ("INVALID_ARGUMENTS", False)),
    ],
)
def test_only_known_places_and_only_today(changed: Any, expected: tuple[str, bool]) -> None:
    arguments = {"location_or_poi_id": HERE, "time_hour_24hformat": 12, **TODAY} | changed
    assert error(car(), "get_weather", **arguments) == expected


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"day": 15.5}, ("GET_WEATHER_001", True)),
        ({"day": 15, "time_hour_24hformat": 12.5}, ("GET_WEATHER_001", True)),
        ({"day": 99, "location_or_poi_id": 5}, ("GET_WEATHER_001", True)),
        ({"day": 99, "time_minutes": None}, ("INVALID_ARGUMENTS", False)),
        ({"day": 99, "month": "may"}, ("INVALID_ARGUMENTS", False)),
        ({"time_minutes": None}, ("INVALID_ARGUMENTS", False)),
        ({"time_minutes": -1}, ("INVALID_ARGUMENTS", False)),
        ({"time_hour_24hformat": 24.9}, ("INVALID_ARGUMENTS", False)),
        ({"time_hour_24hformat": 24, "location_or_poi_id": "x"}, ("GET_WEATHER_002", True)),
        ({"location_or_poi_id": None}, ("INVALID_ARGUMENTS", False)),
        ({"month": 1e300}, ("GET_WEATHER_001", True)),
    ],
)
def test_the_public_benchmark_makes_whole_numbers_and_looks_at_the_day_first(
    changed: Any, expected: tuple[str, bool]
) -> None:
    arguments = {"location_or_poi_id": HERE, "time_hour_24hformat": 12, **TODAY} | changed
    assert error(car("car-bench"), "get_weather", **arguments) == expected


@pytest.mark.parametrize("day", [14.9, "14", " 14 "])
def test_the_public_benchmark_tells_the_weather_for_fractions_and_texts(day: Any) -> None:
    asked = {"location_or_poi_id": HERE, "month": 2.5, "day": day}
    asked |= {"time_hour_24hformat": 14.75, "time_minutes": 75.5}
    seen = result(car("car-bench"), "get_weather", **asked)
    assert seen["current_slot"]["start_time"] == "12:00"


def test_another_day_is_named_as_the_policy_it_breaks() -> None:
    arguments = {"location_or_poi_id": HERE, "month": 3, "day": 14, "time_hour_24hformat": 12}
    assert '"AUT-POL:024: ' in call(car(), "get_weather", **arguments).output
