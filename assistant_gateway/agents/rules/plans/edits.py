"""Changes to a trip that is being followed, one after the other."""

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.rules.dialogue import Declined, Dialogue, Prepared, Steps
from assistant_gateway.agents.rules.plans.asking import confirm, one_of
from assistant_gateway.agents.rules.plans.places import named, place
from assistant_gateway.agents.rules.plans.routes import FASTEST, one_route, trip
from assistant_gateway.agents.rules.wishes.wish import AddStop, Drop, EndAt, Goal, Swap
from vehicle_bus.car.trip import Trip

NO_TRIP = "No navigation is running, so there is nothing to change. Tell me where you want to go."


def followed(dialogue: Dialogue) -> Steps[Trip]:
    """The trip, which has to be active."""
    now = yield from trip(dialogue)
    if not now.is_active or len(now.waypoints) < 2:
        raise Declined(NO_TRIP)
    return now


def add_stop(wish: AddStop, dialogue: Dialogue) -> Steps[Prepared]:
    dialogue.offered.require(Call("navigation_add_one_waypoint", {}))
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
        return _edited(
            dialogue,
            now.extended(new, route_to["route_id"]),
            "navigation_add_one_waypoint",
            arguments,
        )
    after = now.waypoints[at]
    route_away = yield from one_route(dialogue, new, after, wish.choice, usual=FASTEST)
    arguments["waypoint_id_after_new_waypoint"] = after
    arguments["route_id_leading_away_from_new_waypoint"] = route_away["route_id"]
    longer = now.with_stopover(at - 1, new, route_to["route_id"], route_away["route_id"])
    return _edited(dialogue, longer, "navigation_add_one_waypoint", arguments)


def replace_stop(wish: Swap, dialogue: Dialogue) -> Steps[Prepared]:
    now = yield from followed(dialogue)
    at = yield from _meant(wish.old, now, dialogue)
    is_end = at == now.last
    stays = _at(wish.new, now, dialogue)
    if is_end and stays == now.last:
        return Prepared()
    if is_end and stays:
        return (yield from end_at(EndAt(wish.new, wish.choice), dialogue))
    tool = "navigation_replace_final_destination" if is_end else "navigation_replace_one_waypoint"
    dialogue.offered.require(Call(tool, {}))
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


def drop_stop(wish: Drop, dialogue: Dialogue) -> Steps[Prepared]:
    now = yield from followed(dialogue)
    if wish.old is not None and wish.old.name in dialogue.left_out:
        return Prepared()
    at = now.last if wish.is_destination else (yield from _which_to_drop(wish, now, dialogue))
    if at == now.last:
        if now.last < 2:
            return (yield from _no_trip_at_all(dialogue))
        return _without_destination(dialogue, now)
    dialogue.offered.require(Call("navigation_delete_waypoint", {}))
    before, after = now.waypoints[at - 1], now.waypoints[at + 1]
    straight = yield from one_route(dialogue, before, after, wish.choice)
    return _edited(dialogue, now.without(at, straight["route_id"]), "navigation_delete_waypoint", {
        "waypoint_id_to_delete": now.waypoints[at],
        "route_id_without_waypoint": straight["route_id"],
    })  # fmt: skip


def end_at(wish: EndAt, dialogue: Dialogue) -> Steps[Prepared]:
    """The trip ends at a stop on the way; anywhere else becomes the destination."""
    now = yield from followed(dialogue)
    at = _at(wish.goal, now, dialogue)
    if at is None or at == 0:
        return (yield from replace_stop(Swap(wish.goal, None, wish.choice), dialogue))
    if at == now.last:
        return Prepared(sentences=(f"The trip ends {_in(dialogue, now.waypoints[at])} already.",))
    calls: list[Call] = []
    while now.last > at:
        shorter = _without_destination(dialogue, now)
        calls += shorter.calls
        now = now.shortened()
    return Prepared(tuple(calls), in_order=True)


def _without_destination(dialogue: Dialogue, now: Trip) -> Prepared:
    tool = "navigation_delete_destination"
    dialogue.offered.require(Call(tool, {}))
    return _edited(dialogue, now.shortened(), tool, {"destination_id_to_delete": now.waypoints[-1]})


def _no_trip_at_all(dialogue: Dialogue) -> Steps[Prepared]:
    """A route keeps a destination, so without it there is no trip."""
    stop = Call("delete_current_navigation", {})
    dialogue.offered.require(stop)
    yield from confirm(
        dialogue,
        "That is the only destination of this trip. Shall I stop the navigation?",
        "Alright, the trip stays as it is.",
    )
    dialogue.trip = Trip()
    return Prepared((stop,), in_order=True)


def _edited(dialogue: Dialogue, after: Trip, tool: str, arguments: dict[str, object]) -> Prepared:
    edit = Call(tool, arguments)
    dialogue.offered.require(edit)
    gone = set(dialogue.trip.waypoints if dialogue.trip else ()) - set(after.waypoints)
    dialogue.left_out |= {named(dialogue, waypoint) for waypoint in gone}
    dialogue.trip = after
    return Prepared((edit,), in_order=True)


def _position(wish: AddStop, now: Trip, dialogue: Dialogue) -> int:
    """Before which waypoint the new stop comes; one more than the last extends the trip."""
    if wish.before:
        at = _at(Goal(wish.before), now, dialogue)
        if at:
            return at
    if wish.after:
        at = _at(Goal(wish.after), now, dialogue)
        if at is not None:
            return at + 1
    if wish.goal.is_along:
        return 1
    return now.last


def _meant(old: Goal | None, now: Trip, dialogue: Dialogue) -> Steps[int]:
    if old is None:
        return now.last
    at = _at(old, now, dialogue) if old.name or old.kind else None
    if at:
        return at
    if old.name or old.kind:
        raise Declined(f"{old.name or 'That'} is not part of this trip.")
    return (yield from _one_of_the_stops(now, dialogue))


def _which_to_drop(wish: Drop, now: Trip, dialogue: Dialogue) -> Steps[int]:
    if wish.old is not None:
        return (yield from _meant(wish.old, now, dialogue))
    return (yield from _one_of_the_stops(now, dialogue))


def _one_of_the_stops(now: Trip, dialogue: Dialogue) -> Steps[int]:
    if not now.stops:
        raise Declined("There is no stop on the way.")
    if len(now.stops) == 1:
        return 1
    names = [named(dialogue, stop) for stop in now.stops]
    return 1 + (yield from one_of(dialogue, "Which stop do you mean", names, 0))


def _at(goal: Goal, now: Trip, dialogue: Dialogue) -> int | None:
    """Where in the trip a place stands, by its name or its kind."""
    names = [named(dialogue, waypoint).lower() for waypoint in now.waypoints]
    for at in range(now.last, -1, -1):
        row = dialogue.known.poi(now.waypoints[at])
        if goal.kind and row is not None and row.get("category") == goal.kind:
            return at
        if goal.name and not goal.kind and goal.name.lower() in names[at]:
            return at
    if goal.kind and goal.name:
        return _at(Goal(goal.name), now, dialogue)
    return None


def _in(dialogue: Dialogue, place_id: str) -> str:
    return (
        f"in {named(dialogue, place_id)}"
        if place_id.startswith("loc_")
        else f"at {named(dialogue, place_id)}"
    )
