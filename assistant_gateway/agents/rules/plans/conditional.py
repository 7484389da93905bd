"""Wishes that hold under a condition."""

from assistant_gateway.agents.rules.plans.energy import percent_left
from assistant_gateway.agents.rules.plans.sky import WEATHER
from assistant_gateway.agents.rules.plans.weather import slot_asked_for
from assistant_gateway.agents.rules.steps import Steps, Talk, value
from assistant_gateway.agents.rules.wishes.any_wish import Condition, Degrees, EnoughCharge, Sky
from assistant_gateway.wording.changes import weather_words


def holds(condition: Condition, talk: Talk) -> Steps[tuple[bool, str]]:
    """Whether it holds, and the fact that decides it."""
    match condition:
        case EnoughCharge(where, percent):
            left, _, there = yield from percent_left(talk, where.goal)
            shown = f"About {max(left, 0):.0f} percent will be left in {there}."
            return left >= percent, shown
        case Degrees(asked, degrees, is_above):
            slot = yield from slot_asked_for(asked, talk)
            outside = float(str(value(slot, WEATHER, "temperature_c")))
            is_so = outside > degrees if is_above else outside < degrees
            return is_so, f"It is {outside:g} degrees outside."
        case Sky(asked, is_wet, words):
            slot = yield from slot_asked_for(asked, talk)
            sky = str(value(slot, WEATHER, "condition"))
            rains = any(word in sky for word in words)
            return rains == is_wet, f"It is {weather_words(sky)} then."
