"""What to do about being cold, hot or short of air: the driver decides."""

from assistant_gateway.agents.rules.language.plain import plain
from assistant_gateway.agents.rules.language.replies import agrees
from assistant_gateway.agents.rules.outcomes import Declined, NewRequest
from assistant_gateway.agents.rules.plans.prepared import Prepared
from assistant_gateway.agents.rules.steps import Steps, Talk
from assistant_gateway.agents.rules.wishes.comfort import Comfort


def comfort(wish: Comfort, talk: Talk) -> Steps[Prepared]:
    """Ask once; the answer is a wish like any other."""
    answer = yield from talk.ask(wish.question)
    if agrees(plain(answer)) is False:
        raise Declined("Alright, I leave everything as it is.")
    raise NewRequest(answer if talk.is_request(answer) else wish.otherwise)
