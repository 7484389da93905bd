"""Stops on the way of an active navigation: one more, another one, one less."""

from typing import Any

from vehicle_bus.car.car import Car
from vehicle_bus.car.tool import BadArguments, Errors, Refused, tool
from vehicle_bus.car.trip import Trip
from vehicle_bus.tools.identifiers import check_places, check_routes, known_route
from vehicle_bus.tools.navigation import require_active, steer, trip_of
from vehicle_bus.world.world import Row

NOT_ADDED = Errors("NAV_ADD_WP", "NavigationAddOneWaypoint", has_status=False)
NOT_REPLACED = Errors("NAVIGATION_REPLACE_ONE_WAYPOINT", "NavigationReplaceOneWaypoint")
NOT_DELETED = Errors("NAVIGATION_DELETE_WAYPOINT", "NavigationDeleteOneWaypoint")
NO_STOP = "is the start or the destination, not a stop on the way"


@tool("set")
def navigation_add_one_waypoint(
    car: Car,
    waypoint_id_to_add: str,
    waypoint_id_before_new_waypoint: str,
    route_id_leading_to_new_waypoint: str,
    waypoint_id_after_new_waypoint: str | None = None,
    route_id_leading_away_from_new_waypoint: str | None = None,
) -> dict[str, Any]:
    """Add a stop to the active navigation: between two waypoints, or as new destination.

    To extend the trip beyond its destination leave out what comes after. One edit at a time.

    Args:
        waypoint_id_to_add: Id of the location or point of interest to stop at.
        waypoint_id_before_new_waypoint: Id of the waypoint before the new one.
        waypoint_id_after_new_waypoint: Id of the waypoint that then follows the new one.
        route_id_leading_to_new_waypoint: Id of the route from the waypoint before to the new one.
        route_id_leading_away_from_new_waypoint: Id of the route from the new one to the next.
    """
    new, before = waypoint_id_to_add, waypoint_id_before_new_waypoint
    after = waypoint_id_after_new_waypoint
    to_id, away_id = route_id_leading_to_new_waypoint, route_id_leading_away_from_new_waypoint
    check_places(NOT_ADDED, 1, new, before, *([after] if after is not None else []))
    check_routes(NOT_ADDED, 4, to_id, *([away_id] if away_id is not None else []))
    require_active(car, NOT_ADDED, 6)
    trip = trip_of(car)
    at = _before_the_new_one(car, trip, before, after)
    is_complete = after is not None and away_id is not None
    if not is_complete and at != trip.last:
        raise NOT_ADDED(8, f"{before} is not the last waypoint, so say what comes after the new")
    if after is not None and trip.following(at) != after:
        raise NOT_ADDED(9, f"{after} does not follow {before}")
    route_to = known_route(car, NOT_ADDED, 9, to_id)
    route_away = known_route(car, NOT_ADDED, 10, away_id) if away_id is not None else None
    _check_start(NOT_ADDED, 11, route_to, before)
    _check_end(NOT_ADDED, 12, route_to, new)
    if route_away is None:
        longer = trip.extended(new, to_id)
    else:
        _check_start(NOT_ADDED, 13, route_away, new)
        _check_end(NOT_ADDED, 14, route_away, after)
        longer = trip.with_stopover(at, new, to_id, route_away["route_id"])
    steered = steer(car, longer)
    return {
        "waypoint_added": True,
        "new_waypoints_id": steered["new_waypoints"],
        "new_routes_id": steered["new_routes"],
    }


