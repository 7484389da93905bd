"""Wishes about the trip and about places: go there, stop here, leave that out, what is there."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assistant_gateway.agents.rules.language.details import place_names, roads
from assistant_gateway.agents.rules.language.patterns import Patterns, first, table
from assistant_gateway.agents.rules.language.plain import is_question, without_reasons
from assistant_gateway.agents.rules.wishes.wish import Wish

_SAYS = Patterns(__file__)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of several routes: by what it is best at, or by its roads."""

    best: str | None = None
    roads: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.best or self.roads)


@dataclass(frozen=True, slots=True)
class Goal:
    """A place: a name, or a kind of place somewhere."""

    name: str | None = None
    kind: str | None = None
    where: str | None = None
    filters: tuple[str, ...] = ()
    pick: str | None = None
    at_km: int | None = None
    is_along: bool = False


@dataclass(frozen=True, slots=True)
class Journey(Wish):
    """Something about the trip or about places."""


@dataclass(frozen=True, slots=True)
class Routed(Journey):
    """A journey for which routes are chosen."""

    choice: Choice = field(default=Choice(), kw_only=True)


@dataclass(frozen=True, slots=True)
class Edit(Routed):
    """A change of the trip that is followed."""


@dataclass(frozen=True, slots=True)
class Guide(Routed):
    """A trip to the last of the goals, over the others."""

    goals: tuple[Goal, ...]
    is_straight: bool = False


@dataclass(frozen=True, slots=True)
class AddStop(Edit):
    goal: Goal
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Swap(Edit):
    """Another place instead of a stop, or of the destination if none is named."""

    new: Goal
    old: Goal | None = None


@dataclass(frozen=True, slots=True)
class Drop(Edit):
    """A stop, or the destination, is left out; `old` None is one of the stops."""

    old: Goal | None
    is_destination: bool = False


@dataclass(frozen=True, slots=True)
class EndAt(Edit):
    goal: Goal


@dataclass(frozen=True, slots=True)
class StopGuidance(Journey):
    pass


@dataclass(frozen=True, slots=True)
class Resume(Journey):
    """The stored trip is followed again."""


@dataclass(frozen=True, slots=True)
class TripStatus(Journey):
    pass


@dataclass(frozen=True, slots=True)
class RoutesTo(Routed):
    """What ways there are; nothing is started."""

    goal: Goal


@dataclass(frozen=True, slots=True)
class Find(Journey):
    """Places of a kind; nothing is started."""

    goal: Goal


_A_MEETING = r"\b{} (?:meeting|appointment)"


def choice(text: str) -> Choice:
    """Which route is wanted, if that is said."""
    rest = _SAYS["avoided"].sub(" ", text)
    return Choice(best=first("trip", "choices", rest), roads=roads(rest))


def goals(text: str) -> list[Goal]:
    """The places of a text in the order they are said; a kind of place comes with its town."""
    named = [name for name in place_names(text) if not re.search(_A_MEETING.format(name), text)]
    text = _SAYS["a_meal"].sub("stop", text)
    kind = first("trip", "kinds", text)
    if kind is None:
        return [Goal(name=name) for name in named]
    towns = [name for name in named if _is_town(name, text)]
    own = [name for name in named if name not in towns]
    goal = Goal(
        name=own[0] if own else None,
        kind=kind,
        where=towns[0] if towns else first("trip", "trip_places", text),
        filters=filters(text, kind),
        pick=first("trip", "pick", text),
        at_km=at_km(text),
        is_along=bool(_SAYS["along"].search(text)) or at_km(text) is not None,
    )
    return [goal]


def filters(text: str, kind: str) -> tuple[str, ...]:
    """What must hold for a place."""
    rest = _SAYS["how_late"].sub(" ", text)
    found = [name for name, pattern in table("trip", "filters") if pattern.search(rest)]
    return tuple(name for name in found if name.startswith(("any", kind)))


def at_km(text: str) -> int | None:
    found = _SAYS["at_km"].search(text)
    if found is None:
        return None
    return int(found["after"] or found["before"] or found["within"])


def _is_town(name: str, text: str) -> bool:
    beside = _SAYS["beside_kind"].search(text)
    if beside and name in beside["name"]:
        return True
    return any(
        _SAYS["where"].search(text[: at.start()]) for at in re.finditer(re.escape(name), text)
    )


def journeys(text: str, before: Sequence[Journey], whole: str) -> list[Journey]:
    """What a run of pieces wants; `whole` is all that was said, for the choice of routes."""
    wanted = choice(text) or choice(whole)
    text = without_reasons(text)
    act = _act(text)
    if act in ("guide", "routes", "add"):
        text = _SAYS["from"].sub(" ", text)
    there = _there(text, before, act, wanted, whole)
    if there is not None:
        return there
    return [
        replace(wish, choice=wanted) if isinstance(wish, Routed) else wish
        for wish in _wishes(act, text, whole)
    ]


def asks_only(text: str) -> bool:
    """Whether nothing shall be started or changed."""
    return first("trip", "only_asking", text) is not None


