"""Points of interest, and places by name."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from vehicle_bus.car.car import Car
from vehicle_bus.car.tool import BadArguments, Errors, Refused, number, tool
from vehicle_bus.tools.identifiers import check_places, check_routes, known_route
from vehicle_bus.world.places import (
    BY_DISTANCE,
    CATEGORIES,
    CHARGING,
    Category,
    LocationFilter,
    RouteFilter,
    passes,
)
from vehicle_bus.world.world import CLOSEST_NAME, Row, edit_distance

WITHIN_KM = 25
SHOWN = 3
ROUTES_TO = "; from here there are routes to "
# Real towns that differ by a letter or two from one that a map may have.
OTHER_TOWNS = frozenset(
    {"bamberg", "bern", "bonn", "cologne", "freiberg", "genoa", "harburg", "homburg", "lienz"}
    | {"limburg", "marburg", "rostov"}
)
FILTERS = ("any::currently_open", f"{CHARGING}::has_available_plug", f"{CHARGING}::has_dc_plug")
UNUSABLE_AT = Errors("SEARCH_POI_AT_LOC", "SearchPoiAtLocation")
UNKNOWN_AT = Errors("SEARCH_POI_AT_LOC", "SearchPoiAtLocation", has_status=False)
UNUSABLE_ALONG = Errors("SEARCH_POI_ATR", "SearchPoiAlongTheRoute", has_status=False)
UNKNOWN_NAME = Errors("GET_LOCATION_ID_BY_LOCATION_NAME", "GetLocationIdByLocationName")


@dataclass(frozen=True, slots=True)
class Stop:
    """A place along a route and what it costs to go there."""

    poi: Row
    detour_km: float
    detour_minutes: int

    def row(self) -> Row:
        hours, minutes = divmod(self.detour_minutes, 60)
        return {
            **self.poi,
            "detour_from_route_km": {"detour": self.detour_km, "unit": "km"},
            "detour_from_route_time": {"hour": hours, "minutes": minutes},
        }


@tool("get", unchecked=("category_poi", "filters"))
def search_poi_at_location(
    car: Car,
    location_id: str,
    category_poi: Category,
    filters: list[LocationFilter] | None = None,
) -> dict[str, Any]:
    """Find all points of interest in a location.

    Args:
        location_id: Id of the location.
        category_poi: What kind of place.
        filters: What must hold for a place; several must hold together.
    """
    check_places(UNUSABLE_AT, 1, location_id, what="a location")
    if not isinstance(category_poi, str) or not category_poi:
        raise Refused("SEARCH_POI_AT_LOC_003", "name a category", logged=False)
    _check_category(car, category_poi)
    found = car.world.pois_at(location_id, category_poi)
    if filters:
        wrong = _wrong_filter(car, filters, category_poi, has_order="Q31" in car.compat)
        if wrong:
            raise UNUSABLE_AT(3, wrong)
        found = [poi for poi in found if passes(poi, filters, _minute_of_day(car))]
    if not found and car.world.location(location_id) is None:
        raise UNKNOWN_AT(4, f"there is no location {location_id}")
    return {"pois_found": list(found)}


@tool("get", unchecked=("category_poi", "at_kilometer", "filters"), heavy=True)
def search_poi_along_the_route(
    car: Car,
    route_id: str,
    category_poi: Category,
    at_kilometer: int | None = None,
    filters: list[RouteFilter] | None = None,
) -> dict[str, Any]:
    """Find up to three points of interest along a route between two locations.

    Each comes with the kilometres and the time that going there adds to the route. The shortest
    additional time comes first.

    Args:
        route_id: Id of a route that starts and ends at a location.
        category_poi: What kind of place.
        at_kilometer: Search around this kilometre of the route. Needed for charging stations.
        filters: What must hold for a place, or that the additional distance decides the order.
    """
    route = _route_to_search(car, route_id, category_poi, at_kilometer)
    if "Q31" not in car.compat:
        _check_filters_along(car, filters, category_poi)
    kilometre = None if at_kilometer is None else number("at_kilometer", at_kilometer, car.compat)
    candidates = car.world.pois_along(route_id, category_poi, kilometre, WITHIN_KM)
    if not candidates:
        if not car.world.has_category(category_poi):
            raise UNUSABLE_ALONG(7, f"there are no places of the category {category_poi}")
        return {"pois_found_along_route": []}
    stops = list(_stops(car, route, candidates))
    _check_filters_along(car, filters, category_poi)
    wanted: Sequence[str] = filters or ()
    now = _minute_of_day(car)
    fitting = [stop for stop in stops if passes(stop.poi, wanted, now)]
    if BY_DISTANCE in wanted:
        fitting.sort(key=lambda stop: stop.detour_km)
    else:
        fitting.sort(key=lambda stop: stop.detour_minutes)
    return {"pois_found_along_route": [stop.row() for stop in fitting[:SHOWN]]}


@tool("get", unchecked=("location",))
def get_location_id_by_location_name(car: Car, location: str) -> dict[str, Any]:
    """Find the id of a location by its English name; small slips of spelling are forgiven.

    Args:
        location: Name of the location.
    """
    if not isinstance(location, str) or not location:
        raise UNKNOWN_NAME(2, "give the name of a location")
    found = car.world.location_named(location)
    as_published = "Q35" in car.compat
    if found is not None and (as_published or not _is_another_name(location, found["name"])):
        return {"id": found["id"]}
    text = f"there is no location called {location}, nor nearly so"
    raise UNKNOWN_NAME(4, text if as_published else f"{text}{_what_is_near(car)}")


def _is_another_name(wanted: str, name: str) -> bool:
    """Whether it names another town: too many wrong letters, or a known name of its own."""
    said, meant = wanted.lower(), name.lower()
    wrong = edit_distance(said, meant, CLOSEST_NAME)
    begins_otherwise = wrong == CLOSEST_NAME and said[0] != meant[0]
    return begins_otherwise or 3 * wrong > len(said) or (wrong > 0 and said in OTHER_TOWNS)


def _what_is_near(car: Car) -> str:
    """`; from here there are routes to Salzburg, Innsbruck and Linz`; empty without routes."""
    here = car.context.current_location
    near = car.world.destinations(here.id, here.position.model_dump())[:SHOWN]
    names = [row["name"] for row in near]
    return f"{ROUTES_TO}{', '.join(names)}" if names else ""


def _route_to_search(car: Car, route_id: str, category: Any, at_kilometer: Any) -> Row:
    check_routes(UNUSABLE_ALONG, 2, route_id)
    if not isinstance(category, str) or not category:
        raise UNUSABLE_ALONG(3, "name a category")
    _check_category(car, category)
    if category.strip().lower() == CHARGING and at_kilometer is None:
        raise UNUSABLE_ALONG(7, "a search for charging stations needs at_kilometer")
    route = known_route(car, UNUSABLE_ALONG, 4, route_id)
    if not (route["start_id"].startswith("loc_") and route["destination_id"].startswith("loc_")):
        raise UNUSABLE_ALONG(6, f"{route_id} does not lead from a location to a location")
    return route


def _check_category(car: Car, category: str) -> None:
    if "Q34" not in car.compat and category not in CATEGORIES:
        choices = ", ".join(sorted(CATEGORIES))
        raise BadArguments(f"category_poi must be one of {choices}, not {category}")


def _check_filters_along(car: Car, filters: Any, category: str) -> None:
    wrong = _wrong_filter(car, filters, category, has_order=True) if filters else None
    if wrong:
        raise Refused("SEARCH_POI_ATR_006", wrong, logged=False)


def _wrong_filter(car: Car, filters: Any, category: str, *, has_order: bool) -> str | None:
    """What is wrong with the filters; None if they can be used."""
    known = (*FILTERS, BY_DISTANCE) if has_order else FILTERS
    if not isinstance(filters, list) or any(wanted not in known for wanted in filters):
        return f"filters must be a list of {', '.join(known)}"
    if "Q31" not in car.compat and category != CHARGING:
        of_plugs = [wanted for wanted in filters if wanted.startswith(CHARGING)]
        if of_plugs:
            return f"{', '.join(of_plugs)} cannot be asked of {category}"
    return None


def _stops(car: Car, route: Row, candidates: Sequence[Row]) -> Iterator[Stop]:
    """The places that can be reached on the way."""
    for poi in candidates:
        noted = car.world.stored_detour(poi["id"], route["route_id"])
        if noted is not None:
            duration = noted["detour_from_route_time"]
            minutes = 60 * duration["hour"] + duration["minutes"]
            yield Stop(poi, noted["detour_from_route_km"]["detour"], minutes)
            continue
        to_poi = car.world.routes(route["start_id"], poi["id"])
        from_poi = car.world.routes(poi["id"], route["destination_id"])
        if to_poi and from_poi:
            yield _stop(route, poi, _part_of(route, to_poi), _part_of(route, from_poi))


def _part_of(route: Row, alternatives: Sequence[Row]) -> Row:
    for part in alternatives:
        if part.get("base_route_id") == route["route_id"]:
            return part
    text = f"there is a place along {route['route_id']} that the route does not lead to"
    raise Refused("SEARCH_POI_ATR_005", text, logged=False)


def _stop(route: Row, poi: Row, first: Row, second: Row) -> Stop:
    detour_km = first["distance_km"] + second["distance_km"] - route["distance_km"]
    detour_minutes = _minutes(first) + _minutes(second) - _minutes(route)
    return Stop(poi, round(max(0, detour_km), 1), max(0, detour_minutes))


def _minutes(route: Row) -> int:
    return int(60 * route["duration_hours"] + route["duration_minutes"])


def _minute_of_day(car: Car) -> int:
    now = car.context.current_datetime
    return 60 * now.hour + now.minute
