"""The rules of the car, each with its text, what it needs looked up, and how it is decided."""

from collections.abc import Mapping
from dataclasses import replace

from evaluator.scoring.policies import air, as_published, dates, lights, roof, route, speech
from evaluator.scoring.policies.policy import (
    Breach,
    Finding,
    Judgement,
    Policy,
    Profile,
    is_published,
)

__all__ = [
    "POLICIES",
    "RULES_OF",
    "Breach",
    "Finding",
    "Judgement",
    "Policy",
    "Profile",
    "is_published",
    "rule_text",
]

POLICIES: dict[str, Policy] = {
    policy.id: policy
    for policy in (
        speech.metric_and_24_hours,
        speech.yes_before_confirmed_tools,
        roof.sunshade_first,
        air.energy_of_open_windows,
        lights.weather_is_fit,
        roof.weather_before_sunroof,
        air.defrost_bundle,
        air.conditioning_bundle,
        air.zones_apart,
        lights.fog_lights_bundle,
        lights.no_high_beams_in_fog,
        route.starts_at_the_car,
        route.edits_an_active_route,
        route.one_edit_at_a_time,
        route.start_and_destination_stay,
        route.tolls_are_mentioned,
        route.fastest_leg_by_leg,
        dates.calendar_of_today,
        dates.weather_of_today,
    )
}
_FOG_LIGHTS = replace(POLICIES["013"], published=as_published.fog_lights_by_message)
_NEWER = (_FOG_LIGHTS, route.alternatives_are_presented)
# The rules of each profile by id.
RULES_OF: Mapping[Profile, Mapping[str, Policy]] = {
    "codriver": POLICIES,
    "car-bench": POLICIES,
    "car-bench-2026": dict(sorted({**POLICIES, **{one.id: one for one in _NEWER}}.items())),
}


def rule_text(policy_id: str) -> str:
    """The text of a rule of any profile; empty if there is no such rule."""
    rule = RULES_OF["car-bench-2026"].get(policy_id)
    return rule.rule if rule else ""