def _act(text: str) -> str | None:
    act = first("trip", "acts", text)
    if act == "add" and _SAYS["asks_toll"].search(text):
        return "routes"
    if act == "find" and first("trip", "kinds", text) is None and _SAYS["goes"].search(text):
        return "guide"
    return act


def _wishes(act: str | None, text: str, whole: str) -> list[Journey]:
    places = goals(text)
    is_kind = bool(places) and places[0].kind is not None
    if act == "add" and is_kind and _SAYS["asks_where"].search(text):
        act = "find"
    finds = is_kind and bool(dict(table("trip", "acts"))["find"].search(text))
    match act:
        case "stop_guidance":
            return [StopGuidance()]
        case "resume" if not places:
            return [Resume()]
        case "status" if not places:
            return [TripStatus()]
        case "routes" if not places and _SAYS["how_far"].search(text):
            return [TripStatus()]
        case "end_at" if places:
            return [EndAt(places[-1])]
        case "swap":
            return _swapped(text, places)
        case "drop":
            return _dropped(text, places, whole)
        case _ if finds and (asks_only(whole) or act not in ("add", "guide")):
            return [Find(places[0])]
        case "add" if places:
            return [_added(text, places)]
        case "routes" if places:
            return [RoutesTo(places[-1])]
        case "find" if is_kind:
            return [Find(places[0])]
        case "guide" if len(places) > 1 and _SAYS["after_a_place"].search(text):
            return [_added(text, places)]
        case "guide" if places and not asks_only(whole):
            straight = bool(_SAYS["straight"].search(text))
            return [Guide(_in_order(text, places), is_straight=straight)]
        case "guide" if _SAYS["own_places"].search(text):
            return [Guide((Goal(name="home"),))]
        case "guide" if places:
            return [RoutesTo(places[-1])]
    return []


def _there(
    text: str, before: Sequence[Journey], act: str | None, wanted: Choice, whole: str
) -> list[Journey] | None:
    """`take me there`, `add it`: what the search before was for."""
    if goals(text) or is_question(text) or not first("trip", "there", text):
        return None
    if not before:
        named = goals(whole) if _SAYS["goes"].search(text) else []
        return [Guide((named[-1],), choice=wanted)] if named else None
    last = before[-1]
    goal = last.goal if isinstance(last, Find | RoutesTo | AddStop) else None
    if goal is None or not (act == "add" or _SAYS["goes"].search(text)):
        return None
    pick = first("trip", "pick", text)
    goal = replace(goal, pick=pick or goal.pick)
    if pick == wanted.best:
        wanted = Choice()
    if act == "add":
        return [AddStop(goal, choice=wanted)]
    return [Guide((goal,), choice=wanted)]


def _swapped(text: str, places: list[Goal]) -> list[Journey]:
    instead, replaced = _SAYS["instead_of"].search(text), _SAYS["replace"].search(text)
    if instead:
        new, old = goals(text[: instead.start()]), goals(instead["old"])
        if new:
            return [Swap(new[-1], _old(old, instead["old"]))]
    if replaced and not instead:
        new, old = goals(replaced["new"]), goals(replaced["old"])
        if new:
            return [Swap(_placed(new[0], old, text), _old(old, replaced["old"]))]
    return [Swap(places[-1])] if places else []


def _placed(new: Goal, old: list[Goal], text: str) -> Goal:
    """`from Lyon to the airport there`."""
    if new.kind and new.where is None and old and re.search(r"\bthere\b", text, re.IGNORECASE):
        return replace(new, where=old[0].name)
    return new


def _old(old: list[Goal], text: str) -> Goal | None:
    if old:
        return Goal(name=old[0].name, kind=old[0].kind)
    return (
        None
        if _SAYS["destination"].search(text) or not re.search(r"\bstop|waypoint", text)
        else Goal()
    )


def _dropped(text: str, places: list[Goal], whole: str) -> list[Journey]:
    if places:
        return [Drop(Goal(name=place.name or place.where, kind=place.kind)) for place in places]
    if _SAYS["last_leg"].search(text) or _SAYS["destination"].search(text):
        return [Drop(None, is_destination=True)]
    named = whole if _SAYS["one_of_them"].search(text) else text
    return [Drop(None)] if re.search(r"\b(?:stops?|waypoints?|stopovers?)\b", named, re.I) else []


def _added(text: str, places: list[Goal]) -> Journey:
    before, after = _SAYS["before"].search(text), _SAYS["after"].search(text)
    before_it = next(iter(place_names(before["place"])), None) if before else None
    after_it = next(iter(place_names(after["place"])), None) if after and not before else None
    beside = (before_it, after_it)
    own = [goal for goal in places if goal.name not in beside or goal.kind]
    goal = own[0] if own else places[0]
    if goal.kind and goal.where in beside:
        goal = replace(goal, where=None)
    return AddStop(goal, before_it, after_it)


def _in_order(text: str, places: list[Goal]) -> tuple[Goal, ...]:
    """Stops come before the destination, also where the driver names them after it."""
    over = _SAYS["over"].search(text)
    if over is None or places[0].kind:
        return tuple(places)
    stops = [goal for goal in places if text.find(goal.name or "") > over.start()]
    ends = [goal for goal in places if goal not in stops]
    return tuple([*stops, *ends])
