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
from assistant_gateway.agents.rules.wishes.wish import WET, Weather
from assistant_gateway.wording.findings import found

_SAYS = Patterns(__file__)

WEATHER = "get_weather"


def outside(dialogue: Dialogue) -> Steps[str]:
    """What the sky is doing where the car is."""
    now, place_id = dialogue.situation.now, dialogue.situation.place_id
    if now is None or place_id is None:
        raise Lacking(f"result.{WEATHER}.condition")
    slot = yield from slot_at(dialogue, place_id, now.hour, now.minute)
    return str(value(slot, WEATHER, "condition"))


def slot_at(dialogue: Dialogue, place_id: str, hour: int, minute: int) -> Steps[dict[str, object]]:
    """The forecast of today for a time."""
    now = dialogue.situation.now
    if now is None:
        raise Lacking(f"result.{WEATHER}.condition")
    result = yield from dialogue.look(
        WEATHER,
        location_or_poi_id=place_id,
        month=now.month,
        day=now.day,
        time_hour_24hformat=hour,
        time_minutes=minute,
    )
    slot = value(result, WEATHER, "current_slot")
    return slot if isinstance(slot, dict) else {}


FIELDS = ("condition", "temperature_c", "start_time", "end_time")


def weather(wish: Weather, dialogue: Dialogue) -> Steps[Prepared]:
    slot = yield from slot_asked_for(wish, dialogue)
    for name in FIELDS:
        value(slot, WEATHER, name)
    text = found(WEATHER, {"current_slot": slot}, dialogue.known)
    if _SAYS["asked_for_rain"].search(wish.said):
        is_wet = any(word in str(slot["condition"]) for word in WET)
        text = f"{'Yes' if is_wet else 'No'}, {text[0].lower()}{text[1:]}"
    return Prepared(sentences=(text,))


def slot_asked_for(wish: Weather, dialogue: Dialogue) -> Steps[dict[str, object]]:
    now = dialogue.situation.now
    if now is None:
        raise Declined("I don't know what time it is, so I can't look up the weather.")
    if is_another_day(wish.said):
        raise Declined("I only have the forecast of today.")
    place_id = yield from location(dialogue, wish.where)
    hour, minute = time_in(wish.said) or (now.hour, now.minute)
    return (yield from slot_at(dialogue, place_id, hour, minute))
