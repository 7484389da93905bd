"""Plans for the trip: start it, edit it step by step, end it, describe it."""

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.rules.dialogue import (
    UNKNOWN,
    Declined,
    Dialogue,
    Prepared,
    Steps,
    change,
)
from assistant_gateway.agents.rules.plans.asking import confirm, one_of
from assistant_gateway.agents.rules.plans.places import (
    FASTEST,
    are_all_open,
    location,
    named,
    one_place,
    one_route,
    place,
    places,
    routes_between,
    trip,
)
from assistant_gateway.agents.rules.wishes import trip as wishes
from assistant_gateway.agents.rules.wishes.taking_back import RestoreTrip
from assistant_gateway.wording.findings import found, routes_in_short
from assistant_gateway.wording.limits import cannot
from assistant_gateway.wording.spoken import duration, kilometres, words
from assistant_gateway.wording.trip import (
    minutes_of,
    place_with_preposition,
    route_in_words,
    trip_name,
    which_route,
)
from vehicle_bus.car.trip import Trip

NEW = "set_new_navigation"
STOP = "delete_current_navigation"
ADD = "navigation_add_one_waypoint"
FIELDS = ("opening_hours",)
NO_TRIP = "No navigation is running, so there is nothing to change. Tell me where you want to go."


def guide(wish: wishes.Guide, dialogue: Dialogue) -> Steps[Prepared]:
    """Start a trip; one that is being followed is changed instead."""
    now = yield from trip(dialogue)
    if now.is_active:
        return (yield from _go_elsewhere(wish, dialogue))
    dialogue.possible(NEW, route_ids=[])
    here = yield from location(dialogue, None)
    waypoints, route_ids = [here], []
    several = len(wish.goals) > 1
    for goal in wish.goals:
        there = yield from place(dialogue, goal)
        if there == waypoints[-1]:
            raise Declined(f"We are in {named(dialogue, there)} already.")
        route = yield from one_route(
            dialogue, waypoints[-1], there, wish.choice, usual=FASTEST if several else None
        )
        waypoints.append(there)
        route_ids.append(str(route["route_id"]))
    dialogue.trip = Trip(tuple(waypoints), tuple(route_ids), is_active=True)
    return Prepared((change(NEW, route_ids=route_ids),), in_order=True)


def _go_elsewhere(wish: wishes.Guide, dialogue: Dialogue) -> Steps[Prepared]:
    """Edit the trip: another destination, then the stops before it."""
    now = yield from trip(dialogue)
    *stops, end = wish.goals
    there = yield from place(dialogue, end)
    plans: list[Prepared] = []
    if there == now.waypoints[-1] and wish.is_straight:
        for stop in now.stops:
            gone = wishes.Drop(wishes.Goal(named(dialogue, stop)), choice=wish.choice)
            plans.append((yield from drop_stop(gone, dialogue)))
    elif there != now.waypoints[-1]:
        plans.append((yield from replace_stop(wishes.Swap(end, choice=wish.choice), dialogue)))
    for goal in stops:
        plans.append((yield from add_stop(wishes.AddStop(goal, choice=wish.choice), dialogue)))
    if not plans and not dialogue.left_out:
        return Prepared(sentences=(f"We are on the way to {named(dialogue, there)} already.",))
    return Prepared(tuple(call for plan in plans for call in plan.calls), in_order=True)


def swap(wish: wishes.Swap, dialogue: Dialogue) -> Steps[Prepared]:
    """Replace a stop; without a trip, a new destination starts one."""
    if wish.old is None and not (yield from trip(dialogue)).is_active:
        return (yield from guide(wishes.Guide((wish.new,), choice=wish.choice), dialogue))
    return (yield from replace_stop(wish, dialogue))


def stop_guidance(wish: wishes.StopGuidance, dialogue: Dialogue) -> Steps[Prepared]:
    stop = dialogue.possible(STOP)
    now = yield from trip(dialogue)
    if not now.is_active:
        return Prepared(sentences=("No trip is being followed at present.",))
    dialogue.trip = Trip()
    return Prepared((stop,), in_order=True)


def resume(wish: wishes.Resume, dialogue: Dialogue) -> Steps[Prepared]:
    dialogue.possible(NEW, route_ids=[])
    now = yield from trip(dialogue)
    if now.is_active:
        return Prepared(sentences=("The navigation is running already.",))
    if not now.routes:
        raise Declined("There is no earlier trip to take up again.")
    return Prepared((change(NEW, route_ids=list(now.routes)),), in_order=True)


def restore(wish: RestoreTrip, dialogue: Dialogue) -> Steps[Prepared]:
    """The trip as it was; one that is active has to be stopped first."""
    now = yield from trip(dialogue)
    if not wish.trip.is_active:
        return (yield from stop_guidance(wishes.StopGuidance(), dialogue))
    stop = (dialogue.possible(STOP),) if now.is_active else ()
    dialogue.trip = wish.trip
    return Prepared((*stop, change(NEW, route_ids=list(wish.trip.routes))), in_order=True)


