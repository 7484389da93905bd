"""The conversation as the assistant leads it: hear, understand, prepare, do, tell."""

from collections.abc import Sequence

from assistant_gateway.agents.agent import AgentMessage
from assistant_gateway.agents.rules.carrying_out import carry_out
from assistant_gateway.agents.rules.plans.all_plans import prepare
from assistant_gateway.agents.rules.talk.outcomes import Declined, Lacking, NewRequest, Refused
from assistant_gateway.agents.rules.talk.steps import Dialogue, Prepared, Steps
from assistant_gateway.agents.rules.understanding import Context, wishes_in
from assistant_gateway.agents.rules.wishes.any_wish import JOURNEYS, Wish
from assistant_gateway.agents.rules.wishes.asked import ChargingTime, Reach
from assistant_gateway.agents.rules.wishes.small_talk import SmallTalk
from assistant_gateway.agents.transcript import Heard, Line
from assistant_gateway.wording.limits import THINGS, cannot

NOT_UNDERSTOOD = (
    "I'm sorry, that is not something I can help with. I can set things in the cabin, guide you, "
    "look up places and weather, and place calls or send mails."
)

NOTHING_TO_DO = "I have looked, and there is nothing to do."
TAKING_LONGER = (*JOURNEYS, Reach, ChargingTime)
# A car may answer in a way nobody expects; that must not end the conversation.
UNREADABLE = (KeyError, IndexError, TypeError, ValueError, AttributeError)


def conversation(talk: Dialogue) -> Steps[None]:
    """Answer until nobody speaks any more."""
    context = Context()
    talk.is_request = lambda said: any(
        not isinstance(wish, SmallTalk) for wish in wishes_in(said, context)
    )
    line: Line | None = yield AgentMessage()
    said = line.text if isinstance(line, Heard) else ""
    while True:
        wishes = wishes_in(said, context)
        context = context.after(wishes)
        talk.fresh.clear()
        talk.trip = None
        talk.left_out.clear()
        try:
            reply = yield from _fulfil(wishes, talk)
        except NewRequest as request:
            said = request.said
            continue
        context = context.settled(talk.done)
        line = yield AgentMessage(reply)
        while not isinstance(line, Heard):
            line = yield AgentMessage()
        said = line.text


def _fulfil(wishes: Sequence[Wish], talk: Dialogue) -> Steps[str]:
    """Everything that can be prepared is prepared before anything is changed."""
    if not wishes:
        return NOT_UNDERSTOOD
    if any(isinstance(wish, TAKING_LONGER) for wish in wishes):
        talk.aside = "Let me check."
    prepared: list[Prepared] = []
    excuses: list[str] = []
    for wish in wishes:
        try:
            prepared.append((yield from prepare(wish, talk)))
        except Lacking as lacking:
            excuses.append(cannot(lacking.part))
        except Declined as declined:
            excuses.append(declined.told)
        except UNREADABLE:
            excuses.append("I'm sorry, I can't read what the car answered to that.")
        except Refused as refused:
            excuses.append(f"I'm sorry, I couldn't {THINGS.get(refused.tool, 'look that up')}.")
    told = yield from carry_out(prepared, talk)
    return " ".join(filter(None, dict.fromkeys([*told, *excuses]))) or NOTHING_TO_DO
