"""The weather of now, here."""

from assistant_gateway.agents.rules.outcomes import Lacking
from assistant_gateway.agents.rules.steps import Steps, Talk, value

WEATHER = "get_weather"


def outside(talk: Talk) -> Steps[str]:
    """What the sky is doing where the car is."""
    now, place_id = talk.situation.now, talk.situation.place_id
    if now is None or place_id is None:
        raise Lacking(f"result.{WEATHER}.condition")
    slot = yield from slot_at(talk, place_id, now.hour, now.minute)
    return str(value(slot, WEATHER, "condition"))


def slot_at(talk: Talk, place_id: str, hour: int, minute: int) -> Steps[dict[str, object]]:
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
