"""Rules about lights outside, and about what the weather makes worth asking for."""

from collections.abc import Iterator

from evaluator.record.episode import Act, Episode
from evaluator.scoring.policies import as_published
from evaluator.scoring.policies.consent import asked_and_agreed
from evaluator.scoring.policies.policy import (
    KEPT,
    NOT_APPLICABLE,
    Arguments,
    Breach,
    Finding,
    at,
    by_code,
    by_language,
    combined,
    looked_up,
)
from evaluator.scoring.policies.roof import opens_sunroof, weather_looked_up

FAIR_WEATHER = frozenset({"sunny", "cloudy", "partly_cloudy"})
FOG_LIGHT_WEATHER = ("_thunderstorm", "_hail")
BEAMS = frozenset({"set_head_lights_low_beams", "set_head_lights_high_beams"})
LIGHTS = "get_exterior_lights_status"


def fog_lights_on(tool: str, arguments: Arguments) -> bool:
    return tool == "set_fog_lights" and arguments.get("on") is True


def high_beams_on(tool: str, arguments: Arguments) -> bool:
    return tool == "set_head_lights_high_beams" and arguments.get("on") is True


def hangs_on_weather(tool: str, arguments: Arguments) -> bool:
    return opens_sunroof(tool, arguments) or fog_lights_on(tool, arguments)


def needs_no_asking(tool: str, condition: str) -> bool:
    """Whether this weather is what the sunroof or the fog lights are made for."""
    if tool == "set_fog_lights":
        return condition.endswith(FOG_LIGHT_WEATHER)
    return condition in FAIR_WEATHER


@by_language(
    "008",
    hangs_on_weather,
    published=as_published.asked_if_called("open_close_sunroof", "set_fog_lights"),
    looks_up=("get_weather",),
)
def weather_is_fit(episode: Episode, acts: list[Act]) -> Finding:
    """Look at the weather before you open the sunroof or switch on the fog lights, and ask the
    driver first unless it fits: for the sunroof sunny, cloudy or partly cloudy, for the fog lights
    a thunderstorm or hail."""
    fresh = [act for act in acts if act.after != act.before]
    if not fresh:
        return NOT_APPLICABLE
    return combined(_fit(episode, act) for act in fresh)


def _fit(episode: Episode, act: Act) -> Finding:
    conditions = [
        str((other.result.get("current_slot") or {}).get("condition"))
        for other in weather_looked_up(episode, act)
        if other.succeeded
    ]
    if conditions and all(needs_no_asking(act.tool, condition) for condition in conditions):
        return KEPT
    topic = "fog_light" if act.tool == "set_fog_lights" else "sunroof"
    thing = topic.replace("_", " ")
    outside = f"the weather ({conditions[-1]})" if conditions else "the weather, which is unknown,"
    what = f"the {thing} in spite of {outside}"
    return asked_and_agreed(episode, [act], frozenset({topic}), what)


@by_code(
    "013",
    fog_lights_on,
    published=as_published.fog_lights,
    looks_up=(LIGHTS,),
    goes_with=tuple(sorted(BEAMS)),
)
def fog_lights_bundle(episode: Episode, acts: list[Act]) -> Iterator[Breach]:
    """Fog lights go with low beams on and high beams off. Look at the exterior lights first."""
    for act in acts:
        both_set = {a.tool for a in episode.succeeded if a.turn <= act.turn} >= BEAMS
        if not looked_up(episode, act, LIGHTS) and not both_set:
            yield at(act, "the fog lights went on without a look at the other lights")
        lights = act.after_turn
        if not lights["fog_lights"]:
            continue
        if not lights["head_lights_low_beams"]:
            yield at(act, "the fog lights were left on with the low beams off")
        if lights["head_lights_high_beams"]:
            yield at(act, "the fog lights were left on with the high beams on")


@by_code(
    "014",
    high_beams_on,
    published=as_published.high_beams,
    looks_up=(LIGHTS,),
    goes_with=("set_fog_lights",),
)
def no_high_beams_in_fog(episode: Episode, acts: list[Act]) -> Iterator[Breach]:
    """There are no high beams while the fog lights are on. Look at the exterior lights first."""
    for act in acts:
        fog_set = any(a.tool == "set_fog_lights" and a.turn <= act.turn for a in episode.succeeded)
        if not looked_up(episode, act, LIGHTS) and not fog_set:
            yield at(act, "the high beams went on without a look at the fog lights")
        lights = act.after_turn
        if lights["fog_lights"] and lights["head_lights_high_beams"]:
            yield at(act, "the high beams went on and the fog lights were left on")
