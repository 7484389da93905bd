"""Weather of the own tasks, and what their drivers say about it, fit place, month and hour."""

import re
from collections.abc import Iterator
from itertools import islice, permutations

import pytest
import yaml

from evaluator.task.task import Task
from evaluator.task.worlds import own_world
from tests.evaluator.runs import TASKS
from vehicle_bus import vehicle
from vehicle_bus.car.state import CarSetup, context_at_start
from vehicle_bus.contract import Command
from vehicle_bus.data_folder import shipped
from vehicle_bus.vehicle import Vehicle
from vehicle_bus.world.build.weather import mean_c
from vehicle_bus.world.forecast import forecast, slot_at
from vehicle_bus.world.json_lines import Row

WORLD = own_world()
ATLAS = shipped("data", beside=vehicle.__file__) / "atlas"
CLIMATE = yaml.safe_load((ATLAS / "climate.yaml").read_text(encoding="utf-8"))
MILDER = 7
DAY = range(6, 21)
BRIGHT = {"sunny", "partly_cloudy"}
# What a driver says, and what then has to hold: lowest and highest temperature, skies, hours.
SAID: tuple[tuple[str, tuple[int, int], set[str], range], ...] = (
    (r"freezing|\bfrost|\bice\b|ice-cold|stiff with cold|chilled to", (-30, 3), set(), range(24)),
    (r"cold (night|evening)|raw morning", (-30, 8), set(), range(24)),
    (r"into thick fog|freezing fog", (-30, 14), {"cloudy_and_fog"}, range(24)),
    (r"in the sun\b|sun (is|burns|stands)|sun's|sunshine|not a cloud", (-30, 45), BRIGHT, DAY),
    (r"burning on my head|oven|first warm day|barbecue", (18, 45), set(), DAY),
    (r"hailing|it hails", (-30, 25), {"cloudy_and_rain_and_hail"}, range(24)),
    (r"storm\b|cloudburst", (5, 45), {"cloudy_and_rain_and_thunderstorm"}, range(24)),
    (r"dripping wet|it is raining", (-5, 45), {"cloudy_and_rain"}, range(24)),
)  # fmt: skip
DARK = r"pitch-dark|by night|before sunrise|getting dark|cold night"
each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.task_id)


def outside(task: Task) -> tuple[Row, Row, int, int]:
    """The climate of a task's place, its weather at the start, month and hour."""
    context = context_at_start(task.car.start)
    now = context.current_datetime
    known = forecast(WORLD, context.current_location.id, now.month)
    assert known is not None
    slot = known["weather"][slot_at(known["weather"], 60 * now.hour + now.minute)]
    return CLIMATE[known["location_name"]], slot, now.month, now.hour


def words(task: Task) -> str:
    script = task.driver.script
    assert script is not None
    return " ".join((task.driver.instruction, script.opening, *script.followups))


def wrong(task: Task) -> Iterator[str]:
    """What a driver says that the weather outside does not bear out."""
    _, slot, month, hour = outside(task)
    for pattern, (lowest, highest), skies, hours in SAID:
        if said := re.search(pattern, words(task), re.IGNORECASE):
            degrees, sky = slot["temperature_c"], slot["condition"]
            fits = lowest <= degrees <= highest and (not skies or sky in skies) and hour in hours
            if not fits:
                yield f"{said[0]}: {degrees} degrees, {sky} at {hour} in month {month}"
    light = range(5, 21) if month in range(4, 10) else range(9, 16)
    if hour in light and (said := re.search(DARK, words(task), re.IGNORECASE)):
        yield f"{said[0]} at {hour} in month {month}"


@each_task
def test_it_is_as_warm_as_it_may_be_there_in_that_month(task: Task) -> None:
    climate, slot, month, _ = outside(task)
    away = slot["temperature_c"] - mean_c(climate, month)
    assert abs(away) <= climate["swing_c"] / 2 + MILDER, (slot, month)


@each_task
def test_what_a_driver_says_of_the_weather_is_true(task: Task) -> None:
    assert list(wrong(task)) == []


def test_enough_drivers_speak_of_the_weather() -> None:
    patterns = "|".join(pattern for pattern, *_ in SAID)
    assert sum(bool(re.search(patterns, words(task), re.IGNORECASE)) for task in TASKS) >= 20


def test_fog_lies_on_cool_air_only() -> None:
    for place in WORLD.locations():
        for month in range(1, 13):
            known = forecast(WORLD, place["id"], month) or {"weather": []}
            foggy = [slot for slot in known["weather"] if slot["condition"] == "cloudy_and_fog"]
            assert all(slot["temperature_c"] <= 14 for slot in foggy), (place["name"], month)


def test_summers_are_warmer_than_winters_everywhere() -> None:
    for place in WORLD.locations():
        days = [forecast(WORLD, place["id"], month) or {} for month in (1, 7)]
        winter, summer = ([slot["temperature_c"] for slot in day["weather"]] for day in days)
        assert sum(summer) - sum(winter) >= 8 * 8, place["name"]


def sixty_minutes() -> Iterator[tuple[str, str]]:
    """Pairs of points between which the world has a route of so many hours and 60 minutes."""
    for start, end in permutations([place["id"] for place in WORLD.locations()], 2):
        base = WORLD.routes(start, end)[0]["route_id"]
        for poi in WORLD.pois_along(base, "restaurants", None, 25):
            routes = WORLD.routes(start, poi["id"])
            if any(route["duration_minutes"] == 60 for route in routes):
                yield start, poi["id"]


def test_no_route_is_told_with_sixty_minutes() -> None:
    found = list(islice(sixty_minutes(), 3))
    assert found
    car = Vehicle(CarSetup(), WORLD)
    for start, destination in found:
        asked = {"start_id": start, "destination_id": destination}
        answer = car.handle(
            "get_routes_from_start_to_destination", Command(call_id="call-1", arguments=asked)
        )
        assert answer.result is not None
        assert all(row["duration_minutes"] < 60 for row in answer.result["routes"])
