"""From what was said to a place, to the trip that is followed, and to one of several routes."""

import re
from collections.abc import Sequence
from typing import Any

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.rules.dialogue import (
    UNKNOWN,
    Declined,
    Dialogue,
    Lacking,
    Refused,
    Steps,
    require,
    rows,
    value,
)
from assistant_gateway.agents.rules.language.details import roads
from assistant_gateway.agents.rules.plans.asking import detail, liked, one_of, spoken_of
from assistant_gateway.agents.rules.wishes.trip import Choice, Goal, choice
from assistant_gateway.wording.findings import found, routes_in_short
from assistant_gateway.wording.spoken import enumerated, words
from assistant_gateway.wording.trip import minutes_of, place_name, poi_name
from vehicle_bus.car.trip import Trip
from vehicle_bus.world.places import is_open

ROUTES = "get_routes_from_start_to_destination"
NEEDED = ("name_via", "distance_km", "duration_hours", "duration_minutes", "includes_toll", "alias")
FASTEST = Choice("fastest")
STATE = "get_current_navigation_state"
BY_NAME = "get_location_id_by_location_name"
AT = "search_poi_at_location"
ALONG = "search_poi_along_the_route"
Row = dict[str, Any]
_MORE = re.compile(r"\b(?:others?|all of them|more|rest|alternatives?)\b", re.IGNORECASE)
ORDINALS = ("first", "second", "third")


def routes_between(dialogue: Dialogue, start: str, destination: str) -> Steps[list[Row]]:
    """All routes with all their fields; raises `Declined` if there are none."""
    if start == destination:
        raise Declined(f"That leads from {place_name(start, dialogue.known)} to itself.")
    try:
        result = yield from dialogue.look(ROUTES, start_id=start, destination_id=destination)
    except Refused as refused:
        there = place_name(destination, dialogue.known)
        raise Declined(f"I have found no route to {there}.") from refused
    routes = rows(result, ROUTES, "routes")
    for route in routes:
        require(route, f"{ROUTES}.routes", *NEEDED)
    if not routes:
        raise Declined(f"I have found no route to {place_name(destination, dialogue.known)}.")
    return routes


def one_route(
    dialogue: Dialogue, start: str, destination: str, wanted: Choice, *, usual: Choice | None = None
) -> Steps[Row]:
    """The route to take; `usual` is what the rules of the car say for want of a wish."""
    routes = yield from routes_between(dialogue, start, destination)
    if len(routes) == 1 and not wanted:
        return routes[0]
    if wanted and wanted.best != "ask":
        picked = picked_from(routes, wanted)
        if picked is not None:
            return picked
        there = place_name(destination, dialogue.known)
        raise Declined(f"I have found no such route to {there}.")
    if wanted.best != "ask":
        for liking in (yield from liked(dialogue, "navigation_and_routing", ("route_selection",))):
            picked = picked_from(routes, choice(liking))
            if picked is not None:
                return picked
        if usual is not None:
            return picked_from(routes, usual) or routes[0]
    return (yield from _chosen(dialogue, routes))


def _chosen(dialogue: Dialogue, routes: Sequence[Row]) -> Steps[Row]:
    """The route the driver wants; who asks for the others hears all of them in full."""
    every = found(ROUTES, {"routes": routes}, dialogue.known)
    for told in (routes_in_short(routes, dialogue.known), every):
        picked = yield from detail(
            dialogue,
            f"{told} Which route would you like?",
            lambda answer: picked_from(routes, _answered(answer)) or _asks_for_more(answer),
            routes[0],
        )
        if picked:
            return picked
    return routes[0]


def _asks_for_more(answer: str) -> Row | None:
    """An empty route where the driver wants to hear of the others."""
    return {} if _MORE.search(answer) else None


def picked_from(routes: Sequence[Row], wanted: Choice) -> Row | None:
    """The route that a choice names, None if it names none of them."""
    if wanted.roads:
        matching = [route for route in routes if wanted.roads <= _roads_of(route)]
        return min(matching, key=lambda route: len(_roads_of(route)), default=None)
    match wanted.best:
        case "fastest":
            return min(routes, key=minutes_of)
        case "shortest":
            return min(routes, key=lambda route: float(route["distance_km"]))
        case "toll_free":
            free = [route for route in routes if route.get("includes_toll") is False]
            return min(free, key=minutes_of) if free else None
        case "second" | "third" as ordinal:
            at = {"second": 1, "third": 2}[ordinal]
            return routes[at] if at < len(routes) else None
    return None


def _roads_of(route: Row) -> frozenset[str]:
    return roads(str(route.get("name_via", "")))


def _answered(answer: str) -> Choice:
    said = choice(answer)
    if said.best == "ask" and not said.roads:
        return Choice()
    if not said and re.search(r"\b(?:first|that) one\b|\bfirst\b", answer, re.IGNORECASE):
        return FASTEST
    return said


def trip(dialogue: Dialogue) -> Steps[Trip]:
    """The trip with all edits of this turn; names of its places are known afterwards."""
    if dialogue.trip is None:
        detailed = dialogue.offered.has(STATE, "detailed_information")
        result = yield from dialogue.look(
            STATE, **({"detailed_information": True} if detailed else {})
        )
        found = Trip(
            is_active=value(result, STATE, "navigation_active") is True,
            waypoints=_ids(value(result, STATE, "waypoints_id")),
            routes=_ids(value(result, STATE, "routes_to_final_destination_id")),
        )
        if found.is_active and result.get("details") == UNKNOWN:
            raise Lacking(f"result.{STATE}.details")
        dialogue.trip = dialogue.trip_before = found
    return dialogue.trip


