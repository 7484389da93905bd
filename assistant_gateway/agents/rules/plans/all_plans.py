"""Which plan fulfils which wish."""

from assistant_gateway.agents.rules.plans import edits, energy, guiding, messages
from assistant_gateway.agents.rules.plans.cabin import adjust, comfort
from assistant_gateway.agents.rules.plans.energy import percent_left
from assistant_gateway.agents.rules.plans.routes import trip
from assistant_gateway.agents.rules.plans.telling import tell
from assistant_gateway.agents.rules.plans.weather import WEATHER, slot_asked_for, weather
from assistant_gateway.agents.rules.talk.steps import Dialogue, Prepared, Steps, value
from assistant_gateway.agents.rules.wishes import asked, contact, journey
from assistant_gateway.agents.rules.wishes.any_wish import (
    Condition,
    Degrees,
    EnoughCharge,
    OnlyIf,
    Sky,
    Wish,
)
from assistant_gateway.agents.rules.wishes.comfort import Comfort
from assistant_gateway.agents.rules.wishes.small_talk import SmallTalk
from assistant_gateway.agents.rules.wishes.wish import Adjust, Inquire
from assistant_gateway.wording.changes import weather_words


def prepare(wish: Wish, talk: Dialogue) -> Steps[Prepared]:
    """Look up, ask and decide everything about a wish; nothing is changed yet."""
    match wish:
        case Adjust():
            return (yield from adjust(wish, talk))
        case Inquire():
            return (yield from tell(wish, talk))
        case SmallTalk():
            return Prepared(told=(wish.reply,))
        case Comfort():
            return (yield from comfort(wish, talk))
        case OnlyIf():
            return (yield from _only_if(wish, talk))
        case asked.Battery() | asked.Reach() | asked.ChargingTime() | asked.Weather():
            return (yield from _asked(wish, talk))
        case contact.Call() | contact.Mail() | contact.Agenda() | contact.Details():
            return (yield from _contact(wish, talk))
        case _:
            return (yield from _journey(wish, talk))


def _only_if(wish: OnlyIf, talk: Dialogue) -> Steps[Prepared]:
    is_so, fact = yield from holds(wish.condition, talk)
    if not is_so:
        return Prepared(told=(f"{fact} So I leave everything as it is.",))
    plan = yield from prepare(wish.wish, talk)
    return Prepared(plan.calls, plan.by_rule, (fact, *plan.told), plan.remarks, plan.in_order)


def _asked(wish: asked.Asked, talk: Dialogue) -> Steps[Prepared]:
    match wish:
        case asked.Battery():
            return (yield from energy.battery(wish, talk))
        case asked.Reach():
            return (yield from energy.reach(wish, talk))
        case asked.ChargingTime():
            return (yield from energy.charging_time(wish, talk))
        case asked.Weather():
            return (yield from weather(wish, talk))


def _contact(wish: contact.Contact, talk: Dialogue) -> Steps[Prepared]:
    match wish:
        case contact.Call():
            return (yield from messages.call(wish, talk))
        case contact.Mail():
            return (yield from messages.mail(wish, talk))
        case contact.Agenda():
            return (yield from messages.agenda(wish, talk))
        case contact.Details():
            return (yield from messages.details(wish, talk))


def _journey(wish: journey.Journey, talk: Dialogue) -> Steps[Prepared]:
    match wish:
        case journey.Guide():
            return (yield from guiding.guide(wish, talk))
        case journey.AddStop():
            return (yield from edits.add_stop(wish, talk))
        case journey.Swap(old=None) if not (yield from trip(talk)).is_active:
            return (yield from guiding.guide(journey.Guide((wish.new,), wish.choice), talk))
        case journey.Swap():
            return (yield from edits.replace_stop(wish, talk))
        case journey.Drop():
            return (yield from edits.drop_stop(wish, talk))
        case journey.EndAt():
            return (yield from edits.end_at(wish, talk))
        case journey.StopGuidance():
            return (yield from guiding.stop_guidance(wish, talk))
        case journey.Resume():
            return (yield from guiding.resume(wish, talk))
        case journey.TripStatus():
            return (yield from guiding.status(wish, talk))
        case journey.RoutesTo():
            return (yield from guiding.routes_to(wish, talk))
        case journey.Find():
            return (yield from guiding.find(wish, talk))


def holds(condition: Condition, talk: Dialogue) -> Steps[tuple[bool, str]]:
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
