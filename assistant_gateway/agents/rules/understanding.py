"""From what the driver said to what the driver wants."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant_gateway.agents.rules.language.details import seats
from assistant_gateway.agents.rules.language.plain import plain, sentences, without_courtesies
from assistant_gateway.agents.rules.runs import Run, runs
from assistant_gateway.agents.rules.wishes.any_wish import JOURNEYS, OnlyIf, Wish
from assistant_gateway.agents.rules.wishes.cabin import adjustments, inquiries, is_question
from assistant_gateway.agents.rules.wishes.conditions import split_condition
from assistant_gateway.agents.rules.wishes.journey import AddStop, Find, Guide
from assistant_gateway.agents.rules.wishes.people import contacts
from assistant_gateway.agents.rules.wishes.questions import charging_questions, weather_questions
from assistant_gateway.agents.rules.wishes.small_talk import small_talk
from assistant_gateway.agents.rules.wishes.trip import journeys
from assistant_gateway.agents.rules.wishes.wish import Adjust


@dataclass(frozen=True, slots=True)
class Context:
    """What the conversation was about before: ellipses such as `the rear one too` need it."""

    last: Adjust | None = None
    journeys: tuple[Wish, ...] = ()

    def after(self, wishes: Sequence[Wish]) -> "Context":
        adjusted = [wish for wish in wishes if isinstance(wish, Adjust)]
        travelled = tuple(wish for wish in wishes if isinstance(wish, JOURNEYS))
        return Context(
            last=adjusted[-1] if adjusted else self.last, journeys=travelled or self.journeys
        )


def wishes_in(said: str, context: Context) -> tuple[Wish, ...]:
    """Everything the driver wants, in the order it was said; empty if nothing was understood."""
    found: list[Wish] = []
    whose: tuple[str, ...] = ()
    whole = plain(said)
    for sentence in sentences(whole):
        condition, rest = split_condition(sentence)
        for wish in _in_sentence(rest, whole, context.after(found), found):
            meant = _of_theirs(wish, whose)
            found.append(OnlyIf(condition, meant) if condition else meant)
        whose = seats(sentence) or whose
    found = _as_one_trip(found)
    explicit = [wish for wish in found if not (isinstance(wish, Adjust) and wish.is_implied)]
    return tuple(explicit or found) or small_talk(said)


def _in_sentence(sentence: str, whole: str, context: Context, before: list[Wish]) -> list[Wish]:
    wishes: list[Wish] = []
    for run in runs(sentence):
        new = _in_run(run, whole, context.after(wishes))
        if _completes(new, wishes or before):
            (wishes or before).pop()
        wishes += new
    return wishes


def _in_run(run: Run, whole: str, context: Context) -> list[Wish]:
    match run.domain:
        case "people":
            return list(contacts(run.text))
        case "charging":
            return list(charging_questions(without_courtesies(run.text), whole))
        case "weather":
            return list(weather_questions(without_courtesies(run.text), whole))
        case "trip":
            text = without_courtesies(run.text)
            return list(
                journeys(text, [w for w in context.journeys if isinstance(w, JOURNEYS)], whole)
            )
    said = [without_courtesies(piece) for piece in run.pieces]
    text = without_courtesies(run.text)
    if is_question(text):
        return list(inquiries(text))
    return list(adjustments([piece for piece in said if piece], context.last))


def _completes(new: Sequence[Wish], before: Sequence[Wish]) -> bool:
    """`Find a bakery and take me there` is one wish."""
    last = before[-1] if before else None
    if not isinstance(last, Find):
        return False
    goals = [goal for wish in new for goal in getattr(wish, "goals", ())]
    return last.goal in [*goals, *(getattr(wish, "goal", None) for wish in new)]


def _as_one_trip(wishes: Sequence[Wish]) -> list[Wish]:
    """`Stop in Basel and drive on to Turin` is one trip with a stop."""
    merged: list[Wish] = []
    for wish in wishes:
        last = merged[-1] if merged else None
        if (
            isinstance(wish, Guide)
            and isinstance(last, AddStop)
            and not (last.before or last.after)
        ):
            merged[-1] = replace(wish, goals=(last.goal, *wish.goals))
        elif isinstance(wish, Guide) and isinstance(last, Guide) and wish.goals != last.goals:
            merged[-1] = replace(wish, goals=(*last.goals, *wish.goals))
        else:
            merged.append(wish)
    return merged


def _of_theirs(wish: Wish, whose: tuple[str, ...]) -> Wish:
    """`her light`: the seat of whom the sentences before spoke."""
    if isinstance(wish, Adjust) and "THEIRS" in wish.seats and whose and "THEIRS" not in whose:
        return replace(wish, seats=whose)
    return wish
