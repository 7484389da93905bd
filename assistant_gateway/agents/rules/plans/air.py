"""Fan, airflow, circulation, air conditioning, defrost and temperature."""

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.rules.dialogue import (
    Declined,
    Dialogue,
    Prepared,
    Steps,
    change,
    value,
)
from assistant_gateway.agents.rules.language.details import choice
from assistant_gateway.agents.rules.plans.amounts import amount_for
from assistant_gateway.agents.rules.plans.asking import detail
from assistant_gateway.agents.rules.plans.preferences import liked_choice
from assistant_gateway.agents.rules.plans.scales import FAN
from assistant_gateway.agents.rules.plans.windows import windows
from assistant_gateway.agents.rules.wishes.wish import Adjust

CLIMATE = "get_climate_settings"
PANES = "get_vehicle_window_positions"
DEFROST_FAN = 2
OPEN_PERCENT = 20


def fan(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    if wish.verb in ("off", "close") and not wish.says_how:
        return Prepared((change("set_fan_speed", level=0),))
    talk.offered.require(change("set_fan_speed", level=1))
    question = "To which level should I set the fan, from 1 to 5?"
    level = yield from amount_for(talk, FAN, wish, question, plain_step=1)
    return Prepared((change("set_fan_speed", level=level),))


def airflow(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    talk.offered.require(change("set_fan_airflow_direction", direction="FEET"))
    direction = wish.choice or (yield from liked_choice(talk, "airflow"))
    if direction is None:
        direction = yield from detail(
            talk,
            "Where should the air go: to the windshield, the head or the feet?",
            lambda answer: choice("airflow", answer),
            "HEAD_FEET",
        )
    return Prepared((change("set_fan_airflow_direction", direction=direction),))


def circulation(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    talk.offered.require(change("set_air_circulation", mode="AUTO"))
    mode = wish.choice
    if wish.verb in ("off", "close") and mode in ("FRESH_AIR", "RECIRCULATION"):
        mode = "RECIRCULATION" if mode == "FRESH_AIR" else "FRESH_AIR"
    mode = mode or (yield from liked_choice(talk, "circulation"))
    if mode is None:
        mode = yield from detail(
            talk,
            "Which air circulation would you like: fresh air, recirculation or automatic?",
            lambda answer: choice("circulation", answer),
            "AUTO",
        )
    return Prepared((change("set_air_circulation", mode=mode),))


def air_conditioning(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    if wish.verb in ("off", "close"):
        return Prepared((change("set_air_conditioning", on=False),))
    if wish.says_how:
        raise Declined("The air conditioning can only be on or off.")
    switch = change("set_air_conditioning", on=True)
    talk.offered.require(switch)
    return Prepared((switch,), by_rule=(yield from _with_air_conditioning(talk)))


def defrost(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    pane = wish.choice or "FRONT"
    is_on = wish.verb not in ("off", "close", "less")
    switch = change("set_window_defrost", on=is_on, defrost_window=pane)
    talk.offered.require(switch)
    if not is_on or pane == "REAR":
        return Prepared((switch,))
    climate = yield from talk.look(CLIMATE)
    by_rule: list[Call] = []
    if float(value(climate, CLIMATE, "fan_speed")) < DEFROST_FAN:
        by_rule.append(change("set_fan_speed", level=DEFROST_FAN))
    if "WINDSHIELD" not in str(value(climate, CLIMATE, "fan_airflow_direction")):
        by_rule.append(change("set_fan_airflow_direction", direction="WINDSHIELD"))
    if value(climate, CLIMATE, "air_conditioning") is not True:
        by_rule.append(change("set_air_conditioning", on=True))
        bundle = yield from _with_air_conditioning(talk)
        by_rule += [call for call in bundle if call.name != "set_fan_speed"]
    return Prepared((switch,), by_rule=tuple(by_rule))


def _with_air_conditioning(talk: Dialogue) -> Steps[tuple[Call, ...]]:
    """What goes along with switching it on: windows closed, and the fan running."""
    climate, positions = yield from talk.look_all(Call(CLIMATE), Call(PANES))
    wide = [
        pane
        for pane in windows(("ALL",))
        if float(value(positions, PANES, f"window_{pane.lower()}_position")) > OPEN_PERCENT
    ]
    calls = [change("open_close_window", window=pane, percentage=0) for pane in wide]
    if float(value(climate, CLIMATE, "fan_speed")) == 0:
        calls.append(change("set_fan_speed", level=1))
    return tuple(calls)
