"""Of all wishes in what was said, those that are meant, without doubles."""

from collections.abc import Sequence
from dataclasses import replace

from assistant_gateway.agents.rules.wishes import trip
from assistant_gateway.agents.rules.wishes.cabin import Adjust
from assistant_gateway.agents.rules.wishes.people import Mail
from assistant_gateway.agents.rules.wishes.questions import Reach
from assistant_gateway.agents.rules.wishes.wish import Wish

# "Some fresh air" and "a bit warmer" are reasons when something definite is wished for as well.
_OFTEN_REASONS = frozenset({"temperature", "circulation", "airflow", "fan", "window"})
_FIRM_VERBS = frozenset({"on", "off", "close"})


def filtered(wishes: Sequence[Wish]) -> list[Wish]:
    """The wishes that are meant, without doubles."""
    adjustments = [wish for wish in wishes if isinstance(wish, Adjust)]
    kept = [
        wish
        for index, wish in enumerate(wishes)
        if not (isinstance(wish, Adjust) and _is_only_a_reason(wish, adjustments))
        and not any(_repeats(wish, other) for other in wishes[index + 1 :])
        and not any(_is_covered_by(wish, other) for other in wishes[:index])
    ]
    return _as_one_trip(_placed(kept))


def _is_only_a_reason(wish: Adjust, all_of_them: Sequence[Adjust]) -> bool:
    if _is_definite(wish):
        return False
    others = [other for other in all_of_them if other is not wish and _is_definite(other)]
    if wish.is_implied:
        return len(all_of_them) > 1
    same = any(other.thing == wish.thing and _seats_fit(other, wish) for other in others)
    return same or (wish.thing in _OFTEN_REASONS and bool(others) and not _is_firm(wish))


def _is_definite(wish: Adjust) -> bool:
    if wish.is_implied:
        return False
    switches = wish.thing not in ("circulation", "airflow", "temperature")
    return wish.says_how or (wish.verb in _FIRM_VERBS and switches)


def _is_firm(wish: Adjust) -> bool:
    return wish.is_command and wish.verb in ("more", "less", "open")


def _seats_fit(other: Adjust, wish: Adjust) -> bool:
    return not wish.seats or not other.seats or other.seats == wish.seats


def _repeats(wish: Wish, later: Wish) -> bool:
    """Whether a later wish says the same again, or better."""
    if wish == later:
        return True
    match wish, later:
        case Adjust(), Adjust():
            same = wish.thing == later.thing and wish.seats == later.seats
            return same and wish.verb == later.verb and (not wish.says_how or later.says_how)
        case ((trip.Guide() | trip.RoutesTo() | trip.Find()), (trip.Edit() | trip.Guide())):
            return bool(goals_of(wish)) and set(goals_of(wish)) <= set(goals_of(later))
    return False


def _is_covered_by(wish: Wish, earlier: Wish) -> bool:
    """`remove Cologne … delete the destination`: the second only says what the first was."""
    match earlier, wish:
        case trip.Drop(old=trip.Goal()), trip.Drop(old=None):
            return True
        case Mail(), Mail():
            return _same_people(wish, earlier) and (wish.text is None or earlier.text is not None)
        case trip.Edit(), (trip.Guide() | trip.RoutesTo()):
            return set(goals_of(wish)) <= set(goals_of(earlier))
    return False


def _same_people(one: Mail, other: Mail) -> bool:
    """Whether two mails may be the same; the second often has only the first name."""
    words = [set(" ".join(mail.names).split()) for mail in (one, other)]
    return bool(words[0] & words[1]) or not all(words)


def goals_of(wish: Wish) -> tuple[trip.Goal, ...]:
    """The places that a wish is about."""
    match wish:
        case trip.Guide():
            return wish.goals
        case trip.RoutesTo() | trip.Find() | trip.AddStop() | trip.EndAt():
            return (wish.goal,)
        case trip.Swap():
            return tuple(goal for goal in (wish.new, wish.old) if goal is not None)
        case trip.Drop():
            return (wish.old,) if wish.old is not None else ()
    return ()


def _placed(wishes: Sequence[Wish]) -> list[Wish]:
    """`Take me to Graz; is the battery enough?` asks about Graz."""
    ends = [goal for wish in wishes for goal in goals_of(wish) if goal.name]
    return [
        replace(wish, goal=ends[-1]) if isinstance(wish, Reach) and not wish.goal and ends else wish
        for wish in wishes
    ]


def _as_one_trip(wishes: Sequence[Wish]) -> list[Wish]:
    """`Stop in Basel and drive on to Turin` is one trip with a stop."""
    merged: list[Wish] = []
    for wish in wishes:
        last = merged[-1] if merged else None
        if (
            isinstance(wish, trip.Guide)
            and isinstance(last, trip.AddStop)
            and not (last.before or last.after)
        ):
            merged[-1] = replace(wish, goals=(last.goal, *wish.goals))
        elif isinstance(wish, trip.Guide) and isinstance(last, trip.Guide):
            new = tuple(goal for goal in wish.goals if goal not in last.goals)
            merged[-1] = replace(wish, goals=(*last.goals, *new))
        else:
            merged.append(wish)
    return merged
