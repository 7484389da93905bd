"""Lights outside and inside."""

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.rules.dialogue import Dialogue, Prepared, Steps, change, value
from assistant_gateway.agents.rules.language.details import choice
from assistant_gateway.agents.rules.plans.asking import confirm, detail
from assistant_gateway.agents.rules.plans.preferences import liked_choice
from assistant_gateway.agents.rules.plans.weather import outside
from assistant_gateway.agents.rules.plans.windows import chosen
from assistant_gateway.agents.rules.wishes.things import mentions
from assistant_gateway.agents.rules.wishes.wish import Adjust
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


def fog(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    """With low beams on, high beams off, and a yes unless the weather is made for them."""
    if _off(wish):
        return Prepared((change(FOG, on=False),))
    switch = change(FOG, on=True)
    talk.offered.require(switch)
    lights = yield from talk.look(LIGHTS)
    by_rule: list[Call] = []
    plan = ["switch on the fog lights"]
    if value(lights, LIGHTS, "head_lights_low_beams") is not True:
        by_rule.append(change(LOW, on=True))
        plan.append("switch on the low beams")
    if value(lights, LIGHTS, "head_lights_high_beams") is not False:
        by_rule.append(change(HIGH, on=False))
        plan.append("switch off the high beams")
    condition = yield from outside(talk)
    if not condition.endswith(FOR_FOG_LIGHTS) or len(plan) > 2 or HIGH in _names(by_rule):
        yield from confirm(
            talk,
            f"Outside it is {weather_words(condition)}. Shall I {' and '.join(plan)}?",
            LEFT_ALONE,
        )
    return Prepared((switch,), by_rule=tuple(by_rule))


def high_beams(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    is_on = not _off(wish)
    switch = change(HIGH, on=is_on)
    talk.offered.require(switch)
    by_rule: tuple[Call, ...] = ()
    question = f"Shall I switch {'on' if is_on else 'off'} the high beams?"
    if is_on:
        lights = yield from talk.look(LIGHTS)
        if value(lights, LIGHTS, "fog_lights") is not False:
            by_rule = (change(FOG, on=False),)
            question = (
                "High beams and fog lights do not go together. Shall I switch off the fog lights "
                "and switch on the high beams?"
            )
    yield from confirm(talk, question, LEFT_ALONE)
    return Prepared((switch,), by_rule=by_rule)


def low_beams(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    yield from ()
    return Prepared((change(LOW, on=not _off(wish)),))


def some_lights(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    """Just `the lights`: those that are on go off; which to switch on may have to be told."""
    plans = {"fog": fog, "high_beams": high_beams, "low_beams": low_beams,
             "reading": reading, "ambient": ambient}  # fmt: skip

    if set(wish.seats) - {"ALL", "PLURAL"}:
        return (yield from reading(wish, talk))
    clear = yield from _clear_from_state(wish, talk)
    if clear:
        done: list[Prepared] = []
        for thing in clear:
            done.append((yield from plans[thing](wish, talk)))
        return Prepared(
            tuple(call for plan in done for call in plan.calls),
            by_rule=tuple(call for plan in done for call in plan.by_rule),
        )

    def read(answer: str) -> str | None:
        return next((thing for thing in mentions(answer) if thing in plans), None)

    which = "the low beams, the high beams, the fog lights, a reading light or the ambient light"
    thing = yield from detail(talk, f"Which lights do you mean: {which}?", read, "low_beams")
    return (yield from plans[thing](wish, talk))


def _clear_from_state(wish: Adjust, talk: Dialogue) -> Steps[tuple[str, ...]]:
    """Which lights outside are meant, if their present state leaves one sensible choice."""
    status = yield from talk.look_if_offered(LIGHTS)
    lit = [thing for thing, field in _OUTSIDE.items() if status.get(field) is True]
    if not status:
        return ()
    if _off(wish):
        return tuple(lit)
    if "low_beams" not in lit:
        return ("low_beams",)
    if wish.thing == "exterior_lights" and "high_beams" not in lit:
        return ("high_beams",)
    return ()


def reading(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    talk.offered.require(change("set_reading_light", position="ALL", on=True))
    positions = yield from chosen(wish, talk)
    calls = (change("set_reading_light", position=seat, on=not _off(wish)) for seat in positions)
    return Prepared(tuple(calls))


def ambient(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    if _off(wish) and wish.choice is None:
        return Prepared((change("set_ambient_lights", on=False, lightcolor="NONE"),))
    talk.offered.require(change("set_ambient_lights", on=True, lightcolor="WHITE"))
    colour = wish.choice or (yield from liked_choice(talk, "ambient"))
    if colour == "CAR":
        result = yield from talk.look("get_car_color")
        colour = str(value(result, "get_car_color", "car_color")).upper()
    if colour is None:
        colour = yield from detail(
            talk,
            "Which colour would you like for the ambient light?",
            lambda answer: choice("ambient", answer),
            "WHITE",
        )
    return Prepared((change("set_ambient_lights", on=True, lightcolor=colour),))


def _off(wish: Adjust) -> bool:
    return wish.verb in ("off", "close")


def _names(calls: list[Call]) -> set[str]:
    return {call.name for call in calls}
