"""Settings of the cabin: climate, heating, fan, airflow, ambient light, charge limit."""

from dataclasses import dataclass

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.rules.dialogue import (
    Declined,
    Dialogue,
    Prepared,
    Steps,
    change,
    value,
)
from assistant_gateway.agents.rules.language.details import choice, details
from assistant_gateway.agents.rules.language.patterns import words_of
from assistant_gateway.agents.rules.plans import amounts
from assistant_gateway.agents.rules.plans.asking import detail, liked_value
from assistant_gateway.agents.rules.wishes.cabin import Adjust

_OTHER_AIR = {"FRESH_AIR": "RECIRCULATION", "RECIRCULATION": "FRESH_AIR"}
CLIMATE = "get_climate_settings"
DEFROST_FAN = 2
OPEN_PERCENT = 20
APART_DEGREES = 3
WARMER_DEGREES = 2
FRONT = ("DRIVER", "PASSENGER")


@dataclass(frozen=True, slots=True)
class Setting:
    """A row of settings.yaml: the tool and its argument, and what to ask if nobody says it."""

    tool: str
    argument: str
    question: str
    otherwise: str = ""


def level(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    """Off, or to a level; more and less are one level."""
    setting = Setting(**words_of(__file__)[wish.thing])
    if wish.is_off and not wish.says_how:
        return Prepared((change(setting.tool, level=0),))
    dialogue.possible(setting.tool, level=1)
    scale = amounts.scale_at(wish.thing)
    amount = yield from amounts.amount_for(dialogue, scale, wish, setting.question, plain_step=1)
    return Prepared((change(setting.tool, level=amount),))


def charge_limit(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    dialogue.possible("set_charge_limit", limit_percent=80)
    amount = None if wish.is_step else wish.amount
    absolute = Adjust("charge_limit", "set", amount, strength=wish.strength)
    question = "To how many percent may the battery be charged?"
    scale = amounts.scale_at("charge_limit")
    percent = yield from amounts.amount_for(dialogue, scale, absolute, question, plain_step=None)
    return Prepared((change("set_charge_limit", limit_percent=percent),))


def mode(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    """The mode that was named, else the liked one, else the one the driver answers."""
    setting = Setting(**words_of(__file__)[wish.thing])
    on = {"on": True} if wish.thing == "ambient" else {}
    dialogue.possible(setting.tool, **on, **{setting.argument: setting.otherwise})
    chosen = wish.choice
    if wish.thing == "circulation" and wish.is_off:
        chosen = _OTHER_AIR.get(chosen or "", chosen)
    if not chosen:
        chosen = yield from liked_value(dialogue, wish.thing, lambda text: choice(wish.thing, text))
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
    if wish.is_off:
        return Prepared((change("set_ambient_lights", on=False, lightcolor="NONE"),))
    return (yield from mode(wish, dialogue))


def temperature(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    if wish.verb == "off":
        raise Declined("The heating goes by the temperature; tell me how many degrees you want.")
    zones = _front((yield from amounts.seated(dialogue, wish.seats)))
    if not zones and wish.seats:
        return Prepared()
    targets: dict[str, float] = {}
    for zone in zones or FRONT:
        dialogue.offered.require(_warm(22, zone))
        question = "To how many degrees should I set the temperature?"
        step = None if wish.verb == "set" else WARMER_DEGREES
        scale = amounts.scale_at("temperature", zone)
        targets[zone] = yield from amounts.amount_for(
            dialogue, scale, wish, question, plain_step=step
        )
        if not wish.is_step and wish.verb not in ("more", "less"):
            wish = Adjust(wish.thing, "set", targets[zone], seats=wish.seats)
    if len(targets) == len(FRONT) and len(set(targets.values())) == 1:
        return Prepared((_warm(targets["DRIVER"], "ALL_ZONES"),))
    calls = tuple(_warm(degrees, zone) for zone, degrees in targets.items())
    return Prepared(calls, remarks=(yield from _apart(dialogue, targets)))


def seat_heating(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    seats = _front((yield from amounts.seated(dialogue, wish.seats)))
    if not seats and wish.seats:
        return Prepared()
    if wish.is_off and not wish.says_how:
        if "EMPTY" in wish.seats:
            seats = yield from _heated(dialogue, seats)
        return Prepared((_heat(0, seats or FRONT),)) if seats or not wish.seats else Prepared()
    dialogue.offered.require(_heat(1, seats or FRONT))
    if wish.is_step or (wish.verb in ("more", "less") and not wish.says_how):
        return (yield from _step_by_step(wish, dialogue, seats))
    level, seats = yield from _heat_wanted(wish, dialogue, seats)
    return Prepared((_heat(level, seats or (yield from _taken(dialogue))),))


def _heat_wanted(
    wish: Adjust, dialogue: Dialogue, seats: tuple[str, ...]
) -> Steps[tuple[float, tuple[str, ...]]]:
    """The level and the seats; an answer about the level may name seats as well."""
    scale = amounts.scale_at("seat_heating")
    level = amounts.stated(scale, wish)
    if wish.like is not None:
        level = yield from amounts.amount_for(dialogue, scale, wish, "", plain_step=None)
    if level is None:
        level = yield from amounts.liked_amount(dialogue, scale, "seat_heating")
    if level is None:
        question = "To which level should I set the seat heating, from 1 to 3" + (
            "?" if seats else ", and for your seat or for both?"
        )
        undecided: tuple[float, tuple[str, ...]] = (scale.middle, ())
        level, named = yield from detail(
            dialogue, question, lambda answer: _level_and_seats(scale, answer), undecided
        )
        seats = seats or named
    if not scale.lowest <= level <= scale.highest:
        raise scale.out_of_range()
    return scale.within(level), seats


def _heated(dialogue: Dialogue, seats: tuple[str, ...]) -> Steps[tuple[str, ...]]:
    """Those of the seats that are warm."""
    warm = []
    for seat in seats:
        level = yield from amounts.present(dialogue, amounts.scale_at("seat_heating", seat))
        warm += [seat] if level else []
    return tuple(warm)


def _step_by_step(wish: Adjust, dialogue: Dialogue, seats: tuple[str, ...]) -> Steps[Prepared]:
    targets = {}
    for zone in seats or (yield from _taken(dialogue)):
        scale = amounts.scale_at("seat_heating", zone)
        targets[zone] = yield from amounts.amount_for(dialogue, scale, wish, "", plain_step=1)
    if len(set(targets.values())) == 1:
        return Prepared((_heat(next(iter(targets.values())), tuple(targets)),))
    return Prepared(tuple(_heat(level, (zone,)) for zone, level in targets.items()))


def _warm(degrees: float, zone: str) -> Call:
    return change("set_climate_temperature", temperature=degrees, seat_zone=zone)


def _level_and_seats(scale: amounts.Scale, answer: str) -> tuple[float, tuple[str, ...]] | None:
    said = details(answer)
    level = amounts.stated(scale, said)
    return None if level is None else (level, _front(said.seats))


def _heat(level: float, seats: tuple[str, ...]) -> Call:
    zone = "ALL_ZONES" if len(seats) > 1 else seats[0]
    return change("set_seat_heating", level=level, seat_zone=zone)


def _front(seats: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(seat for seat in amounts.single_seats(seats) if seat in FRONT)


def _taken(dialogue: Dialogue) -> Steps[tuple[str, ...]]:
    """The front seats where somebody sits; both if the car does not tell."""
    result = yield from dialogue.look_if_offered(amounts.OCCUPANCY)
    return _front(amounts.occupied(result.get("seats_occupied"))) or FRONT


def _apart(dialogue: Dialogue, targets: dict[str, float]) -> Steps[tuple[str, ...]]:
    """A remark if driver and passenger end up far apart."""
    now = yield from dialogue.look_if_offered(amounts.CABIN)
    both = [targets.get(zone, now.get(f"climate_temperature_{zone.lower()}")) for zone in FRONT]
    known = [float(degrees) for degrees in both if isinstance(degrees, int | float)]
    if len(known) < len(both):
        return ()
    apart = abs(known[0] - known[1])
    if apart <= APART_DEGREES:
        return ()
    return (f"Driver and passenger side are {apart:g} degrees apart.",)


def air_conditioning(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    if wish.is_off:
        return Prepared((change("set_air_conditioning", on=False),))
    if wish.says_how:
        raise Declined("The air conditioning can only be on or off.")
    switch = dialogue.possible("set_air_conditioning", on=True)
    return Prepared((switch,), by_rule=(yield from _with_air_conditioning(dialogue)))


def defrost(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    pane = wish.choice or "FRONT"
    is_on = wish.verb not in ("off", "close", "less")
    switch = dialogue.possible("set_window_defrost", on=is_on, defrost_window=pane)
    if not is_on or pane == "REAR":
        return Prepared((switch,))
    climate = yield from dialogue.look(CLIMATE)
    by_rule: list[Call] = []
    if float(value(climate, CLIMATE, "fan_speed")) < DEFROST_FAN:
        by_rule.append(change("set_fan_speed", level=DEFROST_FAN))
    if "WINDSHIELD" not in str(value(climate, CLIMATE, "fan_airflow_direction")):
        by_rule.append(change("set_fan_airflow_direction", direction="WINDSHIELD"))
    if value(climate, CLIMATE, "air_conditioning") is not True:
        by_rule.append(change("set_air_conditioning", on=True))
        bundle = yield from _with_air_conditioning(dialogue)
        by_rule += [call for call in bundle if call.name != "set_fan_speed"]
    return Prepared((switch,), by_rule=tuple(by_rule))


def _with_air_conditioning(dialogue: Dialogue) -> Steps[tuple[Call, ...]]:
    """What goes along with switching it on: windows closed, and the fan running."""
    climate, positions = yield from dialogue.look_all(Call(CLIMATE), Call(amounts.PANES))
    wide = [
        pane
        for pane in amounts.SEATS
        if float(value(positions, amounts.PANES, f"window_{pane.lower()}_position")) > OPEN_PERCENT
    ]
    calls = [change("open_close_window", window=pane, percentage=0) for pane in wide]
    if float(value(climate, CLIMATE, "fan_speed")) == 0:
        calls.append(change("set_fan_speed", level=1))
    return tuple(calls)
