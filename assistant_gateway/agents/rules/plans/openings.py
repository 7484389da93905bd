"""Windows, sunroof, sunshade and trunk."""

from assistant_gateway.agents.agent import Call
from assistant_gateway.agents.rules.dialogue import (
    Declined,
    Dialogue,
    Prepared,
    Steps,
    change,
    value,
)
from assistant_gateway.agents.rules.language.details import seats
from assistant_gateway.agents.rules.plans.amounts import amount_for
from assistant_gateway.agents.rules.plans.asking import confirm, detail, spoken_of
from assistant_gateway.agents.rules.plans.scales import ROOF, SUNROOF, SUNSHADE, Scale
from assistant_gateway.agents.rules.plans.scales import pane as pane_scale
from assistant_gateway.agents.rules.plans.weather import outside
from assistant_gateway.agents.rules.plans.windows import chosen, windows
from assistant_gateway.agents.rules.wishes.wish import Adjust
from assistant_gateway.wording.changes import weather_words
from assistant_gateway.wording.spoken import alternatives, words

PANES = "get_vehicle_window_positions"
CLIMATE = "get_climate_settings"
FAIR = frozenset({"sunny", "cloudy", "partly_cloudy"})
WIDE_PERCENT = 25


def sunshade(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    percent = yield from _percent(talk, SUNSHADE, wish)
    return Prepared((change("open_close_sunshade", percentage=percent),))


def sunroof(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    """Never without a look at the weather, and the shade goes along."""
    percent = yield from _percent(talk, SUNROOF, wish)
    move = change("open_close_sunroof", percentage=percent)
    talk.offered.require(move)
    if percent == 0:
        return Prepared((move,))
    positions = yield from talk.look(ROOF)
    shade = float(value(positions, ROOF, SUNSHADE.field))
    condition = yield from outside(talk)
    if condition not in FAIR:
        yield from confirm(
            talk,
            f"Outside it is {weather_words(condition)}. Shall I open the sunroof anyway?",
            "Alright, the sunroof stays as it is.",
        )
    shade_along = change("open_close_sunshade", percentage=100)
    return Prepared((move,), by_rule=(shade_along,) if shade < percent else ())


def window(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    if wish.only_open or (wish.verb == "close" and not wish.seats and not wish.says_how):
        return (
            yield from _close_those_open(talk, fully=wish.amount == 100, all_of_them=wish.only_open)
        )
    wanted = yield from chosen(wish, talk)
    calls: list[Call] = []
    for pane in wanted:
        scale = pane_scale(pane)
        percent = yield from _percent(talk, scale, wish, len(calls))
        wish = wish if wish.is_step else _settled(wish, percent)
        calls.append(change("open_close_window", window=pane, percentage=percent))
    if any(call.arguments["percentage"] > WIDE_PERCENT for call in calls):
        yield from _mind_the_air_conditioning(wish, talk, calls)
    return Prepared(tuple(calls))


def trunk(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    action = "CLOSE" if wish.verb in ("close", "off", "less") else "OPEN"
    if wish.verb == "set":
        raise Declined("I can open or close the trunk.")
    move = change("open_close_trunk_door", action=action)
    talk.offered.require(move)
    yield from confirm(
        talk, f"Shall I {action.lower()} the trunk?", "Alright, the trunk stays as it is."
    )
    return Prepared((move,))


def _percent(talk: Dialogue, scale: Scale, wish: Adjust, asked_before: int = 0) -> Steps[float]:
    move = "close" if wish.verb == "close" else "open"
    fully = wish.amount == 100 and not wish.is_step
    if wish.verb in ("close", "off") and (fully or not (wish.says_how or wish.vague)):
        return 0
    question = f"How far should I {move} {scale.name}, in percent?"
    return (yield from amount_for(talk, scale, wish, question, plain_step=None))


def _settled(wish: Adjust, percent: float) -> Adjust:
    return Adjust(wish.thing, "set", percent, seats=wish.seats)


def _close_those_open(talk: Dialogue, *, fully: bool, all_of_them: bool) -> Steps[Prepared]:
    positions = yield from talk.look(PANES)
    now = {pane: value(positions, PANES, _position(pane)) for pane in windows(("ALL",))}
    ajar = [pane for pane, percent in now.items() if percent == 100 or not (fully or percent == 0)]
    if not ajar:
        return Prepared(told=("All windows are closed already.",))
    if len(ajar) > 1 and not all_of_them:
        names = [words("arguments")["windows"][pane] for pane in ajar]
        question = f"Which window should I close: {alternatives(names)}?"
        ajar = yield from detail(talk, question, lambda answer: _panes_meant(answer, ajar), ajar)
    return Prepared(tuple(change("open_close_window", window=pane, percentage=0) for pane in ajar))


def _panes_meant(answer: str, ajar: list[str]) -> list[str] | None:
    named = [pane for pane in windows(seats(answer)) if pane in ajar]
    by_name = spoken_of(answer, [words("arguments")["windows"][pane] for pane in ajar])
    return named or (None if by_name is None else [ajar[by_name]])


def _position(pane: str) -> str:
    return f"window_{pane.lower()}_position"


def _mind_the_air_conditioning(wish: Adjust, talk: Dialogue, calls: list[Call]) -> Steps[None]:
    for call in calls:
        talk.offered.require(call)
    climate = yield from talk.look(CLIMATE)
    if value(climate, CLIMATE, "air_conditioning") is not True:
        return
    positions = yield from talk.look_if_offered(PANES)
    if not any(_opens(call, positions) for call in calls):
        return
    yield from confirm(
        talk,
        "The air conditioning is on, so open windows waste energy. Shall I open the "
        f"window{'s' if len(calls) > 1 or calls[0].arguments['window'] == 'ALL' else ''} anyway?",
        "Alright, the windows stay as they are.",
    )


def _opens(call: Call, positions: object) -> bool:
    panes = windows((call.arguments["window"],))
    known = positions if isinstance(positions, dict) else {}
    return any(
        not isinstance(now := known.get(_position(pane)), int | float)
        or now < call.arguments["percentage"]
        for pane in panes
    )
