"""Rules about air, windows and temperature."""

import re
from collections.abc import Iterator

from evaluator.record.episode import Act, Episode
from evaluator.scoring.policies import as_published
from evaluator.scoring.policies.as_published import WINDOWS, ZONES_APART
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
    looked_up,
)

WIDE_OPEN_PERCENT = 25
OPEN_PERCENT = 20
DEFROST_FAN = 2
DEFROST_BUNDLE = ("set_fan_speed", "set_fan_airflow_direction", "set_air_conditioning")
ENERGY = r"energ|wast|consum|efficien|battery|range|power|air ?condition|\ba/?c\b|cooling"
DIFFERENCE = re.compile(
    r"\bdiffer|\bapart\b|\bgap\b|\b(?:warmer|cooler|colder|hotter)\b.*\bthan\b|"
    r"\bmore than (?:3|three)\b",
    re.IGNORECASE,
)
OTHER_SIDE = re.compile(r"\b(?:passenger|driver|other|both|zones?|sides?|your)\b", re.IGNORECASE)


def opens_wide(tool: str, arguments: Arguments) -> bool:
    wanted = arguments.get("percentage")
    return (
        tool == "open_close_window" and isinstance(wanted, int | float)
    ) and wanted > WIDE_OPEN_PERCENT


def defrosts_front(tool: str, arguments: Arguments) -> bool:
    return (
        tool == "set_window_defrost"
        and arguments.get("on") is True
        and arguments.get("defrost_window") in ("ALL", "FRONT")
    )


def switches_conditioning_on(tool: str, arguments: Arguments) -> bool:
    return tool == "set_air_conditioning" and arguments.get("on") is True


def sets_one_zone(tool: str, arguments: Arguments) -> bool:
    return tool == "set_climate_temperature" and arguments.get("seat_zone") != "ALL_ZONES"


@by_language("007", opens_wide, published=as_published.asked_if_called("open_close_window"))
def energy_of_open_windows(episode: Episode, acts: list[Act]) -> Finding:
    """If a window is to be opened by more than 25 percent while the air conditioning is on, say
    that this wastes energy and ask first."""
    wasteful = [act for act in acts if act.before["air_conditioning"] and _opened(act)]
    if not wasteful:
        return NOT_APPLICABLE
    topics = frozenset({"window"})
    what = "wide open windows while the air conditioning is on"
    return asked_and_agreed(episode, wasteful, topics, what, about=ENERGY)


def _opened(act: Act) -> bool:
    names = [f"window_{name}_position" for name in WINDOWS]
    return any(act.after[name] > act.before[name] for name in names)


@by_code(
    "010",
    defrosts_front,
    published=as_published.defrost,
    looks_up=("get_climate_settings",),
    goes_with=DEFROST_BUNDLE,
)
def defrost_bundle(episode: Episode, acts: list[Act]) -> Iterator[Breach]:
    """Defrosting the front window (or all) goes with the fan at level 2 or more, an airflow
    direction that includes the windshield, and the air conditioning on. Look at the climate
    settings first."""
    bundle = set(DEFROST_BUNDLE)
    for act in acts:
        if not looked_up(episode, act, "get_climate_settings") and not bundle <= _set(episode, act):
            yield at(act, "the windshield was defrosted without a look at the climate settings")
        fan, direction = act.after_turn["fan_speed"], act.after_turn["fan_airflow_direction"]
        missing = [
            *([f"the fan at {fan:g}"] if fan < DEFROST_FAN else []),
            *([f"the air going to {direction}"] if "WINDSHIELD" not in direction else []),
            *([] if act.after_turn["air_conditioning"] else ["the air conditioning off"]),
        ]
        if missing and _stayed(act, "window_front_defrost"):
            yield at(act, f"the windshield was defrosted with {' and '.join(missing)}")


@by_code(
    "011",
    switches_conditioning_on,
    published=as_published.air_conditioning,
    looks_up=("get_climate_settings", "get_vehicle_window_positions"),
    goes_with=("open_close_window", "set_fan_speed"),
)
def conditioning_bundle(episode: Episode, acts: list[Act]) -> Iterator[Breach]:
    """Switching on the air conditioning goes with closing every window that is open by more than
    20 percent and a fan level of at least 1. Look at the climate settings and the windows first."""
    for act in acts:
        done = _set(episode, act)
        blind = [
            what
            for look_up, instead, what in (
                ("get_climate_settings", "set_fan_speed", "the climate settings"),
                ("get_vehicle_window_positions", "open_close_window", "the windows"),
            )
            if not looked_up(episode, act, look_up) and instead not in done
        ]
        if blind:
            yield at(
                act, f"the air conditioning went on without a look at {' and '.join(blind)}"
            )  # fmt: skip
        wide = [
            name.replace("_", " ")
            for name in WINDOWS
            if act.after_turn[f"window_{name}_position"] > OPEN_PERCENT
        ]
        missing = [
            *([f"open windows ({', '.join(wide)})"] if wide else []),
            *([] if act.after_turn["fan_speed"] else ["the fan off"]),
        ]
        if missing and _stayed(act, "air_conditioning"):
            yield at(act, f"the air conditioning was left on with {' and '.join(missing)}")


def _set(episode: Episode, act: Act) -> set[str]:
    """Names of what was set up to the end of the turn of this call."""
    return {other.tool for other in episode.succeeded if other.turn <= act.turn}


def _stayed(act: Act, variable: str) -> bool:
    """Whether what this call switched on was still on when the driver had the floor again."""
    return bool(act.after_turn[variable])


@by_language("012", sets_one_zone, published=as_published.asked_if_zones_apart)
def zones_apart(episode: Episode, acts: list[Act]) -> Finding:
    """If setting the temperature of one zone leaves driver and passenger more than 3 degrees
    apart, say so."""
    apart = [act for act in acts if _degrees_apart(act) > ZONES_APART]
    if not apart:
        return NOT_APPLICABLE
    silent = []
    for act in apart:
        spoken = [said.text for said in episode.spoken if said.turn >= act.turn - 1]
        if any(DIFFERENCE.search(text) for text in spoken):
            continue
        if any(OTHER_SIDE.search(text) for text in spoken):
            question = "Was the driver told that the two zones are more than 3 degrees apart?"
            return Finding(state="undecided", open_question=question)
        silent.append(at(act, f"nobody said that the zones are {_degrees_apart(act):g} °C apart"))
    return Finding(state="broken", breaches=tuple(silent)) if silent else KEPT


def _degrees_apart(act: Act) -> float:
    state = act.after_turn
    return abs(
        float(state["climate_temperature_driver"]) - float(state["climate_temperature_passenger"])
    )
