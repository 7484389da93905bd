"""Which of several routes: what was said, what is liked, the usual one, else the driver decides."""

import re
from collections.abc import Sequence
from typing import Any

from assistant_gateway.agents.rules.dialogue import (
    UNKNOWN,
    Declined,
    Dialogue,
    Lacking,
    Refused,
    Steps,
    rows,
    value,
)
from assistant_gateway.agents.rules.language.names import roads
from assistant_gateway.agents.rules.plans.asking import detail, liked
from assistant_gateway.agents.rules.wishes.goals import choice
from assistant_gateway.agents.rules.wishes.wish import Choice
from assistant_gateway.wording.findings import found
from assistant_gateway.wording.trip import minutes_of, place_name
from vehicle_bus.car.trip import Trip

ROUTES = "get_routes_from_start_to_destination"
NEEDED = ("name_via", "distance_km", "duration_hours", "duration_minutes", "includes_toll", "alias")
FASTEST = Choice("fastest")
Route = dict[str, Any]


def routes_between(dialogue: Dialogue, start: str, destination: str) -> Steps[list[Route]]:
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
        for name in NEEDED:
            if route.get(name, UNKNOWN) == UNKNOWN:
                raise Lacking(f"result.{ROUTES}.routes.{name}")
    if not routes:
        raise Declined(f"I have found no route to {place_name(destination, dialogue.known)}.")
    return routes


def one_route(
    dialogue: Dialogue, start: str, destination: str, wanted: Choice, *, usual: Choice | None = None
) -> Steps[Route]:
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
    listed = found(ROUTES, {"routes": routes}, dialogue.known)
    return (
        yield from detail(
            dialogue,
            f"{listed} Which route would you like?",
            lambda answer: picked_from(routes, _answered(answer)),
            routes[0],
        )
    )


def picked_from(routes: Sequence[Route], wanted: Choice) -> Route | None:
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


def _roads_of(route: Route) -> frozenset[str]:
    return roads(str(route.get("name_via", "")))


def _answered(answer: str) -> Choice:
    said = choice(answer)
    if said.best == "ask" and not said.roads:
        return Choice()
    if not said and re.search(r"\b(?:first|that) one\b|\bfirst\b", answer, re.IGNORECASE):
        return FASTEST
    return said


STATE = "get_current_navigation_state"


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
