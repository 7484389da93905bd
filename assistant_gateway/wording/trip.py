"""How an assistant speaks about places, routes, the trip and its charging stops."""

from collections.abc import Sequence
from typing import Protocol

from assistant_gateway.wording.spoken import duration, enumerated, kilometres, words
from vehicle_bus.world.world import Row

OTHER_ROUTES = "There are other routes for each leg, just ask."


class Atlas(Protocol):
    """Rows by id, None if not known: a world, or what an assistant has learned from its tools."""

    def location(self, location_id: str) -> Row | None: ...

    def poi(self, poi_id: str) -> Row | None: ...

    def route(self, route_id: str) -> Row | None: ...

    def contact(self, contact_id: str) -> Row | None: ...

    def contact_with_email(self, email: str) -> Row | None: ...


def place_name(place_id: str, world: Atlas) -> str:
    """`Graz`, or `the bakery Brotwerk Auerbruch`."""
    location = world.location(place_id)
    if location is not None:
        return str(location["name"])
    poi = world.poi(place_id)
    return poi_name(poi) if poi is not None else "that place"


def poi_name(poi: Row) -> str:
    kind, name = words("kinds")[poi["category"]], str(poi["name"])
    return name if kind in name.lower() else f"the {kind} {name}"


def _place(place_id: str, world: Atlas) -> str:
    """`Graz`, or `the bakery` where its name was already said."""
    poi = world.poi(place_id)
    return (
        f"the {words('kinds')[poi['category']]}" if poi is not None else place_name(place_id, world)
    )


def stop_name(place_id: str, world: Atlas) -> str:
    """`the stop in Graz`, `the stop at the bakery Brotwerk Auerbruch`."""
    return f"the stop {place_with_preposition(place_id, world)}"


def place_with_preposition(place_id: str, world: Atlas) -> str:
    """`in Graz`, `at the bakery Brotwerk Auerbruch`."""
    where = "in" if world.location(place_id) is not None else "at"
    return f"{where} {place_name(place_id, world)}"


def trip_name(waypoints: Sequence[str], world: Atlas) -> str:
    """`to Turin with a stop in Lucerne`, for the waypoints behind the start."""
    *stops, destination = waypoints
    places = [place_with_preposition(stop, world) for stop in stops]
    with_stops = f" with a stop {enumerated(places)}" if places else ""
    return f"to {place_name(destination, world)}{with_stops}"


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


def route_in_words(route: Row) -> str:
    """`via A10 and A22, 236 kilometres in 2 hours and 31 minutes, with tolls`."""
    streets = enumerated([street.strip() for street in route["name_via"].split(",")])
    tolls = "with tolls" if route["includes_toll"] else "without tolls"
    length = f"{kilometres(route['distance_km'])} in {duration(minutes_of(route))}"
    return f"via {streets}, {length}, {tolls}"


def legs_in_words(route_ids: Sequence[str], world: Atlas) -> str:
    """A sentence per leg, and that each could go another way; empty without legs."""
    routes = [route for route in map(world.route, route_ids) if route is not None]
    if len(routes) < 2:
        return "".join(_goes(route_taken(route), route) for route in routes)
    legs = [
        _goes(f"{route_taken(route)} to {_place(route['destination_id'], world)}", route)
        for route in routes
    ]
    return " ".join([*legs, OTHER_ROUTES])


def _goes(subject: str, route: Row) -> str:
    return f"{subject[0].upper()}{subject[1:]} goes {route_in_words(route)}."
