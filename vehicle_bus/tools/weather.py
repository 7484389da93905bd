"""The weather of today."""

from typing import Annotated, Any

from vehicle_bus.car.car import Car
from vehicle_bus.car.schema import Limits
from vehicle_bus.car.tool import BadArguments, Coded, refusal, tool
from vehicle_bus.world.forecast import forecast, slot_at

ANOTHER_DAY = "AUT-POL:024"


@tool(
    "get",
    Coded("month", "GET_WEATHER_001", code=ANOTHER_DAY),
    Coded("day", "GET_WEATHER_001", code=ANOTHER_DAY),
    loose=("location_or_poi_id", "month", "day", "time_hour_24hformat", "time_minutes"),
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
    hour, minutes = time_hour_24hformat, time_minutes
    if "Q52" in car.compat:
        month, day, hour, minutes = map(_whole, (month, day, hour, minutes))
    today = car.context.current_datetime
    if (month, day) != (today.month, today.day):
        text = f"only today ({today.month}/{today.day}) has a forecast, not {month}/{day}"
        raise refusal("GET_WEATHER_001", text, code=ANOTHER_DAY)
    if not isinstance(location_or_poi_id, str):
        raise BadArguments("location_or_poi_id must be a text")
    known = forecast(car.world, location_or_poi_id, today.month, guess="Q36" not in car.compat)
    if known is None:
        raise refusal("GET_WEATHER_002", f"there is no forecast for {location_or_poi_id}")
    if not 0 <= hour < 24 or minutes < 0:
        raise BadArguments("there are no such hours and minutes in a day")
    slots = known["weather"]
    now = slot_at(slots, int(hour) * 60 + min(int(minutes), 59))
    following = slots[now + 1] if now + 1 < len(slots) else None
    if "Q51" in car.compat:
        if now < 2:
            raise BadArguments("there is no forecast before 06:00")
        following = None
    return {"current_slot": slots[now], "next_slot": following}


def _whole(value: Any) -> int:
    """A number without its fraction, or the number that a text consists of."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadArguments(f"{value!r:.40} is no number") from error
