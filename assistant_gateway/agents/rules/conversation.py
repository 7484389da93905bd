"""The conversation as the assistant leads it: hear, understand, prepare, do, tell."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.rules.dialogue import (
    Declined,
    Dialogue,
    Kept,
    Lacking,
    NewRequest,
    Prepared,
    Refused,
    Steps,
    is_replaced,
    readable,
    result_in,
)
from assistant_gateway.agents.rules.earlier_wishes import EarlierWishes
from assistant_gateway.agents.rules.journal import (
    Change,
    Entry,
    changes_of,
    looks_before,
    name_of,
    state_of,
)
from assistant_gateway.agents.rules.plans.all_plans import prepare
from assistant_gateway.agents.rules.plans.amounts import SEATS, single_seats
from assistant_gateway.agents.rules.understanding import wishes_in
from assistant_gateway.agents.rules.wishes.cabin import Adjust
from assistant_gateway.agents.rules.wishes.questions import ChargingTime, OnlyIf, Reach
from assistant_gateway.agents.rules.wishes.taking_back import TakeBack
from assistant_gateway.agents.rules.wishes.trip import Journey
from assistant_gateway.agents.rules.wishes.wish import Wish
from assistant_gateway.agents.transcript import Heard, Line
from assistant_gateway.wording.changes import Phrase, already, done, phrase
from assistant_gateway.wording.spoken import enumerated, words
from assistant_gateway.wording.trip import legs_in_words

# Where the words for a thing at one seat stand.
_NAMES = {"window": "windows", "reading": "reading_lights", "seat_heating": "seat_heatings"}
_TARGETS = ("window", "position", "seat_zone", "defrost_window")


@dataclass(slots=True)
class Outcome:
    """What came of the calls of one turn; `needless` are those done that changed nothing."""

    done: list[Call] = field(default_factory=list)
    needless: list[Call] = field(default_factory=list)
    failed: list[Call] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


def carry_out(prepared: Sequence[Prepared], dialogue: Dialogue) -> Steps[tuple[list[str], Entry]]:
    """Make all calls, and give the sentences to say, and what was changed."""
    sentences = [sentence for plan in prepared for sentence in plan.sentences]
    at_once, in_order = _sorted(prepared)
    outcome = Outcome()
    for batch in ([at_once] if at_once else []) + [[call] for call in in_order]:
        yield from _make(batch, dialogue, outcome)
    dialogue.done = outcome.done
    told = _told([call for call in outcome.done if call not in outcome.needless], dialogue)
    sentences += [told] if told else []
    sentences += already(_phrases(outcome.needless, dialogue))
    sentences += [Refused(call.name).text for call in outcome.failed]
    sentences += dict.fromkeys(outcome.missing)
    if not outcome.failed:
        sentences += _new_legs(dialogue) if in_order else []
        sentences += [remark for plan in prepared for remark in plan.remarks]
    return sentences, Entry(tuple(outcome.changes), told, dialogue.trip_before)


def _told(calls: Sequence[Call], dialogue: Dialogue) -> str:
    return done(_phrases(calls, dialogue)) if calls else ""


def _phrases(calls: Sequence[Call], dialogue: Dialogue) -> list[Phrase]:
    return [phrase(call.name, call.arguments, dialogue.known) for call in calls]


def _make(batch: Sequence[Call], dialogue: Dialogue, outcome: Outcome) -> Steps[None]:
    """Make the calls of one message; how things are before them is looked up along with them."""
    possible = []
    for call in batch:
        try:
            dialogue.offered.require(call)
            possible.append(call)
        except Lacking as lacking:
            outcome.missing.append(lacking.text)
    if not possible:
        return
    looks = looks_before(possible, dialogue.offered.has)
    shown = {look.name: dialogue.shown(look.name) for look in looks}
    looks = [look for look in looks if shown[look.name] is None]
    dialogue.fresh.clear()
    try:
        outputs = yield from dialogue.calls([*looks, *possible])
    except NewRequest:
        # The driver did not wait: the car may have done it, and nobody knows how it was before.
        unseen = [change for call in possible for change in changes_of(call, {})]
        dialogue.journal.enter(Entry((*outcome.changes, *unseen)), ())
        raise
    for look, output in zip(looks, outputs, strict=False):
        shown[look.name] = readable(result_in(output) or {})
    before = {name: result or {} for name, result in shown.items()}
    for call, output in zip(possible, outputs[len(looks) :], strict=True):
        if result_in(output) is None:
            outcome.failed.append(call)
            continue
        outcome.done.append(call)
        changes = changes_of(call, before)
        outcome.changes += changes
        outcome.needless += [call] if state_of(call) and not changes else []


def _new_legs(dialogue: Dialogue) -> list[str]:
    """What the routes are like that were not followed before; of several edits only the outcome."""
    followed = dialogue.trip_before.routes if dialogue.trip_before else ()
    new = [
        route for route in (dialogue.trip.routes if dialogue.trip else ()) if route not in followed
    ]
    return [legs_in_words(new, dialogue.known)] if new else []


def _sorted(prepared: Sequence[Prepared]) -> tuple[list[Call], list[Call]]:
    """Calls that go out together, and those that need one message each; nothing twice."""
    wanted = [call for plan in prepared if not plan.in_order for call in plan.calls]
    by_rule = [
        call
        for plan in prepared
        for call in plan.by_rule
        if not any(_overrides(other, call) for other in wanted)
    ]
    unique: list[Call] = []
    for call in [*by_rule, *wanted]:
        if call not in unique:
            unique.append(call)
    unique.sort(key=lambda call: not _opens_the_shade(call))
    return unique, [call for plan in prepared if plan.in_order for call in plan.calls]


def _opens_the_shade(call: Call) -> bool:
    return call.name == "open_close_sunshade" and call.arguments.get("percentage") != 0


def _overrides(wanted: Call, by_rule: Call) -> bool:
    """Whether what the driver wants already does what the rule needs, as far as it goes."""
    if wanted.name != by_rule.name:
        return False
    same = all(
        wanted.arguments.get(name) in (by_rule.arguments.get(name), "ALL", "ALL_ZONES")
        for name in _TARGETS
        if name in by_rule.arguments
    )
    needed, given = by_rule.arguments.get("level"), wanted.arguments.get("level")
    return same and (needed is None or given is None or given >= needed)


NOT_UNDERSTOOD = (
    "I'm sorry, that is not something I can help with. I can set things in the cabin, guide you, "
    "look up places and weather, and place calls or send mails."
)

NOT_THAT_EITHER = "I'm sorry, I can't help with that either."
PUZZLED = (NOT_UNDERSTOOD, NOT_THAT_EITHER)
NOTHING_TO_DO = "I have looked, and there is nothing to do."
TAKING_LONGER = (Journey, Reach, ChargingTime)
# A car may answer in a way nobody expects; that must not end the conversation.
UNREADABLE = (KeyError, IndexError, TypeError, ValueError, AttributeError)


def conversation(dialogue: Dialogue) -> Steps[None]:
    """Answer until nobody speaks any more."""
    context, kept = EarlierWishes(), Kept()
    dialogue.understood = lambda said: wishes_in(said, context)
    line: Line | None = yield AgentMessage()
    said = line.text if isinstance(line, Heard) else ""
    while True:
        wishes = wishes_in(said, context)
        context = context.after(wishes)
        dialogue.fresh.clear()
        if kept == Kept():
            dialogue.trip = None
            dialogue.left_out.clear()
        try:
            reply = yield from _fulfil(wishes, dialogue, kept.beside(wishes))
        except NewRequest as request:
            said = request.said
            dialogue.journal.just_changed = False
            kept = request.kept
            continue
        context, kept = context.settled(dialogue.done), Kept()
        dialogue.last_said = reply
        line = yield AgentMessage(reply)
        while not isinstance(line, Heard):
            line = yield AgentMessage()
        said = line.text


def _fulfil(wishes: Sequence[Wish], dialogue: Dialogue, kept: Kept) -> Steps[str]:
    """Everything that can be prepared is prepared before anything is changed."""
    if any(isinstance(wish, TakeBack) for wish in wishes):
        kept = Kept()
    wanted = [*kept.waiting, *_with_restored(wishes, dialogue)]
    if any(isinstance(wish, TAKING_LONGER) for wish in wanted):
        dialogue.aside = "Let me check."
    ready, excuses = list(kept.ready), list(kept.excuses)
    for at, wish in enumerate(wanted):
        try:
            ready.append((wish, (yield from prepare(wish, dialogue))))
        except Declined as declined:
            excuses.append(declined.text)
        except NewRequest as request:
            left = (*kept.left, wish)
            if not request.drops:
                request.kept = Kept(tuple(ready), tuple(wanted[at + 1 :]), left, tuple(excuses))
            raise
        except UNREADABLE:
            excuses.append("I'm sorry, I can't read what the car answered to that.")
        wanted += [wish for said in dialogue.also for wish in dialogue.understood(said)]
        dialogue.also.clear()
    sentences, turn = yield from carry_out([plan for _, plan in ready], dialogue)
    dialogue.journal.enter(turn, wishes)
    if not wishes:
        excuses.append(NOT_THAT_EITHER if dialogue.last_said in PUZZLED else NOT_UNDERSTOOD)
    excuses += [f"I leave {name} alone." for name in _left_alone(kept.left, dialogue)]
    return " ".join(filter(None, dict.fromkeys([*sentences, *excuses]))) or NOTHING_TO_DO


def _with_restored(wishes: Sequence[Wish], dialogue: Dialogue) -> list[Wish]:
    """The wishes; each that takes back is replaced by those that restore how it was before."""
    new = [wish for wish in wishes if not isinstance(wish, TakeBack)]
    found: list[Wish] = []
    for wish in wishes:
        back = dialogue.journal.restoring(wish) if isinstance(wish, TakeBack) else None
        found += [wish] if back is None else [one for one in back if not is_replaced(one, new)]
    return found


def _left_alone(wishes: Sequence[Wish], dialogue: Dialogue) -> list[str]:
    """Names of what was asked about and dropped for another request, unless that changed it."""
    inner = [wish.wish if isinstance(wish, OnlyIf) else wish for wish in wishes]
    changed = {state.thing for call in dialogue.done if (state := state_of(call))}
    left = [wish for wish in inner if isinstance(wish, Adjust) and wish.thing not in changed]
    return list(dict.fromkeys(map(_part_of, left)))


def _part_of(wish: Adjust) -> str:
    """`the passenger's window`, or `the windows` where it was not said which."""
    names = words("arguments").get(_NAMES.get(wish.thing, ""), {})
    seats = single_seats(wish.seats)
    if not seats or not set(seats) <= set(names):
        return name_of(wish.thing)
    if seats == SEATS:
        return str(names["ALL"])
    return enumerated([names[seat] for seat in seats])
