"""What the driver asks about: the state of the car, the weather, battery and charging."""

from string import Formatter
from typing import Any

from assistant_gateway.agents.rules.dialogue import (
    UNKNOWN,
    Declined,
    Dialogue,
    Lacking,
    Prepared,
    Steps,
    require,
    value,
)
from assistant_gateway.agents.rules.language.details import is_another_day, time_in
from assistant_gateway.agents.rules.language.patterns import Patterns, words_of
from assistant_gateway.agents.rules.plans.amounts import occupied
from assistant_gateway.agents.rules.plans.places import (
    FASTEST,
    location,
    one_place,
    one_route,
    place,
    places,
    trip,
)
from assistant_gateway.agents.rules.wishes import questions as wishes
from assistant_gateway.agents.rules.wishes.cabin import Inquire
from assistant_gateway.agents.rules.wishes.trip import Goal
from assistant_gateway.wording.findings import found, found_beside_changes
from assistant_gateway.wording.spoken import enumerated, kilometres, spoken
from assistant_gateway.wording.trip import place_name

_SAYS = Patterns(__file__)
WEATHER = "get_weather"
SPECS = "get_charging_specs_and_status"
DISTANCE = "get_distance_by_soc"
TIME = "calculate_charging_time_by_soc"
CHARGED = "calculate_charging_soc_by_time"
Row = dict[str, Any]


class _State(Formatter):
    """Words for values: `{fan_speed:level}`."""

    def format_field(self, value: Any, format_spec: str) -> str:
        match format_spec, value:
            case "on", _:
                return "on" if value is True else "off"
            case "level", _:
                return f"at level {value:g}" if value else "off"
            case "position", 0 | "closed" | "CLOSE":
                return "closed"
            case "position", 100 | "open" | "OPEN":
                return "open"
            case "position", _:
                return f"{value:g} percent open"
            case "word", _:
                return spoken(value)
            case "parts", _:
                return spoken(value).replace(" ", " and ")
            case "seats", _:
                return enumerated([spoken(seat) for seat in occupied(value)] or ["none"])
        return str(super().format_field(value, format_spec))


def tell(wish: Inquire, dialogue: Dialogue) -> Steps[Prepared]:
    row = words_of(__file__)["states"].get(wish.thing)
    if row is None:
        raise Declined("I'm sorry, I can't look that up: the car doesn't tell me.")
    tool, sentence, *if_all_equal = row
    result = yield from dialogue.look(tool)
    fields = [name for _, name, _, _ in Formatter().parse(sentence) if name]
    values = {name: value(result, tool, name) for name in fields}
    if if_all_equal and all(found == values[fields[0]] for found in values.values()):
        sentence = if_all_equal[0]
    return Prepared(sentences=(_State().vformat(sentence, (), values),))


def where_and_when(wish: wishes.WhereAndWhen, dialogue: Dialogue) -> Steps[Prepared]:
    """Only as it was at the beginning; no tool tells it."""
    yield from ()
    place_name, now = dialogue.situation.place_name, dialogue.situation.now
    if place_name is None or now is None:
        raise Declined("I'm sorry, I don't know that: the car doesn't tell me.")
    begun = f"When we set off, we were in {place_name}, and it was {now.hour:02d}:{now.minute:02d}."
    return Prepared(sentences=(f"{begun} I can't see more than that.",))


def outside(dialogue: Dialogue) -> Steps[str]:
    """What the sky is doing here and now."""
    slot = yield from slot_asked_for(wishes.Weather(None, ""), dialogue)
    return str(value(slot, WEATHER, "condition"))


def weather(wish: wishes.Weather, dialogue: Dialogue) -> Steps[Prepared]:
    slot = yield from slot_asked_for(wish, dialogue)
    require(slot, WEATHER, "condition", "temperature_c", "start_time", "end_time")
    text = found(WEATHER, {"current_slot": slot}, dialogue.known)
    if _SAYS["asked_for_rain"].search(wish.said):
        is_wet = any(word in str(slot["condition"]) for word in wishes.WET)
        text = f"{'Yes' if is_wet else 'No'}, {text[0].lower()}{text[1:]}"
    return Prepared(sentences=(text,))


def slot_asked_for(wish: wishes.Weather, dialogue: Dialogue) -> Steps[Row]:
    """The forecast of today for a place and a time."""
    now = dialogue.situation.now
    if now is None:
        raise Declined("I don't know what time it is, so I can't look up the weather.")
    if is_another_day(wish.said):
        raise Declined("I only have the forecast of today.")
    hour, minute = time_in(wish.said) or (now.hour, now.minute)
    result = yield from dialogue.look(
        WEATHER,
        location_or_poi_id=(yield from location(dialogue, wish.where)),
        month=now.month,
        day=now.day,
        time_hour_24hformat=hour,
        time_minutes=minute,
    )
    slot = value(result, WEATHER, "current_slot")
    return slot if isinstance(slot, dict) else {}


def battery(wish: wishes.Battery, dialogue: Dialogue) -> Steps[Prepared]:
    if wish.until_percent is None:
        result = yield from dialogue.look(SPECS)
        if wish.is_detailed:
            require(result, SPECS, *result)
            return Prepared(sentences=(found(SPECS, result, dialogue.known),))
        require(result, SPECS, "state_of_charge", "remaining_range")
        return Prepared(sentences=(found_beside_changes(SPECS, result, dialogue.known),))
    start = yield from _charge(dialogue, wish.from_percent)
    result = yield from dialogue.look(
        DISTANCE, initial_state_of_charge=start, final_state_of_charge=wish.until_percent
    )
    require(result, DISTANCE, *result)
    return Prepared(sentences=(found_beside_changes(DISTANCE, result, dialogue.known),))


def reach(wish: wishes.Reach, dialogue: Dialogue) -> Steps[Prepared]:
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


def charging_time(wish: wishes.ChargingTime, dialogue: Dialogue) -> Steps[Prepared]:
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
    require(result, tool, *result)
    return Prepared(sentences=(found_beside_changes(tool, result, dialogue.known),))


def _charge(dialogue: Dialogue, percent: int | None) -> Steps[int]:
    """The percentage that was named, else the state of charge of now."""
    if percent is not None:
        return percent
    specs = yield from dialogue.look(SPECS)
    return round(float(value(specs, SPECS, "state_of_charge")))


def _station(wish: wishes.ChargingTime, dialogue: Dialogue) -> Steps[Row]:
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


def _plug(wish: wishes.ChargingTime, station: Row) -> Row:
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
