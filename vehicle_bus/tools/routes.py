"""Routes between two points, and how far one gets on them in some time."""

from typing import Any

from vehicle_bus.car.car import Car
from vehicle_bus.car.tool import BadArguments, Errors, Refused, counts_as_number, tool
from vehicle_bus.tools.identifiers import check_places, check_routes, known_route
from vehicle_bus.world.world import Row

NO_ROUTES = Errors("GET_ROUTES", "GetRoutes")
NOT_CONVERTED = Errors("CONVERT_RTDT", "ConvertRouteDistanceIntoTime")
NUMBER_OF_KIND = {("loc", "loc"): 4, ("loc", "poi"): 5, ("poi", "loc"): 6}


@tool("get")
def get_routes_from_start_to_destination(
    car: Car, start_id: str, destination_id: str
) -> dict[str, Any]:
    """Tell the alternative routes between two points, the fastest first.

    One of the points may be a point of interest, not both. A route has streets, kilometres,
    duration, road types, and whether it costs toll.

    Args:
        start_id: Id of the location or point of interest to start from.
        destination_id: Id of the location or point of interest to go to.
    """
    check_places(NO_ROUTES, 1, start_id, what="a place to start from")
    check_places(NO_ROUTES, 2, destination_id, what="a place to go to")
    kind = (start_id[:3], destination_id[:3])
    if kind == ("poi", "poi"):
        raise NO_ROUTES(3, "routes start or end at a location, not at two points of interest")
    found = car.world.routes(start_id, destination_id)
    if not found:
        text = f"there is no route from {start_id} to {destination_id}"
        raise Refused(f"GET_ROUTES_{NUMBER_OF_KIND[kind]:03}", text)
    return {"routes": [shown(car, route) for route in found]}


def shown(car: Car, route: Row) -> Row:
    """A route as tools tell it: an hour, but under Q29, where the world says 60 minutes."""
    hours, minutes = route["duration_hours"], route["duration_minutes"]
    if minutes < 60 or "Q29" in car.compat:
        return route
    return {**route, "duration_hours": hours + minutes // 60, "duration_minutes": minutes % 60}


@tool("get", unchecked=("time_minutes", "distance_km"))
def convert_route_distance_and_time(
    car: Car, route_id: str, time_minutes: int | None = None, distance_km: int | None = None
) -> dict[str, Any]:
    """Tell how far one gets on a route in some time, or how long some distance takes.

    Args:
        route_id: Id of the route.
        time_minutes: Minutes from the start of the route; leave out distance_km then.
        distance_km: Kilometres from the start of the route; leave out time_minutes then.
    """
    check_routes(NOT_CONVERTED, 1, route_id)
    if time_minutes is not None and distance_km is not None:
        raise NOT_CONVERTED(2, "give time_minutes or distance_km, not both")
    if time_minutes is None and distance_km is None:
        raise NOT_CONVERTED(3, "give time_minutes or distance_km")
    route = known_route(car, NOT_CONVERTED, 4, route_id)
    total_minutes = 60 * route["duration_hours"] + route["duration_minutes"]
    total_km = route["distance_km"]
    if total_minutes <= 0 or total_km <= 0:
        raise NOT_CONVERTED(11, f"{route_id} has no length")
    if time_minutes is not None:
        minutes = _amount(car, "time_minutes", time_minutes)
        if minutes > total_minutes:
            raise NOT_CONVERTED(5, f"{route_id} only takes {total_minutes} minutes")
        return {"distance_km": round(minutes / total_minutes * total_km, 1)}
    kilometres = _amount(car, "distance_km", distance_km)
    if kilometres > total_km:
        raise NOT_CONVERTED(6, f"{route_id} is only {total_km} km long")
    return {"time_minutes": round(kilometres / total_km * total_minutes, 1)}


def _amount(car: Car, name: str, given: Any) -> float:
    if not counts_as_number(given, car.compat):
        text = f"ConvertRouteDistanceIntoTime_007: {name} must be a number, not {given!r:.40}"
        raise Refused("CONVERT_RTDT_ERR", text)
    if given < 0 and "Q40" not in car.compat:
        raise BadArguments(f"{name} must not be negative, but is {given}")
    amount: float = given
    return amount
