"""How an assistant speaks about calls that change something: what it will do, has done.

Sentences are for the ear: no lists, units in words, 24-hour times.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from string import Formatter
from typing import Any

from assistant_gateway.wording.spoken import enumerated, spoken, words
from assistant_gateway.wording.trip import (
    Atlas,
    place_name,
    place_with_preposition,
    stop_name,
    trip_name,
)

Arguments = Mapping[str, Any]
Phrase = tuple[str, str]  # a verb and the rest: ("open", "the sunroof to 50 percent")
PLACES = {"place": place_name, "at": place_with_preposition, "stop": stop_name}


@dataclass(frozen=True)
class _Fields(Formatter):
    """Fills in the arguments of a call by the words that `words.yaml` or the world has for them."""

    world: Atlas

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec in PLACES:
            return PLACES[format_spec](value, self.world)
        table = words("arguments").get(format_spec)
        return str(table[value]) if table else str(super().format_field(value, format_spec))


def phrase(name: str, given: Arguments, world: Atlas) -> Phrase:
    """What a call does, as a verb and the rest of the sentence."""
    match name:
        case "send_email":
            return "send", f"an e-mail to {_receivers(given, world)}"
        case "set_new_navigation":
            return "start", _new_trip(given, world)
        case "navigation_add_one_waypoint":
            return "add", _added(given, world)
        case "set_ambient_lights" if not given["on"] or given["lightcolor"] == "NONE":
            return "turn", "off the ambient light"
        case "set_ambient_lights":
            return "set", f"the ambient light to {given['lightcolor'].lower()}"
    if name not in words("phrases"):
        return "change", f"what {spoken(name)} is about"
    verb, thing = (_Fields(world).vformat(part, (), given) for part in words("phrases")[name])
    return _with_verb(verb, thing, given)


def _with_verb(kind: str, thing: str, given: Arguments) -> Phrase:
    """The verb of `move`, `switch` and `level` follows from the arguments."""
    match kind, given:
        case "move", {"percentage": 0}:
            return "close", thing
        case "move", {"percentage": 100}:
            return "open", f"{thing} fully"
        case "move", {"percentage": part}:
            return "set", f"{thing} to {part:g} percent"
        case "switch", {"on": is_on}:
            return "turn", f"{'on' if is_on else 'off'} {thing}"
        case "level", {"level": 0}:
            return "turn", f"off {thing}"
        case "level", {"level": level}:
            return "set", f"{thing} to level {level:g}"
    return kind, thing


def _new_trip(given: Arguments, world: Atlas) -> str:
    routes = [world.route(route_id) for route_id in given["route_ids"]]
    waypoints = [route["destination_id"] for route in routes if route is not None]
    return f"the navigation {trip_name(waypoints, world)}" if waypoints else "nothing"


def _added(given: Arguments, world: Atlas) -> str:
    new = given["waypoint_id_to_add"]
    if given.get("waypoint_id_after_new_waypoint") is None:
        return f"{place_name(new, world)} as the new destination"
    return f"a stop {place_with_preposition(new, world)}"


def _receivers(given: Arguments, world: Atlas) -> str:
    rows = [world.contact_with_email(address) for address in given["email_addresses"]]
    pairs = zip(rows, given["email_addresses"], strict=True)
    return enumerated([full_name(row) if row else address for row, address in pairs])


def weather_words(condition: str) -> str:
    """A condition of the forecast, as in `it is …`."""
    return str(words("weather").get(condition, spoken(condition)))


def full_name(contact: Mapping[str, Any]) -> str:
    return f"{contact['name']['first_name']} {contact['name']['last_name']}"


def done(phrases: Sequence[Phrase]) -> str:
    """One sentence about what was done."""
    return f"I've {_in_one_breath([(words('past')[verb], rest) for verb, rest in phrases])}."


def already(phrases: Sequence[Phrase]) -> list[str]:
    """Sentences about what was so before: `The sunroof is already closed.`"""
    states = [_state_of(phrase) for phrase in phrases]
    return [
        f"{things[0].upper()}{things[1:]} {'are' if many else 'is'} already {state}."
        for state, same in groupby(states, key=itemgetter(1))
        for names in [[thing for thing, _ in same]]
        for things, many in [(enumerated(names), len(names) > 1 or _is_plural(names[0]))]
    ]


def _is_plural(thing: str) -> bool:
    """`the fog lights`, and not `the temperature on both sides`."""
    return thing.partition(" on ")[0].endswith("s")


def _state_of(phrase: Phrase) -> tuple[str, str]:
    """A thing and how it is: `the sunroof`, `closed`."""
    verb, rest = _with_particle(phrase)
    if verb.startswith("turn "):
        return rest, verb.removeprefix("turn ")
    if rest.endswith(" fully"):
        return rest.removesuffix(" fully"), f"fully {verb}"
    thing, to, value = rest.rpartition(" to ")
    return thing or value, f"{words('past')[verb]}{to}{value if to else ''}"


def proposed(phrases: Sequence[Phrase], texts: Sequence[str] = ()) -> str:
    """The question whether something shall be done; `texts` of e-mails are read out with it."""
    plan = _in_one_breath(phrases)
    if texts:
        return " ".join([f"I will {plan}.", *texts, "Shall I go ahead?"])
    return f"Shall I {plan}?"


def _in_one_breath(phrases: Sequence[Phrase]) -> str:
    """`turn on the fan and the air conditioning`: a verb that stays the same is said once."""
    said = []
    for verb, same in groupby(map(_with_particle, phrases), key=itemgetter(0)):
        things = [rest for _, rest in same]
        said.append((f"{verb} {enumerated(things)}", len(things) > 1))
    *first, (last, _) = said
    if any(is_list for _, is_list in first):
        return ", ".join([part for part, _ in first]) + f", and {last}"
    return enumerated([part for part, _ in said])


def _with_particle(phrase: Phrase) -> Phrase:
    """`turn on` and the rest instead of `turn` and `on …`."""
    verb, rest = phrase
    particle, _, thing = rest.partition(" ")
    return (f"{verb} {particle}", thing) if particle in ("on", "off") else phrase
