"""How full the battery is, how far it lasts, how long charging takes."""

from typing import Any

from assistant_gateway.agents.rules.dialogue import (
    UNKNOWN,
    Declined,
    Dialogue,
    Lacking,
    Prepared,
    Steps,
    change,
    value,
)
from assistant_gateway.agents.rules.plans.amounts import amount_for
from assistant_gateway.agents.rules.plans.places import location, one_place, place, places
from assistant_gateway.agents.rules.plans.routes import FASTEST, one_route, trip
from assistant_gateway.agents.rules.plans.scales import LIMIT
from assistant_gateway.agents.rules.wishes.wish import Adjust, Battery, ChargingTime, Goal, Reach
from assistant_gateway.wording.findings import found, found_beside_changes
from assistant_gateway.wording.spoken import kilometres
from assistant_gateway.wording.trip import place_name

SPECS = "get_charging_specs_and_status"
DISTANCE = "get_distance_by_soc"
TIME = "calculate_charging_time_by_soc"
CHARGED = "calculate_charging_soc_by_time"
Row = dict[str, Any]


def battery(wish: Battery, talk: Dialogue) -> Steps[Prepared]:
    if wish.until_percent is None:
        result = yield from talk.look(SPECS)
        if wish.is_detailed:
            _all_told(SPECS, result)
            return Prepared(told=(found(SPECS, result, talk.known),))
        for name in ("state_of_charge", "remaining_range"):
            value(result, SPECS, name)
        return Prepared(told=(found_beside_changes(SPECS, result, talk.known),))
    start = wish.from_percent
    if start is None:
        start = yield from charge_now(talk)
    result = yield from talk.look(
        DISTANCE, initial_state_of_charge=start, final_state_of_charge=wish.until_percent
    )
    _all_told(DISTANCE, result)
    return Prepared(told=(found_beside_changes(DISTANCE, result, talk.known),))


def reach(wish: Reach, talk: Dialogue) -> Steps[Prepared]:
    left, length, there = yield from percent_left(talk, wish.goal)
    if left < 0:
        told = f"No, the battery is not enough for the {kilometres(length)} to {there}."
    else:
        told = (
            f"Yes, {there} is {kilometres(length)} away, and about {left:.0f} percent will be left."
        )
    return Prepared(told=(told,))


def percent_left(talk: Dialogue, goal: Goal | None) -> Steps[tuple[float, float, str]]:
    """Percent of charge left at a place, the kilometres there, and its name."""
    specs = yield from talk.look(SPECS)
    charge = float(value(specs, SPECS, "state_of_charge"))
    lasts = kilometres_of(value(specs, SPECS, "remaining_range"))
    if goal is None:
        now = yield from trip(talk)
        if not now.is_active:
            raise Declined("Where would you like to go?")
        routes = [route for route in map(talk.known.route, now.routes) if route is not None]
        length = float(sum(route["distance_km"] for route in routes))
        there = now.waypoints[-1]
    else:
        here = yield from location(talk, None)
        there = yield from place(talk, goal)
        route = yield from one_route(talk, here, there, FASTEST)
        length = float(route["distance_km"])
    left = charge * (1 - length / lasts) if lasts else -1.0
    return left, length, place_name(there, talk.known)


def charging_time(wish: ChargingTime, talk: Dialogue) -> Steps[Prepared]:
    tool = TIME if wish.minutes is None else CHARGED
    station = yield from _station(wish, talk)
    plug = _plug(wish, station)
    start = wish.start_percent
    if start is None:
        start = yield from charge_now(talk)
    arguments: Row = {
        "charging_station_id": station["id"],
        "charging_station_plug_id": plug["plug_id"],
        "start_state_of_charge": start,
    }
    if wish.minutes is not None:
        arguments["charging_time"] = wish.minutes
    elif wish.target_percent is not None:
        arguments["target_state_of_charge"] = wish.target_percent
    result = yield from talk.look(tool, **arguments)
    _all_told(tool, result)
    return Prepared(told=(found_beside_changes(tool, result, talk.known),))


def charge_now(talk: Dialogue) -> Steps[int]:
    specs = yield from talk.look(SPECS)
    return round(float(value(specs, SPECS, "state_of_charge")))


def kilometres_of(amount: Any) -> float:
    """`203.0km` as a number."""
    return float(str(amount).removesuffix("km").strip() or 0)


def _station(wish: ChargingTime, talk: Dialogue) -> Steps[Row]:
    if wish.station is not None and (wish.station.name or wish.station.where):
        rows = yield from places(talk, wish.station)
        return (yield from one_place(talk, wish.station, rows))
    now = yield from trip(talk)
    for waypoint in now.waypoints:
        row = talk.known.poi(waypoint)
        if row is not None and "charging_plugs" in row:
            return row
    filters = [
        f"charging_stations::{name}"
        for name, wanted in (
            ("has_available_plug", wish.wants_free),
            ("has_dc_plug", wish.wants_dc),
        )
        if wanted
    ]
    here = Goal(kind="charging_stations", filters=tuple(filters))
    rows = yield from places(talk, here)
    return (yield from one_place(talk, here, rows))


def _plug(wish: ChargingTime, station: Row) -> Row:
    plugs = station.get("charging_plugs", UNKNOWN)
    if not isinstance(plugs, list):
        raise Lacking("result.search_poi_at_location.pois_found.charging_plugs")
    free = [plug for plug in plugs if plug.get("availability") == "available"]
    fitting = free if wish.wants_free or free else plugs
    if wish.wants_dc:
        fitting = [plug for plug in fitting if plug.get("power_type") == "DC"]
    if not fitting:
        raise Declined("There is no free plug like that at this charging station.")
    strongest: Row = max(fitting, key=lambda plug: float(plug.get("power_kw", 0)))
    return strongest


def _all_told(tool: str, result: Any) -> None:
    for name in result:
        value(result, tool, name)


def charge_limit(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    talk.offered.require(change("set_charge_limit", limit_percent=80))
    absolute = Adjust(
        "charge_limit", "set", None if wish.is_step else wish.amount, strength=wish.strength
    )
    question = "To how many percent may the battery be charged?"
    percent = yield from amount_for(talk, LIMIT, absolute, question, plain_step=None)
    return Prepared((change("set_charge_limit", limit_percent=percent),))
