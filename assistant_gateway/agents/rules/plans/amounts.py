"""How far or how strong: from the driver's words, from what is liked, else by asking."""

from assistant_gateway.agents.rules.dialogue import Declined, Dialogue, Steps, value
from assistant_gateway.agents.rules.language.details import Details, details
from assistant_gateway.agents.rules.plans.asking import detail
from assistant_gateway.agents.rules.plans.preferences import liked_details
from assistant_gateway.agents.rules.plans.scales import Scale, scale_of
from assistant_gateway.agents.rules.wishes.wish import Adjust

DIRECTIONS = {"more": 1, "less": -1, "open": 1, "close": -1}


def stated(scale: Scale, wish: Adjust | Details) -> float | None:
    """The value that words alone tell."""
    if wish.amount is not None and not wish.is_step:
        return wish.amount
    match wish.strength:
        case "highest":
            return scale.highest
        case "middle":
            return scale.middle
        case "lowest":
            return scale.lowest or scale.step
    return None


def amount_for(
    talk: Dialogue, scale: Scale, wish: Adjust, question: str, *, plain_step: float | None
) -> Steps[float]:
    """The value a wish amounts to.

    `plain_step` is how much "warmer" or "more" means where nobody says how much; None asks.
    """
    if wish.like is not None:
        other = scale_of(*wish.like)
        if other is None or other.unit != scale.unit:
            raise Declined(f"I can't make {scale.name} like that.")
        return scale.within((yield from present(talk, other)))
    target = stated(scale, wish)
    if target is None and (wish.is_step or (plain_step and wish.verb in ("more", "less"))):
        now = yield from present(talk, scale)
        return scale.within(now + _step(wish, plain_step or 0) * DIRECTIONS.get(wish.verb, 1))
    if target is None:
        liking = yield from liked_details(talk, wish.thing)
        target = stated(scale, liking) if liking else None
    if target is None:
        target = yield from detail(
            talk, question, lambda answer: stated(scale, details(answer)), scale.middle
        )
    if not scale.lowest <= target <= scale.highest:
        raise scale.out_of_range()
    return scale.within(target)


def present(talk: Dialogue, scale: Scale) -> Steps[float]:
    """The value of now."""
    result = yield from talk.look(scale.tool)
    return float(value(result, scale.tool, scale.field))


def _step(wish: Adjust, plain_step: float) -> float:
    if wish.amount is not None:
        return wish.amount
    return {"bit": max(plain_step / 2, 1), "lot": 2 * plain_step}.get(wish.vague or "", plain_step)
