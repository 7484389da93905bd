"""The weather of today."""

import math
from typing import Annotated, Any

from vehicle_bus.car import Car
from vehicle_bus.schema import Limits
from vehicle_bus.tool import BadArguments, Coded, refusal, tool
from vehicle_bus.world import Row

ANOTHER_DAY = "AUT-POL:024"


@tool(
    "get",
    Coded("month", "GET_WEATHER_001", code=ANOTHER_DAY),
    Coded("day", "GET_WEATHER_001", code=ANOTHER_DAY),
)
def get_weather(
    car: Car,
    location_or_poi_id: str,
    month: Annotated[float, Limits(1, 12, step=1)],
    day: Annotated[float, Limits(1, 31, step=1)],
    time_hour_24hformat: Annotated[float, Limits(0, 23, step=1)],
    time_minutes: Annotated[float, Limits(0, 59, step=1)] = 0,
) -> dict[str, Any]:
    """Tell the weather at a place at some time of today, and what follows it.

    The forecast comes in blocks of three hours; the one that holds the time asked for is given.

    Args:
        location_or_poi_id: Id of a location or a point of interest.
        month: Month of today's date.
        day: Day of today's date.
        time_hour_24hformat: Hour of the time asked for, 0 to 23.
        time_minutes: Minutes of the time asked for.
    """
    today = car.context.current_datetime
    if (month, day) != (today.month, today.day):
        text = f"only today ({today.month}/{today.day}) has a forecast, not {month}/{day}"
        raise refusal("GET_WEATHER_001", text, code=ANOTHER_DAY)
    forecast = _forecast(car, location_or_poi_id)
    if forecast is None:
        raise refusal("GET_WEATHER_002", f"there is no forecast for {location_or_poi_id}")
    slots = forecast["weather"]
    minute = int(time_hour_24hformat) * 60 + int(time_minutes)
    now = next(i for i, slot in enumerate(slots) if minute < _minute_of_day(slot["end_time"]))
    following = slots[now + 1] if now + 1 < len(slots) else None
    if "Q51" in car.compat:
        if now < 2:
            raise BadArguments("there is no forecast before 06:00")
        following = None
    return {"current_slot": slots[now], "next_slot": following}


def _forecast(car: Car, place_id: str) -> Row | None:
    poi = car.world.poi(place_id) if place_id.startswith("poi_") else None
    if poi is None:
        return car.world.weather(place_id)
    location_id = poi.get("corresponding_location_id")
    if location_id is None and "Q36" not in car.compat:
        location_id = _nearest_location(car, poi["position"])
    return car.world.weather(location_id) if location_id else None


def _nearest_location(car: Car, position: dict[str, float]) -> str | None:
    """The location whose sky is that of a place somewhere along a route."""
    narrowing = math.cos(math.radians(position["latitude"]))

    def distance(location: Row) -> float:
        there = location["position"]
        east = (there["longitude"] - position["longitude"]) * narrowing
        return math.hypot(east, there["latitude"] - position["latitude"])

    nearest = min(car.world.locations(), key=distance, default=None)
    return nearest["id"] if nearest else None


def _minute_of_day(clock: str) -> int:
    hour, _, minute = clock.partition(":")
    return int(hour) * 60 + int(minute)
