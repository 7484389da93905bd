"""From what was said to the id of a place."""

from collections.abc import Sequence
from typing import Any

from assistant_gateway.agents.rules.outcomes import Declined, Refused
from assistant_gateway.agents.rules.plans.asking import detail, spoken_of
from assistant_gateway.agents.rules.plans.preferences import liked
from assistant_gateway.agents.rules.plans.trips import trip
from assistant_gateway.agents.rules.steps import Steps, Talk, value
from assistant_gateway.agents.rules.wishes.journey import Goal
from assistant_gateway.wording.spoken import alternatives
from assistant_gateway.wording.trip import KINDS, place_name, poi_name
from vehicle_bus.places import is_open

BY_NAME = "get_location_id_by_location_name"
AT = "search_poi_at_location"
ALONG = "search_poi_along_the_route"
Row = dict[str, Any]
OPEN = "any::currently_open"


def location(talk: Talk, name: str | None) -> Steps[str]:
    """The id of a town; without a name, where the car is."""
    here = talk.situation
    if name is None or (here.place_name or "").lower() == name.lower():
        if here.place_id is None:
            raise Declined("I don't know where the car is.")
        return here.place_id
    if talk.trip is not None:
        for place_id in talk.trip.waypoints:
            row = talk.known.location(place_id)
            if row is not None and str(row.get("name")).lower() == name.lower():
                return place_id
    try:
        result = yield from talk.look(BY_NAME, location=name)
    except Refused as refused:
        raise Declined(f"I have found no place called {name}.") from refused
    place_id = str(value(result, BY_NAME, "id"))
    talk.known.name_place(place_id, name)
    return place_id


def place(talk: Talk, goal: Goal) -> Steps[str]:
    """The id of a goal; of several places of a kind the driver may have to choose."""
    if goal.kind is None:
        return (yield from location(talk, goal.name))
    found = yield from places(talk, goal)
    return str((yield from one_place(talk, goal, found))["id"])


def places(talk: Talk, goal: Goal) -> Steps[list[Row]]:
    """Places of a kind, in a town or along the trip."""
    if goal.is_along:
        along = yield from _along(talk, goal)
        return along
    town = yield from location(talk, goal.where)
    arguments: Row = {"location_id": town, "category_poi": goal.kind}
    if goal.filters:
        arguments["filters"] = list(goal.filters)
    result = yield from talk.look(AT, **arguments)
    return _rows(value(result, AT, "pois_found"))


def _along(talk: Talk, goal: Goal) -> Steps[list[Row]]:
    now = yield from trip(talk)
    if not now.routes:
        raise Declined("No route is being followed, so there is nothing to search along.")
    route_id = now.routes[0]
    arguments: Row = {"route_id": route_id, "category_poi": goal.kind}
    at_km = goal.at_km
    if at_km is None and goal.kind == "charging_stations":
        at_km = yield from detail(
            talk, "Around which kilometre of the route should I search?", _kilometre, None
        )
    if at_km is not None:
        arguments["at_kilometer"] = at_km
    if goal.filters:
        arguments["filters"] = list(goal.filters)
    result = yield from talk.look(ALONG, **arguments)
    return _rows(value(result, ALONG, "pois_found_along_route"))


def one_place(talk: Talk, goal: Goal, found: Sequence[Row]) -> Steps[Row]:
    """The place meant: by name, what is open, what is liked, else the driver chooses."""
    kind = KINDS.get(goal.kind or "", "place")
    if not found:
        raise Declined(f"I have found no {kind} like that.")
    names = [str(row.get("name")) for row in found]
    if goal.name:
        meant = spoken_of(goal.name, names)
        if meant is not None:
            return found[meant]
    if goal.pick == "nearest" and goal.is_along:
        return found[0]
    fitting = _open_ones(talk, found) or list(found)
    if len(fitting) == 1:
        return fitting[0]
    for liking in (yield from liked(talk, "points_of_interest", (goal.kind or "",))):
        meant = spoken_of(liking, [str(row.get("name")) for row in fitting])
        if meant is not None:
            return fitting[meant]
    if goal.pick == "nearest":
        return fitting[0]
    told = [poi_name(row) for row in fitting]
    picked = yield from detail(
        talk,
        f"Which one would you like: {alternatives(told)}?",
        lambda answer: spoken_of(answer, told),
        0,
    )
    return fitting[picked]


def _open_ones(talk: Talk, found: Sequence[Row]) -> list[Row]:
    now = talk.situation.now
    if now is None:
        return []
    return [row for row in found if is_open(str(row.get("opening_hours")), now.minute_of_day)]


def _kilometre(answer: str) -> int | None:
    figures = [word for word in answer.replace(".", " ").split() if word.isdigit()]
    return int(figures[0]) if figures else None


def _rows(told: object) -> list[Row]:
    return [row for row in told if isinstance(row, dict)] if isinstance(told, list) else []


def named(talk: Talk, place_id: str) -> str:
    return place_name(place_id, talk.known)
