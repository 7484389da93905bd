"""How far the battery may be charged."""

from assistant_gateway.agents.rules.plans.amounts import amount_for
from assistant_gateway.agents.rules.plans.prepared import Prepared, change
from assistant_gateway.agents.rules.plans.scales import LIMIT
from assistant_gateway.agents.rules.steps import Steps, Talk
from assistant_gateway.agents.rules.wishes.wish import Adjust


def charge_limit(wish: Adjust, talk: Talk) -> Steps[Prepared]:
    talk.offered.require(change("set_charge_limit", limit_percent=80))
    absolute = Adjust(
        "charge_limit", "set", None if wish.is_step else wish.amount, strength=wish.strength
    )
    question = "To how many percent may the battery be charged?"
    percent = yield from amount_for(talk, LIMIT, absolute, question, plain_step=None)
    return Prepared((change("set_charge_limit", limit_percent=percent),))
