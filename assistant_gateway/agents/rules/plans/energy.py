"""How full the battery is, how far it lasts, how long charging takes."""

from typing import Any

from assistant_gateway.agents.rules.dialogue import (
    UNKNOWN,
    Declined,
    Dialogue,
    Lacking,
    Prepared,
    Steps,
    value,
)
from assistant_gateway.agents.rules.plans.places import location, one_place, place, places
from assistant_gateway.agents.rules.plans.routes import FASTEST, one_route, trip
from assistant_gateway.agents.rules.wishes.wish import Battery, ChargingTime, Goal, Reach
from assistant_gateway.wording.findings import found, found_beside_changes
from assistant_gateway.wording.spoken import kilometres
from assistant_gateway.wording.trip import place_name

SPECS = "get_charging_specs_and_status"
DISTANCE = "get_distance_by_soc"
TIME = "calculate_charging_time_by_soc"
CHARGED = "calculate_charging_soc_by_time"
Row = dict[str, Any]


def battery(wish: Battery, dialogue: Dialogue) -> Steps[Prepared]:
    if wish.until_percent is None:
        result = yield from dialogue.look(SPECS)
        if wish.is_detailed:
            _require_all(SPECS, result)
            return Prepared(sentences=(found(SPECS, result, dialogue.known),))
        for name in ("state_of_charge", "remaining_range"):
            value(result, SPECS, name)
        return Prepared(sentences=(found_beside_changes(SPECS, result, dialogue.known),))
    start = yield from _charge(dialogue, wish.from_percent)
    result = yield from dialogue.look(
        DISTANCE, initial_state_of_charge=start, final_state_of_charge=wish.until_percent
    )
    _require_all(DISTANCE, result)
    return Prepared(sentences=(found_beside_changes(DISTANCE, result, dialogue.known),))


def reach(wish: Reach, dialogue: Dialogue) -> Steps[Prepared]:
    left, length, there = yield from percent_left(dialogue, wish.goal)
    if left < 0:
        no = f"No, the battery is not enough for the {kilometres(length)} to {there}."
        return Prepared(sentences=(no,))
    yes = f"Yes, {there} is {kilometres(length)} away, and about {left:.0f} percent will be left."
    return Prepared(sentences=(yes,))


def percent_left(dialogue: Dialogue, goal: Goal | None) -> Steps[tuple[float, float, str]]:
    """Percent of charge left at a place, the kilometres there, and its name."""
    specs = yield from dialogue.look(SPECS)
    charge = float(value(specs, SPECS, "state_of_charge"))
    lasts = float(str(value(specs, SPECS, "remaining_range")).removesuffix("km").strip() or 0)
    if goal is None:
        raise Declined("Where would you like to go?")
    here = yield from location(dialogue, None)
    there = yield from place(dialogue, goal)
    route = yield from one_route(dialogue, here, there, FASTEST)
    length = float(route["distance_km"])
    left = charge * (1 - length / lasts) if lasts else -1.0
    return left, length, place_name(there, dialogue.known)


def charging_time(wish: ChargingTime, dialogue: Dialogue) -> Steps[Prepared]:
    tool = TIME if wish.minutes is None else CHARGED
    station = yield from _station(wish, dialogue)
    plug = _plug(wish, station)
    start = yield from _charge(dialogue, wish.start_percent)
    arguments: Row = {
        "charging_station_id": station["id"],
        "charging_station_plug_id": plug["plug_id"],
        "start_state_of_charge": start,
    }
    if wish.minutes is not None:
        arguments["charging_time"] = wish.minutes
    elif wish.target_percent is not None:
        arguments["target_state_of_charge"] = wish.target_percent
    result = yield from dialogue.look(tool, **arguments)
    _require_all(tool, result)
    return Prepared(sentences=(found_beside_changes(tool, result, dialogue.known),))


def _charge(dialogue: Dialogue, percent: int | None) -> Steps[int]:
    """The percentage that was named, else the state of charge of now."""
    if percent is not None:
        return percent
    specs = yield from dialogue.look(SPECS)
    return round(float(value(specs, SPECS, "state_of_charge")))


def _station(wish: ChargingTime, dialogue: Dialogue) -> Steps[Row]:
    if wish.station is not None and (wish.station.name or wish.station.where):
        rows = yield from places(dialogue, wish.station)
        return (yield from one_place(dialogue, wish.station, rows))
    now = yield from trip(dialogue)
    for waypoint in now.waypoints:
        row = dialogue.known.poi(waypoint)
        if row is not None and "charging_plugs" in row:
            return row
    wanted = {"has_available_plug": wish.wants_free, "has_dc_plug": wish.wants_dc}
    filters = tuple(f"charging_stations::{name}" for name, is_wanted in wanted.items() if is_wanted)
    here = Goal(kind="charging_stations", filters=filters)
    rows = yield from places(dialogue, here)
    return (yield from one_place(dialogue, here, rows))


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


def _require_all(tool: str, result: Any) -> None:
    for name in result:
        value(result, tool, name)
