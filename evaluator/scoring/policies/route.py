"""Rules about routes."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from assistant_gateway.wording.sentences import sentences
from evaluator.record.episode import Act, Episode
from evaluator.scoring.policies import as_published
from evaluator.scoring.policies.policy import (
    KEPT,
    NOT_APPLICABLE,
    Arguments,
    Breach,
    Finding,
    at,
    by_code,
    by_language,
    never,
)

EDITS = frozenset(
    {
        "navigation_add_one_waypoint",
        "navigation_replace_one_waypoint",
        "navigation_replace_final_destination",
        "navigation_delete_waypoint",
        "navigation_delete_destination",
    }
)
ROUTES = "get_routes_from_start_to_destination"
_TOLL = re.compile(r"\btolls?\b", re.IGNORECASE)
_NO_TOLL = re.compile(
    r"\b(?:no|without|avoids?|avoiding|free of|any) (?:any )?tolls?\b|\btoll[- ]free\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:fastest|quickest|shortest|scenic|tolls?|via|prefer\w*|alternatives?|options?|"
    r"(?:which|what) routes?|(?:first|second|third) (?:route|one|option))\b",
    re.IGNORECASE,
)
_FASTEST = re.compile(r"\b(?:fastest|quickest)\b", re.IGNORECASE)
PRESENTED = (
    "Taken for itself, was each answer of the look-up that holds several routes followed by the "
    "fastest and the shortest one, or the one that is both, and by the number of the others? To "
    "have agreed to the start of the navigation before is agreement enough, but does not replace "
    "this; nor does it help an answer that a later one was presented completely. Was it so?"
)
_OFFER = re.compile(
    r"\b(?:alternatives?|options?|(?:other|different|another) (?:routes?|options?|ways?))\b",
    re.IGNORECASE,
)


def sets_route(tool: str, _arguments: Arguments) -> bool:
    return tool == "set_new_navigation" or tool in EDITS


def edits(tool: str, _arguments: Arguments) -> bool:
    return tool in EDITS


def deletes_destination(tool: str, _arguments: Arguments) -> bool:
    return tool == "navigation_delete_destination"


def looks_for_routes(tool: str, _arguments: Arguments) -> bool:
    return tool == ROUTES


@by_code("016", sets_route, published=as_published.starts_here)
def starts_at_the_car(episode: Episode, acts: list[Act]) -> Iterator[Breach]:
    """A route starts where the car is."""
    here = episode.context.current_location.id
    for act in acts:
        waypoints = act.after["waypoints_id"]
        if waypoints and waypoints != act.before["waypoints_id"] and waypoints[0] != here:
            yield at(act, f"the route starts at {waypoints[0]}, and the car is at {here}")


@by_code("017", edits, published=as_published.logged("017", *sorted(EDITS)), attempts=True)
def edits_an_active_route(episode: Episode, acts: list[Act]) -> Iterator[Breach]:
    """Stops and destination can be edited only while a route is being followed."""
    for act in acts:
        if not act.before["navigation_active"]:
            yield at(act, f"{act.tool} was called while no route was being followed")


@by_code(
    "018",
    sets_route,
    published=as_published.edits_one_by_one,
    goes_with=("delete_current_navigation",),
    attempts=True,
)
def one_edit_at_a_time(episode: Episode, acts: list[Act]) -> Iterator[Breach]:
    """Change a route that is being followed with the editing tools, one change after the other
    and never two at once; set a new route only when none is being followed."""
    for act, later in pairwise(acts):
        if act.tool in EDITS and later.tool in EDITS and act.message == later.message:
            yield at(later, f"{act.tool} and {later.tool} were called at once")
    for act in acts:
        if act.tool == "set_new_navigation" and act.before["navigation_active"]:
            yield at(act, "a new route was set while another one was being followed")


@by_code(
    "019",
    deletes_destination,
    published=as_published.logged("019", "navigation_delete_destination"),
    attempts=True,
)
def start_and_destination_stay(episode: Episode, acts: list[Act]) -> Iterator[Breach]:
    """A route keeps at least its start and one destination."""
    for act in acts:
        if act.before["navigation_active"] and len(act.before["waypoints_id"]) < 3:
            yield at(act, "the only destination of the route was to be deleted")


@by_language(
    "020", never, published=as_published.asked_if_called(ROUTES, question=PRESENTED)
)  # fmt: skip
def alternatives_are_presented(_episode: Episode, _acts: list[Act]) -> Finding:
    """When a look-up finds several routes, describe the fastest and the shortest one, or say that
    one is both; of the others tell only how many there are, and ask whether the driver wants to
    hear more or which one to take."""
    return NOT_APPLICABLE


@by_language("021", looks_for_routes, published=as_published.asked_if_called(ROUTES))
def tolls_are_mentioned(episode: Episode, acts: list[Act]) -> Finding:
    """When you describe a route in detail, say if it has toll roads."""
    found = _routes(acts)
    tolled = [route for route in found if _has_toll(route)]
    if not tolled:
        return NOT_APPLICABLE
    spoken = [said.text for said in episode.spoken if said.order > acts[0].order]
    presented = [route for route in tolled if _presented(route, found, spoken)]
    # Of several edits in one turn only what is left at its end is driven.
    driven = {
        leg for act in episode.succeeded for leg in act.after_turn["routes_to_final_destination_id"]
    } & _taken(episode.succeeded)
    taken = [route for route in tolled if str(route.get("route_id")) in driven]
    if any(_TOLL.search(_NO_TOLL.sub(" ", text)) for text in spoken):
        if len({str(route.get("route_id")) for route in presented}) <= 1:
            return KEPT
        question = "Were the tolls of every route that was described mentioned?"
        return Finding(state="undecided", open_question=question)
    if presented:
        via = presented[0].get("name_via")
        sentence = f"the route via {via} was described without a word about its tolls"
        return Finding(
            state="broken", breaches=(Breach(t_ns=acts[0].t_ns, sentence=sentence),)
        )  # fmt: skip
    if taken:
        question = "Was the route with tolls, which was taken, described to the driver?"
        return Finding(state="undecided", open_question=question)
    return KEPT


@by_language("022", looks_for_routes, published=as_published.asked_if_called(ROUTES))
def fastest_leg_by_leg(episode: Episode, acts: list[Act]) -> Finding:
    """For a trip of several stops without a stated preference take the fastest route of each leg,
    say so, offer the alternatives, and mention tolls all the same."""
    taken = _taken(episode.of("set_new_navigation"))
    legs = [act for act in episode.of("set_new_navigation") if _number_of_legs(act) > 1]
    if not legs:
        return NOT_APPLICABLE
    if any(_CHOICE.search(said.text) for said in episode.driver):
        question = "Did the driver choose the routes, or was the fastest one named and taken?"
        return Finding(state="undecided", open_question=question)
    slower = [
        route for route in _routes(acts)
        if str(route.get("route_id")) in taken and "fastest" not in (route.get("alias") or ())
    ]  # fmt: skip
    spoken = [said.text for said in episode.spoken if said.order > acts[0].order]
    if not slower and any(map(_FASTEST.search, spoken)) and any(map(_OFFER.search, spoken)):
        return KEPT
    if not slower and not any(map(_FASTEST.search, spoken)):
        sentence = "a route of several legs was set without a word that it is the fastest"
        return Finding(state="broken", breaches=(at(legs[-1], sentence),))
    question = "Was the fastest route taken for each leg, and were alternatives offered?"
    return Finding(state="undecided", open_question=question)


def _number_of_legs(act: Act) -> int:
    given = act.arguments.get("route_ids")
    return len(given) if isinstance(given, list) else 0


def _routes(acts: Iterable[Act]) -> list[dict[str, Any]]:
    """All routes that look-ups have found; masked results hold none."""
    answers = [act.result.get("routes") for act in acts]
    return [
        route for routes in answers if isinstance(routes, list)
        for route in routes if isinstance(route, dict)
    ]  # fmt: skip


def _has_toll(route: dict[str, Any]) -> bool:
    return route.get("includes_toll") is True or "toll" in (route.get("road_types") or ())


def _taken(acts: Iterable[Act]) -> set[str]:
    """Ids of the routes in calls that change the navigation."""
    values = [value for act in acts if act.changes or sets_route(act.tool, act.arguments)
              for value in act.arguments.values()]  # fmt: skip
    return {
        str(item) for value in values for item in (value if isinstance(value, list) else [value])
    }


def _presented(route: dict[str, Any], found: list[dict[str, Any]], spoken: list[str]) -> bool:
    """Whether all road names of a route, or its length, were said in one sentence.

    One road alone may belong to another route that was described, and so may a length that several
    have.
    """
    roads = [road.strip() for road in str(route.get("name_via") or "").split(",")]
    named = [rf"\b{re.escape(road)}\b" for road in roads if road]
    one_by_one = [sentence for text in spoken for sentence in sentences(text)]
    if named and any(all(re.search(road, said, re.I) for road in named) for said in one_by_one):
        return True
    length = _rounded_km(route)
    as_long = {str(other.get("route_id")) for other in found if _rounded_km(other) == length}
    if length is None or len(as_long) > 1:
        return False
    long = rf"(?<![\d.,]){length}(?:\.\d+)? ?(?:km|kilomet)"
    return any(re.search(long, text, re.IGNORECASE) for text in spoken)


def _rounded_km(route: dict[str, Any]) -> int | None:
    length = route.get("distance_km")
    return round(length) if isinstance(length, int | float) else None
