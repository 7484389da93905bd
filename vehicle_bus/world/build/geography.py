"""Distances and positions on the map, rounded so that every machine gets the same ones."""

from math import asin, cos, hypot, radians, sin, sqrt

from vehicle_bus.world.json_lines import Row

EARTH_KM = 6371.0
KM_PER_DEGREE = 111.2
PLACES = 4  # eleven metres


def straight_km(one: Row, other: Row) -> float:
    """The length of the great circle between two positions, to 100 m."""
    north, north_too = radians(one["latitude"]), radians(other["latitude"])
    east = radians(one["longitude"] - other["longitude"])
    half = sin((north - north_too) / 2) ** 2 + cos(north) * cos(north_too) * sin(east / 2) ** 2
    return round(2 * EARTH_KM * asin(sqrt(half)), 1)


def on_the_way(start: Row, destination: Row, share: float, places: int = PLACES) -> Row:
    """A position between two others, on the line that a flat map shows."""
    return {
        axis: round(start[axis] + (destination[axis] - start[axis]) * share, places)
        for axis in ("longitude", "latitude")
    }


def beside(position: Row, east_km: float, north_km: float) -> Row:
    """A position some kilometres from another."""
    degree_km = KM_PER_DEGREE * cos(radians(position["latitude"]))
    return {
        "longitude": round(position["longitude"] + east_km / degree_km, PLACES),
        "latitude": round(position["latitude"] + north_km / KM_PER_DEGREE, PLACES),
    }


def short_km(one: Row, other: Row) -> float:
    """The distance of two positions in the same city, to 10 m."""
    degree_km = KM_PER_DEGREE * cos(radians(one["latitude"]))
    east = (one["longitude"] - other["longitude"]) * degree_km
    north = (one["latitude"] - other["latitude"]) * KM_PER_DEGREE
    return round(hypot(east, north), 2)
