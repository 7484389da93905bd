"""The weather somewhere, today."""

from assistant_gateway.agents.rules.dialogue import (
    Declined,
    Dialogue,
    Lacking,
    Prepared,
    Steps,
    value,
)
from assistant_gateway.agents.rules.language.patterns import Patterns
from assistant_gateway.agents.rules.language.times import is_another_day, time_in
from assistant_gateway.agents.rules.plans.places import location
from assistant_gateway.agents.rules.plans.routes import trip
from assistant_gateway.agents.rules.wishes.wish import WET, Weather
from assistant_gateway.wording.findings import found
from assistant_gateway.wording.trip import minutes_of

_SAYS = Patterns(__file__)

WEATHER = "get_weather"


def outside(talk: Dialogue) -> Steps[str]:
    """What the sky is doing where the car is."""
    now, place_id = talk.situation.now, talk.situation.place_id
    if now is None or place_id is None:
        raise Lacking(f"result.{WEATHER}.condition")
    slot = yield from slot_at(talk, place_id, now.hour, now.minute)
    return str(value(slot, WEATHER, "condition"))


def slot_at(talk: Dialogue, place_id: str, hour: int, minute: int) -> Steps[dict[str, object]]:
    """The forecast of today for a time."""
    now = talk.situation.now
    if now is None:
        raise Lacking(f"result.{WEATHER}.condition")
    result = yield from talk.look(
        WEATHER,
        location_or_poi_id=place_id,
        month=now.month,
        day=now.day,
        time_hour_24hformat=hour,
        time_minutes=minute,
    )
    slot = value(result, WEATHER, "current_slot")
    return slot if isinstance(slot, dict) else {}


TOLD = ("condition", "temperature_c", "start_time", "end_time")


def weather(wish: Weather, talk: Dialogue) -> Steps[Prepared]:
    slot = yield from slot_asked_for(wish, talk)
    for name in TOLD:
        value(slot, WEATHER, name)
    told = found(WEATHER, {"current_slot": slot}, talk.known)
    if _SAYS["asked_for_rain"].search(wish.said):
        is_wet = any(word in str(slot["condition"]) for word in WET)
        told = f"{'Yes' if is_wet else 'No'}, {told[0].lower()}{told[1:]}"
    return Prepared(told=(told,))


def slot_asked_for(wish: Weather, talk: Dialogue) -> Steps[dict[str, object]]:
    now = talk.situation.now
    if now is None:
        raise Declined("I don't know what time it is, so I can't look up the weather.")
    if is_another_day(wish.said):
        raise Declined("I only have the forecast of today.")
    where, time = wish.where, time_in(wish.said, now)
    if where is None and _at_the_destination(wish.said):
        followed = yield from trip(talk)
        if followed.is_active:
            place_id = followed.waypoints[-1]
            routes = [route for route in map(talk.known.route, followed.routes) if route]
            minute = now.minute_of_day + sum(minutes_of(route) for route in routes)
            arrival = divmod(min(minute, 24 * 60 - 1), 60)
            return (yield from slot_at(talk, place_id, *(time or arrival)))
    place_id = yield from location(talk, where)
    return (yield from slot_at(talk, place_id, *(time or (now.hour, now.minute))))


def _at_the_destination(said: str) -> bool:
    return any(word in said.lower() for word in ("destination", "arriv", "get there", "there"))
