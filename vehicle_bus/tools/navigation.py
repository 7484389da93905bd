"""The trip as a whole: what it is, a new one, another destination, none."""

from dataclasses import asdict
from typing import Any

from vehicle_bus.car.car import Car
from vehicle_bus.car.tool import BadArguments, Errors, tool
from vehicle_bus.car.trip import Trip
from vehicle_bus.tools.identifiers import check_places, check_routes
from vehicle_bus.tools.routes import shown
from vehicle_bus.world.world import Row, place

NOT_SET = Errors("SET_NAVIGATION", "SetNewNavigation")
NOT_REPLACED = Errors("NAVIGATION_REPLACE_ONE_WAYPOINT", "NavigationReplaceFinalDestination")
NOT_DELETED = Errors("NAVIGATION_DELETE_DESTINATION", "NavigationDeleteFinalDestination")
INACTIVE = "AUT-POL:017"
LAST_STOP = "AUT-POL:019"
NOTHING_TO_EDIT = "no navigation is active, so there is nothing to edit; set a new one"


@tool("get")
def get_current_navigation_state(car: Car, detailed_information: bool = False) -> dict[str, Any]:
    """Tell whether the navigation is active, its waypoints from start to destination, its routes.

    Args:
        detailed_information: Tell all that is known about the waypoints and routes in addition.
    """
    state = car.state
    result = {
        "navigation_active": state.navigation_active,
        "waypoints_id": list(state.waypoints_id),
        "routes_to_final_destination_id": list(state.routes_to_final_destination_id),
    }
    if not detailed_information:
        return result
    details: dict[str, Any] = {
        "waypoints": [_place(car, place_id) for place_id in state.waypoints_id],
        "routes": [_route(car, route_id) for route_id in state.routes_to_final_destination_id],
    }
    if car.progress is not None:
        details["progress"] = asdict(car.progress)
    return {**result, "details": details}


@tool("set", loose=("route_ids",))
def set_new_navigation(car: Car, route_ids: list[str]) -> dict[str, Any]:
    """Start the navigation.

    Only possible while no navigation is active; an active one is edited or deleted first.

    Args:
        route_ids: Ids of one route, or of several that follow each other, in the order of the trip.
    """
    if car.state.navigation_active:
        raise NOT_SET(1, "the navigation is active already; edit it, or delete it first")
    if not route_ids and isinstance(route_ids, list | str | dict):
        if "Q18" in car.compat:
            car.set(navigation_active=True, waypoints_id=(), routes_to_final_destination_id=())
        raise BadArguments("route_ids must hold at least one route")
    if not isinstance(route_ids, list) or not all(isinstance(one, str) for one in route_ids):
        raise BadArguments("route_ids must be a list of ids")
    routes = _following_each_other(car, route_ids)
    waypoints = (routes[0]["start_id"], *(route["destination_id"] for route in routes))
    car.set(
        navigation_active=True,
        waypoints_id=waypoints,
        routes_to_final_destination_id=tuple(route_ids),
    )
    return {
        "navigation_set": True,
        "start_id": waypoints[0],
        "waypoints": list(waypoints),
        "destination_id": waypoints[-1],
    }


@tool("set")
def navigation_replace_final_destination(
    car: Car, new_destination_id: str, route_id_leading_to_new_destination: str
) -> dict[str, Any]:
    """Lead the active navigation to another destination; the stops on the way stay.

    Args:
        new_destination_id: Id of the location or point of interest to go to instead.
        route_id_leading_to_new_destination: Id of the route there from the waypoint before it.
    """
    route_id = route_id_leading_to_new_destination
    check_places(NOT_REPLACED, 1, new_destination_id)
    check_routes(NOT_REPLACED, 2, route_id)
    require_active(car, NOT_REPLACED, 3)
    route = car.world.route(route_id)
    if route is None:
        raise NOT_REPLACED(5, f"there is no route {route_id}", code=_code(4))
    if route["destination_id"] != new_destination_id:
        raise NOT_REPLACED(6, f"{route_id} does not end at {new_destination_id}", code=_code(5))
    trip = trip_of(car)
    if trip.last < 1:
        raise BadArguments("the navigation has no destination that could be replaced")
    if new_destination_id == trip.waypoints[0] and "Q24" in car.compat:
        raise NOT_REPLACED(8, f"the trip starts at {new_destination_id}", code=_code(6))
    if route["start_id"] != trip.waypoints[-2]:
        raise NOT_REPLACED(10, f"{route_id} does not start at {trip.waypoints[-2]}", code=_code(7))
    return {
        "destination_replaced": True,
        **steer(car, trip.redirected(new_destination_id, route_id)),
    }


@tool("set")
def navigation_delete_destination(car: Car, destination_id_to_delete: str) -> dict[str, Any]:
    """Let the active navigation end at the last stop on the way.

    A trip without stops on the way keeps its destination; delete the whole navigation instead.

    Args:
        destination_id_to_delete: Id of the present destination.
    """
    check_places(NOT_DELETED, 1, destination_id_to_delete)
    require_active(car, NOT_DELETED, 2)
    trip = trip_of(car)
    if trip.last < 2:
        text = "a trip without stops on the way keeps its destination"
        raise NOT_DELETED(3, text, code=LAST_STOP)
    if destination_id_to_delete != trip.waypoints[-1]:
        raise NOT_DELETED(4, f"the destination is {trip.waypoints[-1]}")
    return {"destination_deleted": True, **steer(car, trip.shortened())}


@tool("set")
def delete_current_navigation(car: Car) -> dict[str, Any]:
    """Stop the navigation and forget its waypoints and routes."""
    car.set(navigation_active=False)
    return {"navigation_active": False, **steer(car, Trip())}


def trip_of(car: Car) -> Trip:
    state = car.state
    return Trip(state.waypoints_id, state.routes_to_final_destination_id, state.navigation_active)


def steer(car: Car, trip: Trip) -> dict[str, Any]:
    """Follow another trip; returns what most tools answer about it."""
    car.set(waypoints_id=trip.waypoints, routes_to_final_destination_id=trip.routes)
    return {"new_waypoints": list(trip.waypoints), "new_routes": list(trip.routes)}


def require_active(car: Car, errors: Errors, number: int) -> None:
    if not car.state.navigation_active:
        raise errors(number, NOTHING_TO_EDIT, code=INACTIVE)


def _following_each_other(car: Car, route_ids: list[str]) -> list[Row]:
    routes: list[Row] = []
    for route_id in route_ids:
        is_first = not routes
        if is_first or "Q19" not in car.compat:
            check_routes(NOT_SET, 2, route_id)
        route = car.world.route(route_id)
        if route is None:
            text = f"there is no route {route_id}"
            if is_first and "Q19" in car.compat:
                raise BadArguments(text)
            raise NOT_SET(3 if is_first else 4, text)
        if routes and routes[-1]["destination_id"] != route["start_id"]:
            before = routes[-1]["route_id"]
            raise NOT_SET(5, f"{route_id} does not start where {before} ends")
        routes.append(route)
    return routes


def _place(car: Car, place_id: str) -> Row | None:
    if place_id[:4] not in ("loc_", "poi_"):
        return {"id": place_id, "error": "not the id of a place"}
    return place(car.world, place_id)


def _route(car: Car, route_id: str) -> Row:
    route = car.world.route(route_id)
    return shown(car, route) if route else {"id": route_id, "error": "there is no such route"}


def _code(number: int) -> str:
    return f"{NOT_REPLACED.code}_{number:03}"