def _ids(found: object) -> tuple[str, ...]:
    return tuple(str(place) for place in found) if isinstance(found, list) else ()


def location(dialogue: Dialogue, name: str | None) -> Steps[str]:
    """The id of a town; without a name, where the car is."""
    here = dialogue.situation
    if name == "home":
        raise Declined("I don't know where that is, but I can take you to any town by its name.")
    if name in ("DESTINATION", "NEXT_STOP"):
        now = yield from trip(dialogue)
        if not now.is_active or len(now.waypoints) < 2:
            raise Declined("No route is being followed, so I don't know where that is.")
        return now.waypoints[-1 if name == "DESTINATION" else 1]
    if name is None or (here.place_name or "").lower() == name.lower():
        if here.place_id is None:
            raise Declined("I don't know where the car is.")
        if here.place_name:
            dialogue.known.name_place(here.place_id, here.place_name)
        return here.place_id
    if dialogue.trip is not None:
        for place_id in dialogue.trip.waypoints:
            row = dialogue.known.location(place_id)
            if row is not None and str(row.get("name")).lower() == name.lower():
                return place_id
    try:
        result = yield from dialogue.look(BY_NAME, location=name)
    except Refused as refused:
        instead = f" There are routes to {enumerated(refused.known)}." if refused.known else ""
        raise Declined(f"I have found no place called {name}.{instead}") from refused
    place_id = str(value(result, BY_NAME, "id"))
    dialogue.known.name_place(place_id, name)
    return place_id


def place(dialogue: Dialogue, goal: Goal) -> Steps[str]:
    """The id of a goal; of several places of a kind the driver may have to choose."""
    if goal.kind is None:
        named = [row for row in dialogue.found if str(row.get("name")) == goal.name]
        return str(named[0]["id"]) if named else (yield from location(dialogue, goal.name))
    found = yield from places(dialogue, goal)
    return str((yield from one_place(dialogue, goal, found))["id"])


def places(dialogue: Dialogue, goal: Goal) -> Steps[list[Row]]:
    """Places of a kind, in a town or along the trip."""
    is_anywhere = goal.where is None and not goal.filters and not goal.is_along
    if is_anywhere and _is_listed(dialogue, goal):
        return dialogue.found
    arguments: Row
    if goal.is_along:
        tool, field = ALONG, "pois_found_along_route"
        now = yield from trip(dialogue)
        if not now.routes:
            raise Declined("No route is being followed, so there is nothing to search along.")
        arguments = {"route_id": now.routes[0], "category_poi": goal.kind}
    else:
        tool, field = AT, "pois_found"
        town = yield from location(dialogue, goal.where)
        arguments = {"location_id": town, "category_poi": goal.kind}
    if goal.at_km is not None:
        arguments["at_kilometer"] = goal.at_km
    if goal.filters:
        arguments["filters"] = list(goal.filters)
    result = yield from dialogue.look(tool, **arguments)
    dialogue.found = rows(result, tool, field)
    return dialogue.found


def _is_listed(dialogue: Dialogue, goal: Goal) -> bool:
    """Whether a goal such as `the first restaurant` speaks of places listed before."""
    kinds = {row.get("category") for row in dialogue.found}
    return goal.pick in ORDINALS and goal.kind in kinds


def one_place(dialogue: Dialogue, goal: Goal, found: Sequence[Row]) -> Steps[Row]:
    """The place meant: by name, what is open, what is liked, else the driver chooses."""
    kind = words("kinds").get(goal.kind or "", "place")
    if not found:
        raise Declined(f"I have found no {kind} like that.")
    names = [str(row.get("name")) for row in found]
    if goal.pick in ORDINALS and ORDINALS.index(goal.pick) < len(found):
        return found[ORDINALS.index(goal.pick)]
    if goal.name:
        meant = spoken_of(goal.name, names)
        if meant is not None:
            return found[meant]
    if goal.pick == "nearest" and goal.is_along:
        return found[0]
    fitting = _open_ones(dialogue, found) or list(found)
    if len({str(row.get("name")) for row in fitting}) == 1:
        return fitting[0]
    if goal.pick == "nearest" and goal.where is None:
        return (yield from _nearest(dialogue, fitting))
    for liking in (yield from liked(dialogue, "points_of_interest", (goal.kind or "",))):
        meant = spoken_of(liking, [str(row.get("name")) for row in fitting])
        if meant is not None:
            return fitting[meant]
    if goal.pick == "nearest":
        return fitting[0]
    choices = [poi_name(row) for row in fitting]
    return fitting[(yield from one_of(dialogue, "Which one would you like", choices, 0))]


def _nearest(dialogue: Dialogue, found: Sequence[Row]) -> Steps[Row]:
    """The place with the shortest way from the car; where routes are not told, the first."""
    here = yield from location(dialogue, None)
    ways = [Call(ROUTES, {"start_id": here, "destination_id": row["id"]}) for row in found]
    try:
        results = yield from dialogue.look_all(*ways)
        lengths = [
            min(float(value(route, ROUTES, "distance_km")) for route in rows(way, ROUTES, "routes"))
            for way in results
        ]
    except (Lacking, Refused, ValueError):
        return found[0]
    return found[lengths.index(min(lengths))]


def are_all_open(dialogue: Dialogue, found: Sequence[Row]) -> bool:
    return len(_open_ones(dialogue, found)) in (0, len(found))


def _open_ones(dialogue: Dialogue, found: Sequence[Row]) -> list[Row]:
    now = dialogue.situation.now
    if now is None:
        return []
    return [row for row in found if is_open(str(row.get("opening_hours")), now.minute_of_day)]


def named(dialogue: Dialogue, place_id: str) -> str:
    return place_name(place_id, dialogue.known)
