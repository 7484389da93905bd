"""Points of interest: their categories, when they are open, what they can be filtered by."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from vehicle_bus.world.json_lines import Row

Category = Literal[
    "airports",
    "bakery",
    "fast_food",
    "parking",
    "public_toilets",
    "restaurants",
    "supermarkets",
    "charging_stations",
]
LocationFilter = Literal[
    "any::currently_open",
    "charging_stations::has_available_plug",
    "charging_stations::has_dc_plug",
]
RouteFilter = Literal[
    "any::currently_open",
    "any::sort_by_distance",
    "charging_stations::has_available_plug",
    "charging_stations::has_dc_plug",
]
CATEGORIES: frozenset[str] = frozenset(get_args(Category))
CHARGING = "charging_stations"
BY_DISTANCE = "any::sort_by_distance"
LAST_MINUTE = 23 * 60 + 59
DIRECTION = len("rll_mun_ber")
HOURS = re.compile(r"(\d{1,2}):(\d{2})h - (\d{1,2}):(\d{2})h")


@dataclass(frozen=True, slots=True)
class Poi:
    """A place: its row, and how far along and off a route it is, if it lies on one."""

    number: int
    row: Row
    fraction: float | None = None
    detour_km: float = 0.0


def kilometre(poi: Row, direction: str) -> float:
    """Where a place lies on the routes of a direction; far away if it does not."""
    position: dict[str, Any] = poi.get("route_positions", {}).get(direction, {})
    return float(position.get("at_route_kilometer", math.inf))


def is_open(opening_hours: str, minute_of_day: int) -> bool:
    """Whether a place is open; both ends count, hours may run over midnight."""
    match = HOURS.fullmatch(opening_hours)
    if match is None:
        return False
    hour, minute, last_hour, last_minute = map(int, match.groups())
    opens, closes = 60 * hour + minute, min(60 * last_hour + last_minute, LAST_MINUTE)
    if closes <= opens:
        return minute_of_day >= opens or minute_of_day <= closes
    return opens <= minute_of_day <= closes


def passes(poi: Row, filters: Sequence[str], minute_of_day: int) -> bool:
    """Whether a place has everything that is asked for."""
    return all(_passes(poi, wanted, minute_of_day) for wanted in filters)


def _passes(poi: Row, wanted: str, minute_of_day: int) -> bool:
    plugs = poi.get("charging_plugs", ()) if poi["category"] == CHARGING else ()
    match wanted:
        case "any::currently_open":
            return is_open(poi.get("opening_hours", ""), minute_of_day)
        case "charging_stations::has_available_plug":
            return any(plug["availability"] == "available" for plug in plugs)
        case "charging_stations::has_dc_plug":
            return any(plug["power_type"] == "DC" for plug in plugs)
        case _:
            return True
