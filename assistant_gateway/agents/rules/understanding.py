"""From what the driver said to what the driver wants."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant_gateway.agents.rules.earlier_wishes import EarlierWishes
from assistant_gateway.agents.rules.filtering import filtered, goals_of
from assistant_gateway.agents.rules.language.details import (
    names,
    place_names,
    seats,
)
from assistant_gateway.agents.rules.language.patterns import Patterns, first, words_of
from assistant_gateway.agents.rules.language.plain import (
    commands,
    halts,
    is_question,
    pieces,
    plain,
    uncapitalised,
    without_courtesies,
)
from assistant_gateway.agents.rules.wishes import trip
from assistant_gateway.agents.rules.wishes.cabin import (
    UNSAID,
    Adjust,
    adjustments,
    inquiries,
    mentions,
)
from assistant_gateway.agents.rules.wishes.people import Mail, contacts
from assistant_gateway.agents.rules.wishes.questions import (
    OnlyIf,
    Reach,
    Weather,
    WhereAndWhen,
    charging_questions,
    split_condition,
    weather_questions,
)
from assistant_gateway.agents.rules.wishes.small_talk import (
    SmallTalk,
    Unheeded,
    comfort,
    small_talk,
)
from assistant_gateway.agents.rules.wishes.taking_back import TakeBack, takes_back
from assistant_gateway.agents.rules.wishes.wish import Wish
from assistant_gateway.wording.sentences import sentences

_SAYS = Patterns(__file__)
_WITH_NAMES = frozenset({"drop", "swap", "add", "end_at", "guide"})
_SPOKEN = {"on": "turn on", "off": "turn off", "more": "raise", "less": "lower", UNSAID: "set"}


@dataclass(frozen=True, slots=True)
class Clause:
    """Some pieces of one domain: people, charging, weather, trip or cabin."""

    domain: str
    pieces: tuple[str, ...]
    is_asked: bool = False

    @property
    def text(self) -> str:
        return " and ".join(self.pieces) + ("?" if self.is_asked else "")


def wishes_in(said: str, context: EarlierWishes) -> tuple[Wish, ...]:
    """Everything the driver wants, in the order it was said; empty if nothing was understood."""
    whole = plain(said)
    for words, meaning in words_of(__file__)["everything"].items():
        whole = re.sub(words, meaning, whole, flags=re.IGNORECASE)
    begun, *corrections = _SAYS["correction"].split(whole)
    found = list(_understood(begun, context)) if begun.strip() else []
    for correction in corrections:
        found = _corrected(found, correction, context)
    if begun.strip() and corrections and not found:
        return (SmallTalk("Alright."),)
    return tuple(found) if found else _understood(whole, context)


def _corrected(found: list[Wish], said: str, context: EarlierWishes) -> list[Wish]:
    """`Open the window, no, the sunroof`: the last wish is replaced, or what was done before."""
    if not said.strip(" .!?") or halts(said) or (found and takes_back(said)):
        return found[:-1]
    now = context.after(found)
    same = [wish for wish in now.recent if wish.thing in mentions(said)]
    last = same[-1] if same else now.meant(said)
    journey = now.journeys[-1] if now.journeys else None
    verb = first("cabin", "verbs", said)
    if last is not None and verb is None and mentions(said):
        said = f"{_SPOKEN.get(last.verb, last.verb)} {said}"
    new = [
        _as_far_as(wish, last) for wish in _understood(said, now) if not isinstance(wish, SmallTalk)
    ]
    towns = place_names(f"to {said}")
    if not new and towns and isinstance(journey, trip.Guide | trip.Swap):
        goal = trip.Goal(towns[-1])
        new = [trip.Guide((goal,)) if found else trip.Swap(goal)]
    if not found and verb is None and last is not None:
        wrong = [w for w in new if isinstance(w, Adjust) and _is_elsewhere(w, last)]
        new = [TakeBack((last.thing,), only_just=True), *new] if wrong else new
    return [*found[:-1], *new] if new else found


def _as_far_as(wish: Wish, last: Adjust | None) -> Wish:
    """`I meant the rear windows`: as far as the ones before."""
    if last is None or not isinstance(wish, Adjust) or wish.thing != last.thing or wish.says_how:
        return wish
    return replace(wish, amount=last.amount, is_step=last.is_step, strength=last.strength)


def _is_elsewhere(wish: Adjust, last: Adjust) -> bool:
    return wish.thing == last.thing and wish.seats != last.seats


def _understood(whole: str, context: EarlierWishes) -> tuple[Wish, ...]:
    """The wishes of what was said without a correction in it."""
    wanted = _wanted(whole, context)
    if all(isinstance(wish, Adjust) and wish.is_implied for wish in wanted):
        felt = () if is_question(whole) else comfort(whole)
        return felt or tuple(wanted) or small_talk(whole) or _asked(whole, context)
    return (*wanted, *_unheeded(whole, context, wanted))


def _wanted(whole: str, context: EarlierWishes) -> list[Wish]:
    found: list[Wish] = []
    whose: tuple[str, ...] = ()
    for sentence in sentences(whole.replace(";", "\n")):
        condition, rest = split_condition(uncapitalised(sentence, whole))
        wishes = _in_sentence(rest, whole, context.after(found), found)
        context = context if wishes else context.remarked(rest)
        for wish in wishes:
            meant = _of_theirs(wish, whose)
            found.append(OnlyIf(condition, meant) if condition else meant)
        whose = seats(sentence) or whose
    return filtered(found)


def _unheeded(whole: str, context: EarlierWishes, wanted: Sequence[Wish]) -> list[Wish]:
    """Commands without which the wishes are the same, so nobody understood them."""
    found: list[Wish] = []
    for piece in (piece for sentence in sentences(whole) for piece in pieces(sentence)):
        if commands(piece) and _wanted(whole.replace(piece, "", 1), context) == wanted:
            is_about_routes = is_question(piece) and domain_of(piece) is not None
            found += small_talk(piece) or (() if is_about_routes else (Unheeded(piece),))
    return found


def _asked(said: str, context: EarlierWishes) -> tuple[Wish, ...]:
    """`And in Basel?`: the question before, about another place; or place and time themselves."""
    if _SAYS["here_and_now"].search(said):
        return (WhereAndWhen(),)
    asked, towns = context.question, place_names(said)
    if not towns or not _SAYS["and_there"].search(said):
        return ()
    match asked:
        case Weather():
            return (replace(asked, where=towns[-1]),)
        case Reach() | trip.RoutesTo():
            return (replace(asked, goal=trip.Goal(towns[-1])),)
    return ()


def _in_sentence(
    sentence: str, whole: str, context: EarlierWishes, before: list[Wish]
) -> list[Wish]:
    wishes: list[Wish] = []
    for clause in clauses(sentence):
        new = _in_clause(clause, whole, context.after(wishes))
        if _completes(new, wishes or before):
            (wishes or before).pop()
        wishes += new
    return wishes


def _in_clause(clause: Clause, whole: str, context: EarlierWishes) -> list[Wish]:
    match clause.domain:
        case "people":
            return list(contacts(clause.text))
        case "earlier":
            return [wish for piece in clause.pieces if (wish := takes_back(piece))]
        case "charging":
            return list(charging_questions(without_courtesies(clause.text), whole))
        case "weather":
            return list(weather_questions(without_courtesies(clause.text), whole))
        case "trip":
            text = without_courtesies(clause.text)
            return [*trip.journeys(text, context.journeys, whole)]
    return _about_the_cabin([without_courtesies(piece) for piece in clause.pieces], context)


def _about_the_cabin(said: Sequence[str], context: EarlierWishes) -> list[Wish]:
    asked = [piece for piece in said if is_question(piece) and inquiries(piece, context.last)]
    wanted = [piece for piece in said if piece and piece not in asked]
    return [
        *(inquiry for piece in asked for inquiry in inquiries(piece, context.last)),
        *adjustments(wanted, context.meant(" ".join(wanted))),
    ]


def _completes(new: Sequence[Wish], before: Sequence[Wish]) -> bool:
    """`Find a bakery and take me there` is one wish."""
    last = before[-1] if before else None
    if not isinstance(last, trip.Find):
        return False
    return any(
        replace(goal, pick=last.goal.pick) == last.goal
        for wish in new
        if isinstance(wish, trip.Guide | trip.AddStop)
        for goal in goals_of(wish)
    )


def _of_theirs(wish: Wish, whose: tuple[str, ...]) -> Wish:
    """`her light`: the seat of whom the sentences before spoke."""
    if isinstance(wish, Adjust) and "THEIRS" in wish.seats and whose and "THEIRS" not in whose:
        return replace(wish, seats=whose)
    return wish


def clauses(sentence: str) -> list[Clause]:
    """Runs in the order they are said; what is about nothing goes with what stands before it."""
    found: list[Clause] = []
    asked = sentence.rstrip().endswith("?")
    circumstances = ""
    said = pieces(sentence)
    for part in said:
        piece = f"{part} {circumstances}".strip()
        if _names_only_the_place(part) and not found and part is not said[-1]:
            circumstances = piece
            continue
        circumstances = ""
        domain = domain_of(piece)
        if domain == "people" and isinstance(contacts(piece)[0], Mail):
            # The text of a mail goes on to the end of the sentence.
            rest = sentence[max(sentence.find(piece), 0) :].rstrip("?")
            return [*found, Clause("people", (rest,), asked)]
        goes_on = found and (domain is None or (domain == found[-1].domain == "cabin"))
        if goes_on:
            found[-1] = Clause(found[-1].domain, (*found[-1].pieces, piece), asked)
        else:
            found.append(Clause(domain or "cabin", (piece,), asked))
    return found


def _names_only_the_place(piece: str) -> bool:
    """`about 100 kilometres into our route`, before the wish itself."""
    is_bare = not mentions(piece) and first("trip", "kinds", piece) is None
    return bool(_SAYS["scene"].search(piece)) and is_bare and len(piece.split()) > 1


def domain_of(piece: str) -> str | None:
    """What a piece is about; None if it has to be read with others."""
    domain = first("trip", "domains", piece)
    if domain == "people" and contacts(piece):
        return "people"
    if takes_back(piece):
        return "earlier"
    if domain == "charging_time" and not _SAYS["limit"].search(piece):
        return "charging"
    if mentions(piece) and not (domain == "weather" and _SAYS["outside"].search(piece)):
        return "cabin"
    if domain in ("people", "charging_time", None):
        return "trip" if _is_about_places(piece) else None
    return domain


def _is_about_places(piece: str) -> bool:
    """`skip Basel`, `is there a bakery`: something to do, with a place to do it at."""
    act = first("trip", "acts", piece)
    if first("trip", "kinds", piece):
        return act is not None
    return act in _WITH_NAMES and bool(names(piece))
