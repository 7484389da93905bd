"""What the car has learned about its driver."""

from typing import Annotated, Any

from vehicle_bus.car.car import Car
from vehicle_bus.car.schema import Schema
from vehicle_bus.car.state import Preferences
from vehicle_bus.car.tool import tool

CATEGORIES: Schema = {
    "properties": {
        category: {"type": "object", "properties": {key: {"type": "boolean"} for key in kinds}}
        for category, kinds in Preferences().model_dump().items()
    }
}


@tool("get")
def get_user_preferences(
    car: Car, preference_categories: Annotated[dict[str, Any], CATEGORIES]
) -> dict[str, Any]:
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


def _wanted(kinds: dict[str, bool], known: dict[str, Any]) -> list[str]:
    return [kind for kind, wanted in kinds.items() if wanted and kind in known]
