"""Wishes in a few words, so that a corpus can be read."""

from assistant_gateway.agents.rules.wishes.cabin import Adjust, Inquire
from assistant_gateway.agents.rules.wishes.people import (
    Agenda,
    ContactDetails,
    Mail,
    Meeting,
    PhoneCall,
)
from assistant_gateway.agents.rules.wishes.questions import (
    Battery,
    ChargingTime,
    Degrees,
    EnoughCharge,
    OnlyIf,
    Reach,
    Sky,
    Weather,
)
from assistant_gateway.agents.rules.wishes.small_talk import Comfort, SmallTalk
from assistant_gateway.agents.rules.wishes.trip import (
    AddStop,
    Choice,
    Drop,
    EndAt,
    Find,
    Goal,
    Guide,
    RoutesTo,
    Swap,
)
from assistant_gateway.agents.rules.wishes.wish import Wish


def briefly(wish: Wish) -> str:
    """`window open 50 FRONT`, `guide Basel, Turin fastest`."""
    return " ".join(str(word) for word in _words(wish) if word not in (None, "", ()))


def _words(wish: Wish) -> list[object]:
    match wish:
        case Adjust():
            return _adjusted(wish)
        case Inquire():
            return ["tell", wish.thing]
        case Comfort():
            return ["comfort"]
        case SmallTalk():
            return ["talk"]
        case OnlyIf(EnoughCharge(where, percent), inner):
            return ["if", f"{percent:g}%", "at", _goal(where.goal), "then", briefly(inner)]
        case OnlyIf(Degrees(weather, degrees, is_above), inner):
            limit = f"{'above' if is_above else 'below'} {degrees:g}"
            return ["if", limit, weather.where, "then", briefly(inner)]
        case OnlyIf(Sky(weather, is_wet), inner):
            return ["if", "wet" if is_wet else "dry", weather.where, "then", briefly(inner)]
        case PhoneCall() | Mail() | Agenda() | ContactDetails():
            return _contact(wish)
        case Battery() | Reach() | ChargingTime() | Weather():
            return _asked(wish)
    return _journey(wish)


def _adjusted(wish: Adjust) -> list[object]:
    amount = None if wish.amount is None else f"{wish.amount:g}"
    like = f"like {wish.like[0]} {' '.join(wish.like[1])}".strip() if wish.like else None
    by = "by" if wish.is_step else None
    how = [wish.thing, wish.verb, by, amount, wish.strength, wish.vague]
    return [*how, *wish.seats, wish.choice, "ajar" if wish.only_open else None, like]


def _journey(wish: Wish) -> list[object]:
    match wish:
        case Guide():
            return ["guide", ", ".join(map(_goal, wish.goals)), *_choice(wish.choice)]
        case AddStop():
            beside = [f"before {wish.before}" if wish.before else None,
                      f"after {wish.after}" if wish.after else None]  # fmt: skip
            return ["add", _goal(wish.goal), *beside, *_choice(wish.choice)]
        case Swap():
            old = f"for {_goal(wish.old)}" if wish.old else None
            return ["swap", _goal(wish.new), old, *_choice(wish.choice)]
        case Drop():
            return ["drop", _goal(wish.old), "end" if wish.is_destination else None]
        case EndAt():
            return ["end at", _goal(wish.goal)]
        case RoutesTo():
            return ["routes", _goal(wish.goal), *_choice(wish.choice)]
        case Find():
            return ["find", _goal(wish.goal)]
    return [type(wish).__name__]


def _contact(wish: PhoneCall | Mail | Agenda | ContactDetails) -> list[object]:
    match wish:
        case PhoneCall():
            return ["call", wish.name]
        case Mail():
            return ["mail", ", ".join(wish.names), _meeting(wish.meeting), ":", wish.text]
        case Agenda():
            return ["agenda", _meeting(wish.meeting)]
        case ContactDetails():
            return ["details", wish.name]


def _asked(wish: Battery | Reach | ChargingTime | Weather) -> list[object]:
    match wish:
        case Battery():
            until = None if wish.until_percent is None else f"until {wish.until_percent}"
            return ["battery", wish.from_percent, until]
        case Reach():
            return ["reach", _goal(wish.goal)]
        case ChargingTime():
            minutes = f"{wish.minutes} min" if wish.minutes else None
            span = [wish.start_percent, "to", wish.target_percent]
            return ["charging", *(span if minutes is None else [minutes]), _goal(wish.station)]
        case Weather():
            return ["weather", wish.where]


def _meeting(meeting: Meeting | None) -> str | None:
    return None if meeting is None else f"[{' '.join(meeting.words)}]"


def _choice(choice: Choice) -> list[object]:
    return [choice.best, *sorted(choice.roads)]


def _goal(goal: Goal | None) -> str:
    if goal is None:
        return ""
    short = [name.split("::")[1] for name in goal.filters]
    where = f"in {goal.where}" if goal.where else None
    along = f"km {goal.at_km}" if goal.at_km is not None else "along" if goal.is_along else None
    return " ".join(filter(None, [goal.pick, goal.name, goal.kind, where, along, *short]))
