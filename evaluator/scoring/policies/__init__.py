"""The rules of the car, each with its text, what it needs looked up, and how it is decided."""

from evaluator.scoring.policies.air import (
    conditioning_bundle,
    defrost_bundle,
    energy_of_open_windows,
    zones_apart,
)
from evaluator.scoring.policies.lights import (
    fog_lights_bundle,
    no_high_beams_in_fog,
    weather_is_fit,
)
from evaluator.scoring.policies.policy import Breach, Finding, Judgement, Policy, Profile
from evaluator.scoring.policies.roof import sunshade_first, weather_before_sunroof
from evaluator.scoring.policies.route import (
    edits_an_active_route,
    fastest_leg_by_leg,
    one_edit_at_a_time,
    start_and_destination_stay,
    starts_at_the_car,
    tolls_are_mentioned,
)
from evaluator.scoring.policies.speech import metric_and_24_hours, yes_before_confirmed_tools
from evaluator.scoring.policies.today import calendar_of_today, weather_of_today

__all__ = ["POLICIES", "Breach", "Finding", "Judgement", "Policy", "Profile"]

POLICIES: dict[str, Policy] = {
    policy.id: policy
    for policy in (
        metric_and_24_hours,
        yes_before_confirmed_tools,
        sunshade_first,
        energy_of_open_windows,
        weather_is_fit,
        weather_before_sunroof,
        defrost_bundle,
        conditioning_bundle,
        zones_apart,
        fog_lights_bundle,
        no_high_beams_in_fog,
        starts_at_the_car,
        edits_an_active_route,
        one_edit_at_a_time,
        start_and_destination_stay,
        tolls_are_mentioned,
        fastest_leg_by_leg,
        calendar_of_today,
        weather_of_today,
    )
}
