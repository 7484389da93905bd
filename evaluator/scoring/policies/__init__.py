"""The rules of the car, each with its text, what it needs looked up, and how it is decided."""

from evaluator.scoring.policies import air, dates, lights, roof, route, speech
from evaluator.scoring.policies.policy import Breach, Finding, Judgement, Policy, Profile

__all__ = ["POLICIES", "Breach", "Finding", "Judgement", "Policy", "Profile"]

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
