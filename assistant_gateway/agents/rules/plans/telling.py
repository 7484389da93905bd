"""The present state of a thing of the cabin, in a sentence."""

from pathlib import Path
from string import Formatter
from typing import Any

from assistant_gateway.agents.rules.dialogue import Declined, Dialogue, Prepared, Steps, value
from assistant_gateway.agents.rules.language.patterns import words_of
from assistant_gateway.agents.rules.plans.seats import occupied
from assistant_gateway.agents.rules.wishes.wish import Inquire
from assistant_gateway.wording.spoken import enumerated, spoken

SENTENCES = str(Path(__file__).with_suffix(""))


class _State(Formatter):
    """Words for values: `{fan_speed:level}`."""

    def format_field(self, value: Any, format_spec: str) -> str:
        match format_spec, value:
            case "on", _:
                return "on" if value is True else "off"
            case "level", _:
                return f"at level {value:g}" if value else "off"
            case "position", 0 | "closed" | "CLOSE":
                return "closed"
            case "position", 100 | "open" | "OPEN":
                return "open"
            case "position", _:
                return f"{value:g} percent open"
            case "word", _:
                return spoken(value)
            case "parts", _:
                return spoken(value).replace(" ", " and ")
            case "seats", _:
                return enumerated([spoken(seat) for seat in occupied(value)] or ["none"])
        return str(super().format_field(value, format_spec))


def tell(wish: Inquire, dialogue: Dialogue) -> Steps[Prepared]:
    row = words_of(SENTENCES).get(wish.thing)
    if row is None:
        raise Declined("I'm sorry, I can't look that up: the car doesn't tell me.")
    tool, sentence, *if_all_equal = row
    result = yield from dialogue.look(tool)
    fields = [name for _, name, _, _ in Formatter().parse(sentence) if name]
    values = {name: value(result, tool, name) for name in fields}
    if if_all_equal and all(found == values[fields[0]] for found in values.values()):
        sentence = if_all_equal[0]
    return Prepared(sentences=(_State().vformat(sentence, (), values),))
