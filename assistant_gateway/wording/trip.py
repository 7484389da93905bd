"""How an assistant speaks about places, routes, the trip and its charging stops."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assistant_gateway.wording.atlas import Atlas
from assistant_gateway.wording.spoken import duration, enumerated, kilometres
from vehicle_bus.world.world import Row

Arguments = Mapping[str, Any]
Phrase = tuple[str, str]  # a verb and the rest: ("open", "the sunroof to 50 percent")

KINDS = {
    "airports": "airport",
    "bakery": "bakery",
    "charging_stations": "charging station",
    "fast_food": "fast food place",
    "parking": "car park",
    "public_toilets": "public toilets",
    "restaurants": "restaurant",
    "supermarkets": "supermarket",
}
OTHER_ROUTES = "There are other routes for each leg, just ask."


def place_name(place_id: str, world: Atlas) -> str:
    """`Graz`, or `the bakery Brotwerk Auerbruch`."""
    location = world.location(place_id)
    if location is not None:
        return str(location["name"])
    poi = world.poi(place_id)
    return poi_name(poi) if poi is not None else "that place"


def poi_name(poi: Row) -> str:
    kind, name = KINDS[poi["category"]], str(poi["name"])
    return name if kind in name.lower() else f"the {kind} {name}"


def _place(place_id: str, world: Atlas) -> str:
    """`Graz`, or `the bakery` where its name has been told."""
    poi = world.poi(place_id)
    return f"the {KINDS[poi['category']]}" if poi is not None else place_name(place_id, world)


def stop_name(place_id: str, world: Atlas) -> str:
    """`the stop in Graz`, `the stop at the bakery Brotwerk Auerbruch`."""
    return f"the stop {_at(place_id, world)}"


def _at(place_id: str, world: Atlas) -> str:
    where = "in" if world.location(place_id) is not None else "at"
    return f"{where} {place_name(place_id, world)}"


def trip_name(waypoints: Sequence[str], world: Atlas) -> str:
    """`to Turin with a stop in Lucerne`, for the waypoints behind the start."""
    *stops, destination = waypoints
    places = [_at(stop, world) for stop in stops]
    with_stops = f" with a stop {enumerated(places)}" if places else ""
    return f"to {place_name(destination, world)}{with_stops}"


# --- changes


def _new_trip(given: Arguments, world: Atlas) -> Phrase:
    routes = [world.route(route_id) for route_id in given["route_ids"]]
    waypoints = [route["destination_id"] for route in routes if route is not None]
    return "start", f"the navigation {trip_name(waypoints, world)}" if waypoints else "nothing"


def _added(given: Arguments, world: Atlas) -> Phrase:
    new = given["waypoint_id_to_add"]
    if given.get("waypoint_id_after_new_waypoint") is None:
        return "add", f"{place_name(new, world)} as the new destination"
    return "add", f"a stop {_at(new, world)}"


def _replaced(given: Arguments, world: Atlas) -> Phrase:
    old, new = given["waypoint_id_to_replace"], given["new_waypoint_id"]
    return "replace", f"{stop_name(old, world)} with one {_at(new, world)}"


TRIP_PHRASES: Mapping[str, Callable[[Arguments, Atlas], Phrase]] = {
    "set_new_navigation": _new_trip,
    "delete_current_navigation": lambda given, world: ("stop", "the navigation"),
    "navigation_add_one_waypoint": _added,
    "navigation_replace_one_waypoint": _replaced,
    "navigation_replace_final_destination": lambda given, world: (
        "change",
        f"the destination to {place_name(given['new_destination_id'], world)}",
    ),
    "navigation_delete_waypoint": lambda given, world: (
        "remove",
        stop_name(given["waypoint_id_to_delete"], world),
    ),
    "navigation_delete_destination": lambda given, world: (
        "remove",
        f"{place_name(given['destination_id_to_delete'], world)} from the trip",
    ),
    "set_charge_limit": lambda given, world: (
        "set",
        f"the charge limit to {given['limit_percent']:g} percent",
    ),
}


# --- routes


def minutes_of(route: Row) -> int:
    return int(60 * route["duration_hours"] + route["duration_minutes"])


def which_route(route: Row) -> str:
    """`the fastest route`, `the fastest and shortest route`, `the third route`."""
    alias = route.get("alias", ())
    other = [name for name in ("first", "second", "third") if name in alias]
    return f"the {other[0]} route" if other and not _merits(route) else route_taken(route)


def route_taken(route: Row) -> str:
    """`the fastest route`; `the route` where it is just one of several."""
    return " ".join(["the", *_merits(route), "route"])


def _merits(route: Row) -> list[str]:
    best = [name for name in ("fastest", "shortest") if name in route.get("alias", ())]
    return [" and ".join(best)] if best else []


def route_told(route: Row) -> str:
    """`via A10 and A22, 236 kilometres in 2 hours and 31 minutes, with tolls`."""
    streets = enumerated([street.strip() for street in route["name_via"].split(",")])
    tolls = "with tolls" if route["includes_toll"] else "without tolls"
    length = f"{kilometres(route['distance_km'])} in {duration(minutes_of(route))}"
    return f"via {streets}, {length}, {tolls}"


def legs_told(route_ids: Sequence[str], world: Atlas) -> str:
    """A sentence per leg, and that each could go another way; empty without legs."""
    routes = [route for route in map(world.route, route_ids) if route is not None]
    if len(routes) < 2:
        return "".join(_goes(route_taken(route), route) for route in routes)
    told = [
        _goes(f"{route_taken(route)} to {_place(route['destination_id'], world)}", route)
        for route in routes
    ]
    return " ".join([*told, OTHER_ROUTES])


def _goes(subject: str, route: Row) -> str:
    return f"{subject[0].upper()}{subject[1:]} goes {route_told(route)}."
