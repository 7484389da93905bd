"""Which forecast holds for a place."""

import math

from vehicle_bus.world.world import Row, World

MINUTES_A_DAY = 24 * 60
STANDARD_C = 15.0


def forecast(world: World, place_id: str, month: int, *, guess: bool = True) -> Row | None:
    """The forecast of a location in a month, or of the one a place belongs to.

    A place along a route belongs to none: it has the sky of the nearest, unless not to `guess`.
    """
    poi = world.poi(place_id) if place_id.startswith("poi_") else None
    if poi is None:
        return world.weather(place_id, month)
    location_id = poi.get("corresponding_location_id")
    if location_id is None and guess:
        location_id = _nearest_location(world, poi["position"])
    return world.weather(location_id, month) if location_id else None


def slot_at(slots: list[Row], minute_of_day: int) -> int:
    """Which block of a forecast a minute falls into."""
    ends = (minutes(slot["end_time"]) for slot in slots)
    return next(i for i, end in enumerate(ends) if minute_of_day < end)


def temperature_c(forecast: Row | None, minute: int) -> float:
    """How warm it is so many minutes after midnight; without a forecast a usual value."""
    if forecast is None:
        return STANDARD_C
    slots = forecast["weather"]
    return float(slots[slot_at(slots, minute % MINUTES_A_DAY)]["temperature_c"])


def minutes(clock: str) -> int:
    """`07:45` as minutes since midnight."""
    hour, _, minute = clock.partition(":")
    return int(hour) * 60 + int(minute)


def _nearest_location(world: World, position: dict[str, float]) -> str | None:
    narrowing = math.cos(math.radians(position["latitude"]))

    def distance(location: Row) -> float:
        other = location["position"]
        east = (other["longitude"] - position["longitude"]) * narrowing
        return math.hypot(east, other["latitude"] - position["latitude"])

    nearest = min(world.locations(), key=distance, default=None)
    return nearest["id"] if nearest else None