def status(wish: wishes.TripStatus, dialogue: Dialogue) -> Steps[Prepared]:
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


def routes_to(wish: wishes.RoutesTo, dialogue: Dialogue) -> Steps[Prepared]:
    """What ways there are, or what the one asked for is like."""
    here = yield from location(dialogue, None)
    there = yield from place(dialogue, wish.goal)
    if wish.choice.best in ("fastest", "shortest", "toll_free") or wish.choice.roads:
        route = yield from one_route(dialogue, here, there, wish.choice)
        text = f"{which_route(route)} to {named(dialogue, there)} goes {route_in_words(route)}."
        return Prepared(sentences=(text[0].upper() + text[1:],))
    routes = yield from routes_between(dialogue, here, there)
    opening = _nearest_is(wish.goal, there, dialogue)
    return Prepared(sentences=(routes_in_short(routes, dialogue.known, opening),))


def _nearest_is(goal: wishes.Goal, there: str, dialogue: Dialogue) -> str:
    """`The nearest bakery is Brotwerk:`, where the nearest was asked for, else nothing."""
    poi = dialogue.known.poi(there)
    if goal.pick != "nearest" or goal.where or goal.is_along or poi is None:
        return ""
    kind = words("kinds")[poi["category"]]
    which = "nearest" if are_all_open(dialogue, dialogue.found) else "nearest open"
    return f"The {which} {kind} is {poi['name']}:"


def find(wish: wishes.Find, dialogue: Dialogue) -> Steps[Prepared]:
    rows = yield from places(dialogue, wish.goal)
    if wish.goal.pick and rows:
        rows = [(yield from one_place(dialogue, wish.goal, rows))]
    tool = "search_poi_along_the_route" if wish.goal.is_along else "search_poi_at_location"
    field = "pois_found_along_route" if wish.goal.is_along else "pois_found"
    masked = [name for name in FIELDS if any(row.get(name) == UNKNOWN for row in rows)]
    missing = [cannot(f"result.{tool}.{field}.{name}") for name in masked]
    shown = [{**row, **dict.fromkeys(masked, "")} for row in rows]
    return Prepared(sentences=(found(tool, {field: shown}, dialogue.known), *missing))


def followed(dialogue: Dialogue) -> Steps[Trip]:
    """The trip, which has to be active."""
    now = yield from trip(dialogue)
    if not now.is_active or len(now.waypoints) < 2:
        raise Declined(NO_TRIP)
    return now


def add_stop(wish: wishes.AddStop, dialogue: Dialogue) -> Steps[Prepared]:
    dialogue.possible(ADD)
    now = yield from followed(dialogue)
    new = yield from place(dialogue, wish.goal)
    at = _position(wish, now, dialogue)
    before = now.waypoints[at - 1]
    route_to = yield from one_route(dialogue, before, new, wish.choice, usual=FASTEST)
    arguments: dict[str, object] = {
        "waypoint_id_to_add": new,
        "waypoint_id_before_new_waypoint": before,
        "route_id_leading_to_new_waypoint": route_to["route_id"],
    }
    if at > now.last:
        return _edited(dialogue, now.extended(new, route_to["route_id"]), ADD, arguments)
    after = now.waypoints[at]
    route_away = yield from one_route(dialogue, new, after, wish.choice, usual=FASTEST)
    arguments["waypoint_id_after_new_waypoint"] = after
    arguments["route_id_leading_away_from_new_waypoint"] = route_away["route_id"]
    longer = now.with_stopover(at - 1, new, route_to["route_id"], route_away["route_id"])
    return _edited(dialogue, longer, ADD, arguments)


def replace_stop(wish: wishes.Swap, dialogue: Dialogue) -> Steps[Prepared]:
    now = yield from followed(dialogue)
    at = now.last if wish.old is None else (yield from _meant(wish.old, now, dialogue))
    is_end = at == now.last
    stays = _at(wish.new, now, dialogue)
    if is_end and stays == now.last:
        return Prepared()
    if is_end and stays:
        return (yield from end_at(wishes.EndAt(wish.new, choice=wish.choice), dialogue))
    tool = "navigation_replace_final_destination" if is_end else "navigation_replace_one_waypoint"
    dialogue.possible(tool)
    new = yield from place(dialogue, wish.new)
    before = now.waypoints[at - 1]
    usual = None if is_end else FASTEST
    route_to = yield from one_route(dialogue, before, new, wish.choice, usual=usual)
    if is_end:
        other = now.redirected(new, route_to["route_id"])
        return _edited(dialogue, other, tool, {
            "new_destination_id": new,
            "route_id_leading_to_new_destination": route_to["route_id"],
        })  # fmt: skip
    route_away = yield from one_route(
        dialogue, new, now.waypoints[at + 1], wish.choice, usual=FASTEST
    )
    other = now.with_other(at, new, route_to["route_id"], route_away["route_id"])
    return _edited(dialogue, other, tool, {
        "waypoint_id_to_replace": now.waypoints[at],
        "new_waypoint_id": new,
        "route_id_leading_to_new_waypoint": route_to["route_id"],
        "route_id_leading_away_from_new_waypoint": route_away["route_id"],
    })  # fmt: skip


