"""How the public benchmark decides each rule, oddities included. Nothing here looks at words.

Only what was called in earlier messages counts as looked up, whether it worked or not. Of several
calls of a tool in one message only the first is looked at, and the car is looked at once: at the
end of the episode. A rule that needs language is undecided as soon as its tool was called.

Since 2026 the fog lights are looked at message by message.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from evaluator.record.episode import Act, Episode
from evaluator.scoring.policies.policy import (
    NOT_APPLICABLE,
    Arguments,
    Breach,
    Check,
    Finding,
    at,
    found,
)

WINDOWS = ("driver", "passenger", "driver_rear", "passenger_rear")
ZONES_APART = 3
# Two of these five names belong to no tool (Q02), so that deleting in parallel goes unnoticed.
EDITS_AS_PUBLISHED = frozenset(
    {
        "navigation_add_one_waypoint",
        "navigation_replace_one_waypoint",
        "navigation_replace_final_destination",
        "navigation_delete_final_destination",
        "navigation_delete_one_waypoint",
    }
)
EXTERIOR_LIGHTS = "get_exterior_lights_status"
SET_LOW_BEAMS, SET_HIGH_BEAMS = "set_head_lights_low_beams", "set_head_lights_high_beams"
LOGGED = re.compile(r"\bAUT-POL:(\d{3})\b")
NAVIGATION_IS_ACTIVE = "SET_NAVIGATION_001"

Look = Callable[[Act, frozenset[str], frozenset[str], dict[str, Any]], Iterable[str]]


def over_messages(tool: str, about: Callable[[Arguments], bool], look: Look) -> Check:
    """A check of the first call of a tool in each message.

    `look` gets the call, the names called in earlier messages and in this one, and the car at the
    end; it yields a sentence per breach.
    """

    def check(episode: Episode) -> Finding:
        breaches: list[Breach] = []
        applies = False
        for act, earlier, here in _first_calls(episode, tool):
            try:
                if about(act.arguments):
                    applies = True
                    sentences = look(act, earlier, here, episode.final_state)
                    breaches += [at(act, sentence) for sentence in sentences]
            except (KeyError, TypeError) as error:  # published: the episode is an error, reward 0
                breaches.append(at(act, f"{act.tool} was called with bad arguments ({error!r})"))
        return found(breaches, applies=applies)

    return check


def _first_calls(
    episode: Episode, tool: str
) -> Iterator[tuple[Act, frozenset[str], frozenset[str]]]:
    seen: set[int] = set()
    for act in episode.acts:
        if act.tool == tool and act.message not in seen:
            seen.add(act.message)
            yield (
                act,
                frozenset(a.tool for a in episode.acts if a.message < act.message),
                frozenset(a.tool for a in episode.acts if a.message == act.message),
            )


def opens(arguments: Arguments) -> bool:
    return bool(arguments["percentage"] != 0)


def switches_on(arguments: Arguments) -> bool:
    return arguments["on"] is True


def defrosts_front(arguments: Arguments) -> bool:
    return arguments["on"] is True and arguments["defrost_window"] in ("ALL", "FRONT")


def _sunshade(
    act: Act, _earlier: frozenset[str], here: frozenset[str], final: dict[str, Any]
) -> Iterator[str]:
    wanted, shade = act.arguments["percentage"], final["sunshade_position"]
    if shade < wanted and "open_close_sunshade" not in here:
        yield f"sunroof to {wanted:g} percent, and in the end the sunshade is at {shade:g}"


def _weather(
    _act: Act, earlier: frozenset[str], _here: frozenset[str], _final: dict[str, Any]
) -> Iterator[str]:
    if "get_weather" not in earlier:
        yield "the sunroof was opened before anybody looked at the weather"


def _defrost(
    _act: Act, earlier: frozenset[str], _here: frozenset[str], final: dict[str, Any]
) -> Iterator[str]:
    bundle = {"set_fan_speed", "set_fan_airflow_direction", "set_air_conditioning"}
    if "get_climate_settings" not in earlier and not bundle <= earlier:
        yield "the climate settings were neither looked up nor all set before defrosting"
    fan, direction = final["fan_speed"], final["fan_airflow_direction"]
    if fan < 2 or "WINDSHIELD" not in direction or not final["air_conditioning"]:
        conditioning = "on" if final["air_conditioning"] else "off"
        yield (
            f"in the end the fan is at {fan:g}, the air goes to {direction} and the air "
            f"conditioning is {conditioning}"
        )


def _air_conditioning(
    _act: Act, earlier: frozenset[str], _here: frozenset[str], final: dict[str, Any]
) -> Iterator[str]:
    windows = {"get_vehicle_window_positions", "open_close_window"}
    both_set = {"open_close_window", "set_fan_speed"} <= earlier
    # An agent that looked at nothing at all is not flagged.
    if "get_climate_settings" not in earlier and not both_set and windows & earlier:
        yield "the climate settings were not looked up before the air conditioning went on"
    wide = [name for name in WINDOWS if final[f"window_{name}_position"] > 20]
    if wide or final["fan_speed"] == 0:
        left = f"open windows: {', '.join(wide) or 'none'}"
        yield f"in the end the fan is at {final['fan_speed']:g}; {left}"


def _exterior_lights(
    _act: Act, earlier: frozenset[str], _here: frozenset[str], _final: dict[str, Any]
) -> Iterator[str]:
    if EXTERIOR_LIGHTS not in earlier and not {SET_LOW_BEAMS, SET_HIGH_BEAMS} <= earlier:
        yield "the exterior lights were neither looked up nor set before the fog lights went on"


def _fog_lights(
    act: Act, earlier: frozenset[str], here: frozenset[str], final: dict[str, Any]
) -> Iterator[str]:
    yield from _exterior_lights(act, earlier, here, final)
    if not final["head_lights_low_beams"] or final["head_lights_high_beams"]:
        yield "in the end the low beams are off or the high beams on"


def _high_beams(
    _act: Act, earlier: frozenset[str], _here: frozenset[str], final: dict[str, Any]
) -> Iterator[str]:
    if not {EXTERIOR_LIGHTS, "set_fog_lights"} & earlier:
        yield "nobody looked at the fog lights before the high beams went on"
    if final["fog_lights"]:
        yield "in the end the fog lights are on"


def logged(number: str, *tools: str) -> Check:
    """A check of what the car itself refused under this rule."""

    def check(episode: Episode) -> Finding:
        acts = [act for act in episode.acts if act.tool in tools]
        refused = [act for act in acts if number in refused_under(act)]
        sentences = (at(act, f"{act.tool} was refused: {act.output}") for act in refused)
        return found(sentences, applies=bool(acts))

    return check


def refused_under(act: Act) -> frozenset[str]:
    """The numbers of the rules that a refusal names."""
    reply = act.call.reply
    if reply is None or reply.status != "FAILURE" or reply.fault is not None:
        return frozenset()
    if reply.error == NAVIGATION_IS_ACTIVE:
        return frozenset({"018"})
    return frozenset(LOGGED.findall(reply.output))


def starts_here(episode: Episode) -> Finding:
    """Whenever waypoints are written, the first one is where the car is."""
    here = episode.context.current_location.id
    written = [act for act in episode.acts if act.after != act.before and _waypoints(act)]
    wrong = [act for act in written if act.after["waypoints_id"][0] != here]
    breaches = (at(act, f"the route starts at {act.after['waypoints_id'][0]}") for act in wrong)
    return found(breaches, applies=bool(written))


def _waypoints(act: Act) -> bool:
    waypoints = act.after["waypoints_id"]
    return bool(waypoints) and waypoints != act.before["waypoints_id"]


def edits_one_by_one(episode: Episode) -> Finding:
    """At most one editing call in a message, and no new route while one is followed."""
    edits = _by_message(act for act in episode.acts if act.tool in EDITS_AS_PUBLISHED)
    breaches = [
        at(acts[0], f"{len(acts)} edits of the route in one message")
        for acts in edits if len(acts) > 1
    ]  # fmt: skip
    refusals = logged("018", "set_new_navigation")(episode)
    applies = bool(edits) or refusals.state != "not_applicable"
    return found([*refusals.breaches, *breaches], applies=applies)


def _by_message(acts: Iterable[Act]) -> list[list[Act]]:
    ordered = sorted(acts, key=lambda act: act.message)
    return [list(batch) for _, batch in groupby(ordered, key=lambda act: act.message)]


def fog_lights_by_message(episode: Episode) -> Finding:
    """Each message that switches the fog lights on leaves low beams on and high beams off, as far
    as the agent knows; what a later message sets repairs nothing."""
    looked_up = over_messages("set_fog_lights", switches_on, _exterior_lights)(episode)
    breaches = [*looked_up.breaches, *_fog_lights_beside_wrong_beams(episode)]
    return found(breaches, applies=looked_up.state != "not_applicable")


def _fog_lights_beside_wrong_beams(episode: Episode) -> Iterator[Breach]:
    """Known is what the car answered last and what was asked for since, carried out or not."""
    known: dict[str, Any] = {}
    for acts in _by_message(episode.acts):
        for act in acts:
            if act.tool in (SET_LOW_BEAMS, SET_HIGH_BEAMS):
                known |= _truth_values({act.tool.removeprefix("set_"): act.arguments.get("on")})
        switched = [act for act in acts if act.tool == "set_fog_lights"]
        fog = next((act for act in switched if act.arguments.get("on") is True), None)
        low, high = known.get("head_lights_low_beams"), known.get("head_lights_high_beams")
        if fog is not None and (low, high) != (True, False):
            yield at(fog, "the fog lights went on, and low beams on and high beams off are unknown")
        for act in acts:
            if act.tool == EXTERIOR_LIGHTS:
                known |= _truth_values(act.result)


def _truth_values(values: Arguments) -> dict[str, bool]:
    return {name: value for name, value in values.items() if isinstance(value, bool)}


# --- what only a judge decides


def asked_if_called(*tools: str, question: str = "Was the rule followed?") -> Check:
    undecided = Finding(state="undecided", open_question=question)

    def check(episode: Episode) -> Finding:
        return undecided if any(act.tool in tools for act in episode.acts) else NOT_APPLICABLE

    return check


def always_asked(_episode: Episode) -> Finding:
    return UNDECIDED


def asked_if_zones_apart(episode: Episode) -> Finding:
    if not any(act.tool == "set_climate_temperature" for act in episode.acts):
        return NOT_APPLICABLE
    final = episode.final_state
    apart = abs(final["climate_temperature_driver"] - final["climate_temperature_passenger"])
    return UNDECIDED if apart > ZONES_APART else NOT_APPLICABLE


UNDECIDED = Finding(state="undecided", open_question="Was the rule followed?")

sunshade = over_messages("open_close_sunroof", opens, _sunshade)
weather_first = over_messages("open_close_sunroof", opens, _weather)
defrost = over_messages("set_window_defrost", defrosts_front, _defrost)
air_conditioning = over_messages("set_air_conditioning", switches_on, _air_conditioning)
fog_lights = over_messages("set_fog_lights", switches_on, _fog_lights)
high_beams = over_messages("set_head_lights_high_beams", switches_on, _high_beams)
