"""A day of weather for a city, in blocks of three hours."""

from collections.abc import Iterator

from vehicle_bus.world.build.chance import Chance
from vehicle_bus.world.json_lines import Row

HOURS = 3
# How far the temperature has come from the night's to the afternoon's, in each block.
WARMTH = (0.1, 0.0, 0.15, 0.6, 0.95, 1.0, 0.6, 0.3)
AFTERNOON = 4
HUMIDITY = {"sunny": 48, "partly_cloudy": 56, "cloudy": 66}
WET = 84


def forecast(location: Row, climate: Row, skies: Row, chance: Chance) -> Row:
    """The weather row of a location."""
    conditions = _conditions(climate["sky"], skies, chance)
    night_c = climate["mean_c"] - climate["swing_c"] / 2 + chance.whole(-2, 2)
    return {
        "location_id": location["id"],
        "location_name": location["name"],
        "weather": [
            _block(number, night_c, climate, condition, chance)
            for number, condition in enumerate(conditions)
        ],
    }


def _conditions(sky: str, skies: Row, chance: Chance) -> Iterator[str]:
    condition = chance.weighted(skies["start"][sky])
    yield condition
    for number in range(1, len(WARMTH)):
        condition = chance.weighted(skies["next"][condition])
        if number == AFTERNOON:
            for sudden, percent in skies["afternoon"].get(sky, {}).items():
                condition = sudden if chance.happens(percent) else condition
        yield condition


def _block(number: int, night_c: float, climate: Row, condition: str, chance: Chance) -> Row:
    humidity = HUMIDITY.get(condition, WET) - round(8 * WARMTH[number]) + chance.whole(-5, 5)
    return {
        "start_time": f"{HOURS * number:02}:00",
        "end_time": f"{HOURS * (number + 1):02}:00",
        "temperature_c": round(night_c + climate["swing_c"] * WARMTH[number]),
        "wind_speed_kph": max(0, climate["wind_kph"] + chance.whole(-4, 6)),
        "humidity_percent": min(100, max(40, humidity)),
        "condition": condition,
    }