def drop_stop(wish: wishes.Drop, dialogue: Dialogue) -> Steps[Prepared]:
    now = yield from followed(dialogue)
    if wish.old is not None and wish.old.name in dialogue.left_out:
        return Prepared()
    if wish.is_destination:
        at = now.last
    elif wish.old is None:
        at = yield from _one_of_the_stops(now, dialogue)
    else:
        at = yield from _meant(wish.old, now, dialogue)
    if at == now.last:
        if now.last < 2:
            return (yield from _no_trip_at_all(dialogue))
        return _without_destination(dialogue, now)
    dialogue.possible("navigation_delete_waypoint")
    before, after = now.waypoints[at - 1], now.waypoints[at + 1]
    straight = yield from one_route(dialogue, before, after, wish.choice)
    return _edited(dialogue, now.without(at, straight["route_id"]), "navigation_delete_waypoint", {
        "waypoint_id_to_delete": now.waypoints[at],
        "route_id_without_waypoint": straight["route_id"],
    })  # fmt: skip


def end_at(wish: wishes.EndAt, dialogue: Dialogue) -> Steps[Prepared]:
    """The trip ends at a stop on the way; anywhere else becomes the destination."""
    now = yield from followed(dialogue)
    at = _at(wish.goal, now, dialogue)
    if at is None or at == 0:
        return (yield from replace_stop(wishes.Swap(wish.goal, choice=wish.choice), dialogue))
    if at == now.last:
        end = place_with_preposition(now.waypoints[at], dialogue.known)
        return Prepared(sentences=(f"The trip ends {end} already.",))
    calls: list[Call] = []
    while now.last > at:
        shorter = _without_destination(dialogue, now)
        calls += shorter.calls
        now = now.shortened()
    return Prepared(tuple(calls), in_order=True)


def _without_destination(dialogue: Dialogue, now: Trip) -> Prepared:
    gone: dict[str, object] = {"destination_id_to_delete": now.waypoints[-1]}
    return _edited(dialogue, now.shortened(), "navigation_delete_destination", gone)


def _no_trip_at_all(dialogue: Dialogue) -> Steps[Prepared]:
    """A route keeps a destination, so without it there is no trip."""
    stop = dialogue.possible(STOP)
    yield from confirm(
        dialogue,
        "That is the only destination of this trip. Shall I stop the navigation?",
        "Alright, the trip stays as it is.",
    )
    dialogue.trip = Trip()
    return Prepared((stop,), in_order=True)


def _edited(dialogue: Dialogue, after: Trip, tool: str, arguments: dict[str, object]) -> Prepared:
    edit = dialogue.possible(tool, **arguments)
    gone = set(dialogue.trip.waypoints if dialogue.trip else ()) - set(after.waypoints)
    dialogue.left_out |= {named(dialogue, waypoint) for waypoint in gone}
    dialogue.trip = after
    return Prepared((edit,), in_order=True)


def _position(wish: wishes.AddStop, now: Trip, dialogue: Dialogue) -> int:
    """Before which waypoint the new stop comes; one more than the last extends the trip."""
    before = _at(wishes.Goal(wish.before), now, dialogue) if wish.before else None
    after = _at(wishes.Goal(wish.after), now, dialogue) if wish.after else None
    if before:
        return before
    if after is not None:
        return after + 1
    return 1 if wish.goal.is_along else now.last


def _meant(old: wishes.Goal, now: Trip, dialogue: Dialogue) -> Steps[int]:
    if not (old.name or old.kind):
        return (yield from _one_of_the_stops(now, dialogue))
    at = _at(old, now, dialogue)
    if not at:
        raise Declined(f"{old.name or 'That'} is not part of this trip.")
    return at


def _one_of_the_stops(now: Trip, dialogue: Dialogue) -> Steps[int]:
    if not now.stops:
        raise Declined("There is no stop on the way.")
    if len(now.stops) == 1:
        return 1
    names = [named(dialogue, stop) for stop in now.stops]
    return 1 + (yield from one_of(dialogue, "Which stop do you mean", names, 0))


def _at(goal: wishes.Goal, now: Trip, dialogue: Dialogue) -> int | None:
    """Where in the trip a place stands, by its name or its kind."""
    names = [named(dialogue, waypoint).lower() for waypoint in now.waypoints]
    for at in range(now.last, -1, -1):
        row = dialogue.known.poi(now.waypoints[at])
        if goal.kind and row is not None and row.get("category") == goal.kind:
            return at
        if goal.name and not goal.kind and goal.name.lower() in names[at]:
            return at
    if goal.kind and goal.name:
        return _at(wishes.Goal(goal.name), now, dialogue)
    return None
