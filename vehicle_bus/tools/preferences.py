"""What the car has learned about its driver."""

from typing import Any, TypedDict

from vehicle_bus.car.car import Car
from vehicle_bus.car.tool import tool


class PlaceCategories(TypedDict, total=False):
    airports: bool
    bakery: bool
    fast_food: bool
    parking: bool
    public_toilets: bool
    restaurants: bool
    supermarkets: bool
    charging_stations: bool


class Routes(TypedDict, total=False):
    route_selection: bool


class Cabin(TypedDict, total=False):
    climate_control: bool
    vehicle_settings: bool


class Talk(TypedDict, total=False):
    email: bool
    calendar: bool


class Forecast(TypedDict, total=False):
    weather: bool


class Categories(TypedDict, total=False):
    points_of_interest: PlaceCategories
    navigation_and_routing: Routes
    vehicle_settings: Cabin
    productivity_and_communication: Talk
    weather: Forecast


@tool("get")
def get_user_preferences(car: Car, preference_categories: Categories) -> dict[str, Any]:
    """Tell what the driver is known to like, before choosing something in the driver's place.

    Args:
        preference_categories: Per category, true for each kind of preference wanted.
    """
    known = car.context.user_preferences.model_dump()
    return {
        category: {kind: list(known[category][kind]) for kind in _wanted(kinds, known[category])}
        for category, kinds in preference_categories.items()
        if category in known
    }


def _wanted(kinds: Any, known: dict[str, Any]) -> list[str]:
    return [kind for kind, wanted in kinds.items() if wanted and kind in known]
