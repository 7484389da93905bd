"""Lights outside and inside."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.rules.dialogue import (
    UNKNOWN,
    Dialogue,
    Prepared,
    Steps,
    change,
    value,
)
from assistant_gateway.agents.rules.plans.amounts import SEATS, chosen
from assistant_gateway.agents.rules.plans.asking import confirm, detail
from assistant_gateway.agents.rules.plans.questions import outside
from assistant_gateway.agents.rules.plans.settings import ambient
from assistant_gateway.agents.rules.wishes.cabin import Adjust, mentions
from assistant_gateway.wording.changes import weather_words

LIGHTS = "get_exterior_lights_status"
FOR_FOG_LIGHTS = ("_thunderstorm", "_hail")
LEFT_ALONE = "Alright, I leave the lights as they are."
_OUTSIDE = {
    "fog": "fog_lights",
    "high_beams": "head_lights_high_beams",
    "low_beams": "head_lights_low_beams",
}
HIGH = "set_head_lights_high_beams"
LOW = "set_head_lights_low_beams"
FOG = "set_fog_lights"


def fog(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    """With low beams on, high beams off, and a yes unless the weather is made for them."""
    if wish.is_off:
        return Prepared((change(FOG, on=False),))
    switch = dialogue.possible(FOG, on=True)
    lights = yield from dialogue.look(LIGHTS)
    by_rule: list[Call] = []
    plan = ["switch on the fog lights"]
    if value(lights, LIGHTS, "head_lights_low_beams") is not True:
        by_rule.append(change(LOW, on=True))
        plan.append("switch on the low beams")
    if value(lights, LIGHTS, "head_lights_high_beams") is not False:
        by_rule.append(change(HIGH, on=False))
        plan.append("switch off the high beams")
    condition = yield from outside(dialogue)
    if not condition.endswith(FOR_FOG_LIGHTS) or change(HIGH, on=False) in by_rule:
        yield from confirm(
            dialogue,
            f"Outside it is {weather_words(condition)}. Shall I {' and '.join(plan)}?",
            LEFT_ALONE,
        )
    return Prepared((switch,), by_rule=tuple(by_rule))


def high_beams(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    is_on = not wish.is_off
    switch = dialogue.possible(HIGH, on=is_on)
    by_rule: tuple[Call, ...] = ()
    question = f"Shall I switch {'on' if is_on else 'off'} the high beams?"
    if is_on:
        lights = yield from dialogue.look(LIGHTS)
        if value(lights, LIGHTS, "fog_lights") is not False:
            by_rule = (change(FOG, on=False),)
            question = (
                "High beams and fog lights do not go together. Shall I switch off the fog lights "
                "and switch on the high beams?"
            )
    yield from confirm(dialogue, question, LEFT_ALONE)
    return Prepared((switch,), by_rule=by_rule)


def low_beams(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    yield from ()
    return Prepared((change(LOW, on=not wish.is_off),))


def some_lights(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    """Just `the lights`: those that are on go off; which to switch on may have to be asked."""
    if set(wish.seats) - {"ALL", "PLURAL"}:
        return (yield from reading(wish, dialogue))
    things = yield from _clear_from_state(wish, dialogue)
    if not things and wish.is_off:
        return (yield from _inside_off(dialogue))
    if not things:
        thing = yield from detail(
            dialogue,
            "Which lights do you mean: the low beams, the high beams, the fog lights, a reading "
            "light or the ambient light?",
            lambda answer: next((thing for thing in mentions(answer) if thing in PLANS), None),
            "low_beams",
        )
        things = (thing,)
    plans = []
    for thing in things:
        plans.append((yield from PLANS[thing](replace(wish, thing=thing), dialogue)))
    return Prepared(
        tuple(call for plan in plans for call in plan.calls),
        by_rule=tuple(call for plan in plans for call in plan.by_rule),
    )


def _clear_from_state(wish: Adjust, dialogue: Dialogue) -> Steps[tuple[str, ...]]:
    """Which lights outside are meant, if their present state leaves one sensible choice."""
    status = yield from dialogue.look_if_offered(LIGHTS)
    lit = [thing for thing, field in _OUTSIDE.items() if status.get(field) is True]
    if not status:
        return ()
    if wish.is_off:
        return tuple(lit)
    if "low_beams" not in lit:
        return ("low_beams",)
    if wish.thing == "exterior_lights" and "high_beams" not in lit:
        return ("high_beams",)
    return ()


def _inside_off(dialogue: Dialogue) -> Steps[Prepared]:
    """The lights inside that are lit go off, where no light outside is lit."""
    reading = yield from dialogue.look_if_offered("get_reading_lights_status")
    ambient = yield from dialogue.look_if_offered("get_ambient_light_status_and_color")
    calls = [
        change("set_reading_light", position=seat, on=False)
        for seat in SEATS
        if reading.get(f"reading_light_{seat.lower()}") is True
    ]
    if ambient.get("ambient_light", "OFF") not in ("OFF", UNKNOWN):
        calls.append(change("set_ambient_lights", on=False, lightcolor="NONE"))
    return Prepared(tuple(calls), sentences=() if calls else ("All lights are off already.",))


def reading(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    dialogue.possible("set_reading_light", position="ALL", on=True)
    positions = yield from chosen(wish, dialogue)
    calls = (change("set_reading_light", position=seat, on=not wish.is_off) for seat in positions)
    return Prepared(tuple(calls))


PLANS: Mapping[str, Callable[[Adjust, Dialogue], Steps[Prepared]]] = {
    "fog": fog,
    "high_beams": high_beams,
    "low_beams": low_beams,
    "reading": reading,
    "ambient": ambient,
}
