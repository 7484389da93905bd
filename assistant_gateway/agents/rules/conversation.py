"""The conversation as the assistant leads it: hear, understand, prepare, do, tell."""

from collections.abc import Sequence

from assistant_gateway.agents.agent import AgentMessage, Call
from assistant_gateway.agents.rules.dialogue import (
    Declined,
    Dialogue,
    Lacking,
    NewRequest,
    Prepared,
    Refused,
    Steps,
    result_in,
)
from assistant_gateway.agents.rules.plans.all_plans import prepare
from assistant_gateway.agents.rules.understanding import EarlierWishes, wishes_in
from assistant_gateway.agents.rules.wishes.questions import ChargingTime, Reach
from assistant_gateway.agents.rules.wishes.small_talk import SmallTalk
from assistant_gateway.agents.rules.wishes.trip import Journey
from assistant_gateway.agents.rules.wishes.wish import Wish
from assistant_gateway.agents.transcript import Heard, Line
from assistant_gateway.wording.changes import done, phrase
from assistant_gateway.wording.trip import legs_in_words

_TARGETS = ("window", "position", "seat_zone", "defrost_window")
_FIRST = "open_close_sunshade"


def carry_out(prepared: Sequence[Prepared], dialogue: Dialogue) -> Steps[list[str]]:
    """Make all calls, and give the sentences to say."""
    sentences = [sentence for plan in prepared for sentence in plan.sentences]
    at_once, in_order = _sorted(prepared)
    missing: list[str] = []
    done_calls: list[Call] = []
    failed: list[Call] = []
    for batch in ([at_once] if at_once else []) + [[call] for call in in_order]:
        possible = []
        for call in batch:
            try:
                dialogue.offered.require(call)
                possible.append(call)
            except Lacking as lacking:
                missing.append(lacking.text)
        if not possible:
            continue
        dialogue.fresh.clear()
        outputs = yield from dialogue.calls(possible)
        for call, output in zip(possible, outputs, strict=True):
            worked = result_in(output)
            (done_calls if worked is not None else failed).append(call)
    dialogue.done = done_calls
    if done_calls:
        sentences.append(
            done([phrase(call.name, call.arguments, dialogue.known) for call in done_calls])
        )
    sentences += [Refused(call.name).text for call in failed]
    sentences += dict.fromkeys(missing)
    if not failed:
        sentences += _new_legs(dialogue) if in_order else []
        sentences += [remark for plan in prepared for remark in plan.remarks]
    return sentences


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
    unique.sort(key=lambda call: call.name != _FIRST)
    return unique, [call for plan in prepared if plan.in_order for call in plan.calls]


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

NOTHING_TO_DO = "I have looked, and there is nothing to do."
TAKING_LONGER = (Journey, Reach, ChargingTime)
# A car may answer in a way nobody expects; that must not end the conversation.
UNREADABLE = (KeyError, IndexError, TypeError, ValueError, AttributeError)


def conversation(dialogue: Dialogue) -> Steps[None]:
    """Answer until nobody speaks any more."""
    context = EarlierWishes()
    dialogue.is_request = lambda said: any(
        not isinstance(wish, SmallTalk) for wish in wishes_in(said, context)
    )
    line: Line | None = yield AgentMessage()
    said = line.text if isinstance(line, Heard) else ""
    while True:
        wishes = wishes_in(said, context)
        context = context.after(wishes)
        dialogue.fresh.clear()
        dialogue.trip = None
        dialogue.left_out.clear()
        try:
            reply = yield from _fulfil(wishes, dialogue)
        except NewRequest as request:
            said = request.said
            continue
        context = context.settled(dialogue.done)
        line = yield AgentMessage(reply)
        while not isinstance(line, Heard):
            line = yield AgentMessage()
        said = line.text


def _fulfil(wishes: Sequence[Wish], dialogue: Dialogue) -> Steps[str]:
    """Everything that can be prepared is prepared before anything is changed."""
    if not wishes:
        return NOT_UNDERSTOOD
    if any(isinstance(wish, TAKING_LONGER) for wish in wishes):
        dialogue.aside = "Let me check."
    prepared: list[Prepared] = []
    excuses: list[str] = []
    for wish in wishes:
        try:
            prepared.append((yield from prepare(wish, dialogue)))
        except Declined as declined:
            excuses.append(declined.text)
        except UNREADABLE:
            excuses.append("I'm sorry, I can't read what the car answered to that.")
    sentences = yield from carry_out(prepared, dialogue)
    return " ".join(filter(None, dict.fromkeys([*sentences, *excuses]))) or NOTHING_TO_DO