@tool("set")
def navigation_replace_one_waypoint(
    car: Car,
    waypoint_id_to_replace: str,
    new_waypoint_id: str,
    route_id_leading_to_new_waypoint: str,
    route_id_leading_away_from_new_waypoint: str,
) -> dict[str, Any]:
    """Replace a stop on the way of the active navigation; start and destination stay.

    One edit at a time.

    Args:
        waypoint_id_to_replace: Id of the present stop.
        new_waypoint_id: Id of the location or point of interest to stop at instead.
        route_id_leading_to_new_waypoint: Id of the route from the waypoint before to the new one.
        route_id_leading_away_from_new_waypoint: Id of the route from the new one to the next.
    """
    old, new = waypoint_id_to_replace, new_waypoint_id
    to_id, away_id = route_id_leading_to_new_waypoint, route_id_leading_away_from_new_waypoint
    check_places(NOT_REPLACED, 1, old, new)
    check_routes(NOT_REPLACED, 3, to_id, away_id)
    require_active(car, NOT_REPLACED, 5)
    route_to = known_route(car, NOT_REPLACED, 6, to_id)
    route_away = known_route(car, NOT_REPLACED, 7, away_id)
    _check_end(NOT_REPLACED, 8, route_to, new)
    _check_start(NOT_REPLACED, 9, route_away, new)
    trip = trip_of(car)
    if "Q22" in car.compat and new in _ends(trip):
        raise NOT_REPLACED(10, f"{new} is the start or the destination already")
    positions = _positions(trip, NOT_REPLACED, 11, old)
    if "Q22" not in car.compat:
        positions = _stops(trip, positions, NOT_REPLACED(10, f"{old} {NO_STOP}"))
    at = _the_one(car, trip, positions, route_to["start_id"], route_away["destination_id"])
    _check_start(NOT_REPLACED, 12, route_to, trip.waypoints[at - 1])
    _check_end(NOT_REPLACED, 13, route_away, _following(trip, at))
    return {"waypoint_replaced": True, **steer(car, trip.with_other(at, new, to_id, away_id))}


@tool("set")
def navigation_delete_waypoint(
    car: Car, waypoint_id_to_delete: str, route_id_without_waypoint: str
) -> dict[str, Any]:
    """Take a stop on the way out of the active navigation; start and destination stay.

    One edit at a time.

    Args:
        waypoint_id_to_delete: Id of the stop.
        route_id_without_waypoint: Id of the route from the waypoint before to the one after it.
    """
    old, route_id = waypoint_id_to_delete, route_id_without_waypoint
    check_places(NOT_DELETED, 1, old)
    check_routes(NOT_DELETED, 2, route_id)
    require_active(car, NOT_DELETED, 3)
    route = known_route(car, NOT_DELETED, 4, route_id)
    trip = trip_of(car)
    positions = _positions(trip, NOT_DELETED, 5, old)
    is_end = NOT_DELETED(8, f"{old} {NO_STOP}")
    if "Q23" not in car.compat:
        positions = _stops(trip, positions, is_end)
    at = _the_one(car, trip, positions, route["start_id"], route["destination_id"])
    _check_end(NOT_DELETED, 6, route, _following(trip, at))
    _check_start(NOT_DELETED, 7, route, trip.waypoints[at - 1])
    if "Q23" in car.compat and old in _ends(trip):
        raise is_end
    return {"waypoint_deleted": True, **steer(car, trip.without(at, route_id))}


def _before_the_new_one(car: Car, trip: Trip, before: str, after: str | None) -> int:
    """Which of the waypoints of that name is meant: the one with the right one behind it."""
    positions = _positions(trip, NOT_ADDED, 7, before)
    if "Q25" in car.compat:
        return positions[0]
    return next((at for at in positions if trip.following(at) == after), positions[0])


def _the_one(car: Car, trip: Trip, positions: list[int], before: str, after: str) -> int:
    """Which of several stops at the same place is meant: the one between these two."""
    if "Q25" in car.compat:
        return positions[0]
    between = (
        at for at in positions if (trip.waypoints[at - 1], trip.following(at)) == (before, after)
    )
    return next(between, positions[0])


def _positions(trip: Trip, errors: Errors, number: int, waypoint: str) -> list[int]:
    positions = trip.positions(waypoint)
    if not positions:
        raise errors(number, f"{waypoint} is no waypoint of this trip")
    return positions


def _stops(trip: Trip, positions: list[int], is_end: Refused) -> list[int]:
    """Those that are stops on the way; the error if there is none."""
    stops = [position for position in positions if trip.is_stopover(position)]
    if not stops:
        raise is_end
    return stops


def _following(trip: Trip, position: int) -> str:
    following = trip.following(position)
    if following is None:
        raise BadArguments(f"nothing comes after {trip.waypoints[position]}")
    return following


def _ends(trip: Trip) -> tuple[str, str]:
    if not trip.waypoints:
        raise BadArguments("the navigation has no waypoints")
    return trip.waypoints[0], trip.waypoints[-1]


def _check_start(errors: Errors, number: int, route: Row, place_id: str) -> None:
    if route["start_id"] != place_id:
        raise errors(number, f"{route['route_id']} does not start at {place_id}")


def _check_end(errors: Errors, number: int, route: Row, place_id: str | None) -> None:
    if route["destination_id"] != place_id:
        raise errors(number, f"{route['route_id']} does not end at {place_id or 'a next waypoint'}")
