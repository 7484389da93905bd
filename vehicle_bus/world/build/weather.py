"""A day of weather for a city in each month, in blocks of three hours."""

import math
from collections.abc import Iterator

from vehicle_bus.world.build.chance import Chance
from vehicle_bus.world.json_lines import Row

HOURS = 3
# How far the temperature has come from the night's to the afternoon's, in each block.
WARMTH = (0.1, 0.0, 0.15, 0.6, 0.95, 1.0, 0.6, 0.3)
AFTERNOON = 4
HUMIDITY = {"sunny": 48, "partly_cloudy": 56, "cloudy": 66}
WET = 84
SEASONS = {month: "winter" for month in (11, 12, 1, 2)} | dict.fromkeys(range(5, 9), "summer")
BETWEEN = "mixed"


def forecast(location: Row, climate: Row, skies: Row, month: int, chance: Chance) -> Row:
    """The weather row of a location in a month."""
    sky = climate[SEASONS[month]] if month in SEASONS else BETWEEN
    conditions = _conditions(sky, skies, chance)
    night_c = mean_c(climate, month) - climate["swing_c"] / 2 + chance.whole(-2, 2)
    return {
        "location_id": location["id"],
        "location_name": location["name"],
        "months": [month],
        "weather": [
            _block(number, night_c, climate, condition, chance)
            for number, condition in enumerate(conditions)
        ],
    }


def mean_c(climate: Row, month: int) -> float:
    """The mean temperature of a month, on a wave with January lowest and July highest."""
    low, high = climate["january_c"], climate["july_c"]
    wave = math.cos(2 * math.pi * (month - 1) / 12)
    return float((low + high) / 2 - (high - low) / 2 * wave)


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
