"""What is set to a level or to one of several modes: fan, heated wheel, airflow, light colour."""

from dataclasses import dataclass

from assistant_gateway.agents.rules.dialogue import Dialogue, Prepared, Steps, change, value
from assistant_gateway.agents.rules.language.details import choice
from assistant_gateway.agents.rules.plans.amounts import amount_for, scale_at
from assistant_gateway.agents.rules.plans.asking import detail, liked_choice
from assistant_gateway.agents.rules.wishes.wish import Adjust


@dataclass(frozen=True, slots=True)
class Setting:
    """The tool and the argument to set, and what to ask; `otherwise` if that is left open."""

    tool: str
    argument: str
    question: str
    otherwise: str = ""


LEVELS = {
    "fan": Setting("set_fan_speed", "level", "To which level should I set the fan, from 1 to 5?"),
    "wheel_heating": Setting(
        "set_steering_wheel_heating",
        "level",
        "To which level should I set the steering wheel heating, from 1 to 3?",
    ),
}
MODES = {
    "airflow": Setting(
        "set_fan_airflow_direction",
        "direction",
        "Where should the air go: to the windshield, the head or the feet?",
        "HEAD_FEET",
    ),
    "ambient": Setting(
        "set_ambient_lights",
        "lightcolor",
        "Which colour would you like for the ambient light?",
        "WHITE",
    ),
    "circulation": Setting(
        "set_air_circulation",
        "mode",
        "Which air circulation would you like: fresh air, recirculation or automatic?",
        "AUTO",
    ),
}
_OTHER_AIR = {"FRESH_AIR": "RECIRCULATION", "RECIRCULATION": "FRESH_AIR"}


def level(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    """Off, or to a level; more and less are one level."""
    setting = LEVELS[wish.thing]
    if wish.is_off and not wish.says_how:
        return Prepared((change(setting.tool, level=0),))
    dialogue.offered.require(change(setting.tool, level=1))
    scale = scale_at(wish.thing)
    amount = yield from amount_for(dialogue, scale, wish, setting.question, plain_step=1)
    return Prepared((change(setting.tool, level=amount),))


def charge_limit(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    dialogue.offered.require(change("set_charge_limit", limit_percent=80))
    amount = None if wish.is_step else wish.amount
    absolute = Adjust("charge_limit", "set", amount, strength=wish.strength)
    question = "To how many percent may the battery be charged?"
    scale = scale_at("charge_limit")
    percent = yield from amount_for(dialogue, scale, absolute, question, plain_step=None)
    return Prepared((change("set_charge_limit", limit_percent=percent),))


def mode(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    """The mode that was named, else the liked one, else the one the driver answers."""
    setting = MODES[wish.thing]
    on = {"on": True} if wish.thing == "ambient" else {}
    dialogue.offered.require(change(setting.tool, **on, **{setting.argument: setting.otherwise}))
    chosen = wish.choice
    if wish.thing == "circulation" and wish.is_off:
        chosen = _OTHER_AIR.get(chosen or "", chosen)
    chosen = chosen or (yield from liked_choice(dialogue, wish.thing))
    if chosen == "CAR":
        result = yield from dialogue.look("get_car_color")
        chosen = str(value(result, "get_car_color", "car_color")).upper()
    if chosen is None:
        chosen = yield from detail(
            dialogue,
            setting.question,
            lambda answer: choice(wish.thing, answer),
            setting.otherwise,
        )
    return Prepared((change(setting.tool, **on, **{setting.argument: chosen}),))


def ambient(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    if wish.is_off and wish.choice is None:
        return Prepared((change("set_ambient_lights", on=False, lightcolor="NONE"),))
    return (yield from mode(wish, dialogue))
