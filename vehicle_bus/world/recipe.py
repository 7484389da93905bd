"""Routes between a city and a place, worked out from a city-to-city route."""

import math
from typing import NamedTuple

from vehicle_bus.world.json_lines import Row

DETOUR_KPH = 50
ALIASES = (["fastest", "first"], ["second"], ["third"])


class Recipe(NamedTuple):
    """A route between a city and a place, made from a city-to-city route."""

    route_id: str
    start_id: str
    destination_id: str
    base_route_id: str
    alternative: int
    fraction: float | None
    detour_km: float

    @classmethod
    def read(cls, row: Row) -> "Recipe":
        return cls(
            row["route_id"],
            row["start_id"],
            row["destination_id"],
            row["base_route_id"],
            row["route_alternative"],
            row.get("fraction"),
            row.get("detour_distance_km", 0.0),
        )

    def route(self, base: Row) -> Row:
        """The route row, with `base_route_id` in addition; 60 as minutes does occur."""
        share = 1.0 if self.fraction is None else self.fraction
        base_minutes = 60 * base["duration_hours"] + base["duration_minutes"]
        minutes = base_minutes * share + self.detour_km / DETOUR_KPH * 60
        return {
            "route_id": self.route_id,
            "start_id": self.start_id,
            "destination_id": self.destination_id,
            "name_via": base["name_via"],
            "distance_km": round(base["distance_km"] * share + self.detour_km, 2),
            "duration_hours": math.floor(minutes / 60),
            "duration_minutes": math.ceil(minutes % 60),
            "road_types": base["road_types"],
            "includes_toll": base["includes_toll"],
            "alias": base.get("alias") or ALIASES[self.alternative],
            "base_route_id": self.base_route_id,
        }
