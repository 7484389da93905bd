"""Which plan fulfils which wish."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assistant_gateway.agents.rules.dialogue import (
    Declined,
    Dialogue,
    NewRequest,
    Prepared,
    Steps,
    value,
)
from assistant_gateway.agents.rules.language.plain import agrees, leaves_it_open, plain
from assistant_gateway.agents.rules.plans import (
    lights,
    openings,
    people,
    questions,
    settings,
    trips,
)
from assistant_gateway.agents.rules.plans.asking import answer_to
from assistant_gateway.agents.rules.plans.questions import WEATHER, slot_asked_for
from assistant_gateway.agents.rules.wishes import cabin, trip
from assistant_gateway.agents.rules.wishes import people as contacts
from assistant_gateway.agents.rules.wishes import questions as asked
from assistant_gateway.agents.rules.wishes.cabin import Adjust
from assistant_gateway.agents.rules.wishes.small_talk import Comfort, SmallTalk, Unheeded
from assistant_gateway.agents.rules.wishes.taking_back import RestoreTrip, SayAgain, TellDone
from assistant_gateway.agents.rules.wishes.wish import Wish
from assistant_gateway.wording.changes import weather_words

ADJUSTMENTS: Mapping[str, Callable[[Adjust, Dialogue], Steps[Prepared]]] = {
    **lights.PLANS,
    "air_conditioning": settings.air_conditioning,
    "airflow": settings.mode,
    "charge_limit": settings.charge_limit,
    "circulation": settings.mode,
    "defrost": settings.defrost,
    "exterior_lights": lights.some_lights,
    "fan": settings.level,
    "lights": lights.some_lights,
    "seat_heating": settings.seat_heating,
    "sunroof": openings.sunroof,
    "sunshade": openings.sunshade,
    "temperature": settings.temperature,
    "trunk": openings.trunk,
    "wheel_heating": settings.level,
    "window": openings.window,
}


def prepare(wish: Wish, dialogue: Dialogue) -> Steps[Prepared]:
    """Look up, ask and decide everything about a wish; nothing is changed yet."""
    return (yield from PLANS[type(wish)](wish, dialogue))


def _adjust(wish: Adjust, dialogue: Dialogue) -> Steps[Prepared]:
    plan = ADJUSTMENTS.get(wish.thing)
    if plan is None:
        raise Declined("I'm sorry, I can't change that.")
    return (yield from plan(wish, dialogue))


def _small_talk(wish: SmallTalk, dialogue: Dialogue) -> Steps[Prepared]:
    yield from ()
    return Prepared(sentences=(wish.reply,))


def _unheeded(wish: Unheeded, dialogue: Dialogue) -> Steps[Prepared]:
    yield from ()
    raise Declined(f"I'm sorry, I can't help with \"{wish.said}\".")


def _comfort(wish: Comfort, dialogue: Dialogue) -> Steps[Prepared]:
    """Ask once; the answer is a wish like any other, also where it only names a thing."""
    answer = plain((yield from answer_to(dialogue, wish.question)))
    if agrees(answer) is False:
        raise Declined("Alright, I leave everything as it is.")
    if dialogue.is_request(answer):
        raise NewRequest(answer)
    things = cabin.mentions(answer)
    if things and things[0] != "temperature":
        verb = {"circulation": "Set"}.get(things[0], "Turn on")
        raise NewRequest(f"{'Open' if things[0] in cabin.OPENINGS else verb} {answer.lower()}")
    if things or agrees(answer) or leaves_it_open(answer):
        raise NewRequest(wish.otherwise)
    raise Declined("I did not understand that, so I leave everything as it is.")


def _tell_done(wish: TellDone, dialogue: Dialogue) -> Steps[Prepared]:
    yield from ()
    told = dialogue.journal.last_told or "I have not changed anything yet."
    return Prepared(sentences=(told,))


def _say_again(wish: SayAgain, dialogue: Dialogue) -> Steps[Prepared]:
    yield from ()
    return Prepared(sentences=(dialogue.last_said or "I have not said anything yet.",))


def _only_if(wish: asked.OnlyIf, dialogue: Dialogue) -> Steps[Prepared]:
    is_so, fact = yield from _holds(wish.condition, dialogue)
    if not is_so:
        return Prepared(sentences=(f"{fact} So I leave everything as it is.",))
    plan = yield from prepare(wish.wish, dialogue)
    return replace(plan, sentences=(fact, *plan.sentences))


def _holds(condition: asked.Condition, dialogue: Dialogue) -> Steps[tuple[bool, str]]:
    """Whether it holds, and the fact that decides it."""
    if isinstance(condition, asked.EnoughCharge):
        left, _, there = yield from questions.percent_left(dialogue, condition.where.goal)
        shown = f"About {max(left, 0):.0f} percent will be left in {there}."
        return left >= condition.percent, shown
    slot = yield from slot_asked_for(condition.weather, dialogue)
    match condition:
        case asked.Degrees(_, degrees, is_above):
            outside = float(str(value(slot, WEATHER, "temperature_c")))
            is_so = outside > degrees if is_above else outside < degrees
            return is_so, f"It is {outside:g} degrees outside."
        case asked.Sky(_, is_wet, words):
            sky = str(value(slot, WEATHER, "condition"))
            rains = any(word in sky for word in words)
            return rains == is_wet, f"It is {weather_words(sky)} then."


PLANS: Mapping[type, Callable[[Any, Dialogue], Steps[Prepared]]] = {
    Adjust: _adjust,
    cabin.Inquire: questions.tell,
    SmallTalk: _small_talk,
    Unheeded: _unheeded,
    SayAgain: _say_again,
    TellDone: _tell_done,
    RestoreTrip: trips.restore,
    Comfort: _comfort,
    asked.OnlyIf: _only_if,
    asked.Battery: questions.battery,
    asked.Reach: questions.reach,
    asked.ChargingTime: questions.charging_time,
    asked.Weather: questions.weather,
    asked.WhereAndWhen: questions.where_and_when,
    contacts.PhoneCall: people.call,
    contacts.Mail: people.mail,
    contacts.Agenda: people.agenda,
    contacts.ContactDetails: people.details,
    trip.Guide: trips.guide,
    trip.AddStop: trips.add_stop,
    trip.Swap: trips.swap,
    trip.Drop: trips.drop_stop,
    trip.EndAt: trips.end_at,
    trip.StopGuidance: trips.stop_guidance,
    trip.Resume: trips.resume,
    trip.TripStatus: trips.status,
    trip.RoutesTo: trips.routes_to,
    trip.Find: trips.find,
}
