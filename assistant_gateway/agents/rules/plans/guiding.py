"""A new trip, no trip, and what the trip is."""

from assistant_gateway.agents.rules.dialogue import (
    UNKNOWN,
    Declined,
    Dialogue,
    Prepared,
    Steps,
    change,
)
from assistant_gateway.agents.rules.plans.edits import add_stop, drop_stop, replace_stop
from assistant_gateway.agents.rules.plans.places import location, one_place, place, places
from assistant_gateway.agents.rules.plans.routes import (
    FASTEST,
    ROUTES,
    one_route,
    routes_between,
    trip,
)
from assistant_gateway.agents.rules.wishes.wish import (
    AddStop,
    Drop,
    Find,
    Goal,
    Guide,
    Resume,
    RoutesTo,
    StopGuidance,
    Swap,
    TripStatus,
)
from assistant_gateway.wording.findings import found
from assistant_gateway.wording.limits import cannot
from assistant_gateway.wording.spoken import duration, kilometres
from assistant_gateway.wording.trip import (
    minutes_of,
    place_name,
    route_in_words,
    trip_name,
    which_route,
)
from vehicle_bus.car.trip import Trip

NEW = "set_new_navigation"
FIELDS = ("opening_hours",)


def guide(wish: Guide, dialogue: Dialogue) -> Steps[Prepared]:
    """Start a trip; one that is being followed is changed instead."""
    now = yield from trip(dialogue)
    if now.is_active:
        return (yield from _go_elsewhere(wish, dialogue))
    dialogue.offered.require(change(NEW, route_ids=[]))
    here = yield from location(dialogue, None)
    waypoints, route_ids = [here], []
    several = len(wish.goals) > 1
    for goal in wish.goals:
        there = yield from place(dialogue, goal)
        if there == waypoints[-1]:
            raise Declined(f"We are in {place_name(there, dialogue.known)} already.")
        route = yield from one_route(
            dialogue, waypoints[-1], there, wish.choice, usual=FASTEST if several else None
        )
        waypoints.append(there)
        route_ids.append(str(route["route_id"]))
    dialogue.trip = Trip(tuple(waypoints), tuple(route_ids), is_active=True)
    return Prepared((change(NEW, route_ids=route_ids),), in_order=True)


def _go_elsewhere(wish: Guide, dialogue: Dialogue) -> Steps[Prepared]:
    """Edit the trip: another destination, then the stops before it."""
    now = yield from trip(dialogue)
    *stops, end = wish.goals
    there = yield from place(dialogue, end)
    plans: list[Prepared] = []
    if there == now.waypoints[-1] and wish.is_straight:
        for stop in now.stops:
            row = place_name(stop, dialogue.known)
            plans.append((yield from drop_stop(Drop(Goal(row), choice=wish.choice), dialogue)))
    elif there != now.waypoints[-1]:
        plans.append((yield from replace_stop(Swap(end, None, wish.choice), dialogue)))
    for goal in stops:
        plans.append((yield from add_stop(AddStop(goal, choice=wish.choice), dialogue)))
    if not plans and not dialogue.left_out:
        return Prepared(
            sentences=(f"We are on the way to {place_name(there, dialogue.known)} already.",)
        )
    return Prepared(tuple(call for plan in plans for call in plan.calls), in_order=True)


def swap(wish: Swap, dialogue: Dialogue) -> Steps[Prepared]:
    """Replace a stop; without a trip, a new destination starts one."""
    if wish.old is None and not (yield from trip(dialogue)).is_active:
        return (yield from guide(Guide((wish.new,), wish.choice), dialogue))
    return (yield from replace_stop(wish, dialogue))


def stop_guidance(wish: StopGuidance, dialogue: Dialogue) -> Steps[Prepared]:
    stop = change("delete_current_navigation")
    dialogue.offered.require(stop)
    now = yield from trip(dialogue)
    if not now.is_active:
        return Prepared(sentences=("No trip is being followed at present.",))
    dialogue.trip = Trip()
    return Prepared((stop,), in_order=True)


def resume(wish: Resume, dialogue: Dialogue) -> Steps[Prepared]:
    dialogue.offered.require(change(NEW, route_ids=[]))
    now = yield from trip(dialogue)
    if now.is_active:
        return Prepared(sentences=("The navigation is running already.",))
    if not now.routes:
        raise Declined("There is no earlier trip to take up again.")
    return Prepared((change(NEW, route_ids=list(now.routes)),), in_order=True)


def status(wish: TripStatus, dialogue: Dialogue) -> Steps[Prepared]:
    now = yield from trip(dialogue)
    if not now.is_active or not now.waypoints:
        return Prepared(sentences=("No trip is being followed at present.",))
    routes = [route for route in map(dialogue.known.route, now.routes) if route is not None]
    text = f"You are on the way {trip_name(now.waypoints[1:], dialogue.known)}"
    if len(routes) != len(now.routes):
        return Prepared(sentences=(f"{text}.",))
    length = kilometres(sum(route["distance_km"] for route in routes))
    minutes = sum(minutes_of(route) for route in routes)
    text = f"{text}, {length} in {duration(minutes)}."
    begun = dialogue.situation.now
    if begun is not None:
        hour, minute = divmod((begun.minute_of_day + minutes) % (24 * 60), 60)
        text = f"{text} That is about {hour:02d}:{minute:02d}."
    return Prepared(sentences=(text,))


def routes_to(wish: RoutesTo, dialogue: Dialogue) -> Steps[Prepared]:
    """What ways there are, or what the one asked for is like."""
    here = yield from location(dialogue, None)
    there = yield from place(dialogue, wish.goal)
    if wish.choice.best in ("fastest", "shortest", "toll_free") or wish.choice.roads:
        route = yield from one_route(dialogue, here, there, wish.choice)
        name = place_name(there, dialogue.known)
        text = f"{which_route(route)} to {name} goes {route_in_words(route)}."
        return Prepared(sentences=(text[0].upper() + text[1:],))
    routes = yield from routes_between(dialogue, here, there)
    return Prepared(sentences=(found(ROUTES, {"routes": routes}, dialogue.known),))


def find(wish: Find, dialogue: Dialogue) -> Steps[Prepared]:
    rows = yield from places(dialogue, wish.goal)
    if wish.goal.pick and rows:
        rows = [(yield from one_place(dialogue, wish.goal, rows))]
    tool = "search_poi_along_the_route" if wish.goal.is_along else "search_poi_at_location"
    field = "pois_found_along_route" if wish.goal.is_along else "pois_found"
    masked = [name for name in FIELDS if any(row.get(name) == UNKNOWN for row in rows)]
    missing = [cannot(f"result.{tool}.{field}.{name}") for name in masked]
    shown = [{**row, **dict.fromkeys(masked, "")} for row in rows]
    return Prepared(sentences=(found(tool, {field: shown}, dialogue.known), *missing))
