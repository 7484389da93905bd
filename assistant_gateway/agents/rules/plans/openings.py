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
from assistant_gateway.agents.rules.plans import amounts
from assistant_gateway.agents.rules.plans.asking import confirm, detail, spoken_of
from assistant_gateway.agents.rules.plans.questions import outside
from assistant_gateway.agents.rules.wishes.cabin import Adjust
from assistant_gateway.wording.changes import weather_words
from assistant_gateway.wording.spoken import alternatives, words

CLIMATE = "get_climate_settings"
FAIR = frozenset({"sunny", "cloudy", "partly_cloudy"})
WIDE_PERCENT = 25


def sunshade(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    percent = yield from _percent(dialogue, amounts.scale_at("sunshade"), wish)
    return Prepared((change("open_close_sunshade", percentage=percent),))


def sunroof(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    """Never without a look at the weather, and the shade goes along."""
    percent = yield from _percent(dialogue, amounts.scale_at("sunroof"), wish)
    move = dialogue.possible("open_close_sunroof", percentage=percent)
    if percent == 0:
        return Prepared((move,))
    positions = yield from dialogue.look(amounts.ROOF)
    shade = float(value(positions, amounts.ROOF, "sunshade_position"))
    condition = yield from outside(dialogue)
    if condition not in FAIR:
        yield from confirm(
            dialogue,
            f"Outside it is {weather_words(condition)}. Shall I open the sunroof anyway?",
            "Alright, the sunroof stays as it is.",
        )
    shade_along = change("open_close_sunshade", percentage=100)
    return Prepared((move,), by_rule=(shade_along,) if shade < percent else ())


def window(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    if wish.only_open or (wish.verb == "close" and not wish.seats and not wish.says_how):
        return (yield from _close_those_open(wish, dialogue))
    wanted = yield from amounts.chosen(wish, dialogue)
    calls: list[Call] = []
    for pane in wanted:
        scale = amounts.scale_at("window", pane)
        percent = yield from _percent(dialogue, scale, wish)
        if not wish.is_step:
            wish = Adjust(wish.thing, "set", percent, seats=wish.seats)
        calls.append(change("open_close_window", window=pane, percentage=percent))
    if any(call.arguments["percentage"] > WIDE_PERCENT for call in calls):
        yield from _mind_the_air_conditioning(wish, dialogue, calls)
    return Prepared(tuple(calls))


def trunk(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    action = "CLOSE" if wish.verb in ("close", "off", "less") else "OPEN"
    if wish.verb == "set":
        raise Declined("I can open or close the trunk.")
    move = dialogue.possible("open_close_trunk_door", action=action)
    yield from confirm(
        dialogue, f"Shall I {action.lower()} the trunk?", "Alright, the trunk stays as it is."
    )
    return Prepared((move,))


def _percent(dialogue: Dialogue, scale: amounts.Scale, wish: Adjust) -> Steps[float]:
    move = "close" if wish.verb == "close" else "open"
    fully = wish.amount == 100 and not wish.is_step
    if wish.is_off and (fully or not (wish.says_how or wish.vague)):
        return 0
    question = f"How far should I {move} {scale.name}, in percent?"
    usual = 100.0 if _means_fully(wish) else None
    return (
        yield from amounts.amount_for(dialogue, scale, wish, question, plain_step=None, usual=usual)
    )


def _means_fully(wish: Adjust) -> bool:
    """`Open the driver window`: one window, and not a word about how far."""
    is_one = wish.thing == "window" and len(amounts.single_seats(wish.seats)) == 1
    return is_one and wish.verb == "open" and wish.is_command and not wish.vague


def _close_those_open(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    """Of several open windows the driver names those to close, unless all of them are meant."""
    positions = yield from dialogue.look(amounts.PANES)
    now = {pane: value(positions, amounts.PANES, _position(pane)) for pane in amounts.SEATS}
    only_full = wish.amount == 100
    ajar = [p for p, percent in now.items() if percent == 100 or not (only_full or percent == 0)]
    if not ajar:
        return Prepared(sentences=("All windows are closed already.",))
    if len(ajar) > 1 and not wish.only_open:
        names = [words("arguments")["windows"][pane] for pane in ajar]

        def read(answer: str) -> list[str] | None:
            at = spoken_of(answer, names)
            named = [pane for pane in amounts.single_seats(seats(answer)) if pane in ajar]
            return named or (None if at is None else [ajar[at]])

        question = f"Which window should I close: {alternatives(names)}?"
        ajar = yield from detail(dialogue, question, read, ajar)
    return Prepared(tuple(change("open_close_window", window=pane, percentage=0) for pane in ajar))


def _position(pane: str) -> str:
    return f"window_{pane.lower()}_position"


def _mind_the_air_conditioning(wish: Adjust, dialogue: Dialogue, calls: list[Call]) -> Steps[None]:
    for call in calls:
        dialogue.offered.require(call)
    climate = yield from dialogue.look(CLIMATE)
    if value(climate, CLIMATE, "air_conditioning") is not True:
        return
    positions = yield from dialogue.look_if_offered(amounts.PANES)
    if not any(_opens(call, positions) for call in calls):
        return
    yield from confirm(
        dialogue,
        "The air conditioning is on, so open windows waste energy. Shall I open the "
        f"window{'s' if len(calls) > 1 or calls[0].arguments['window'] == 'ALL' else ''} anyway?",
        "Alright, the windows stay as they are.",
    )


def _opens(call: Call, positions: object) -> bool:
    known = positions if isinstance(positions, dict) else {}
    present = [
        known.get(_position(pane)) for pane in amounts.single_seats((call.arguments["window"],))
    ]
    return any(
        not isinstance(now, int | float) or now < call.arguments["percentage"] for now in present
    )
