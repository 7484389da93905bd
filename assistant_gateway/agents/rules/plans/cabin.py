"""Which plan fulfils which wish about the cabin."""

from collections.abc import Callable, Mapping

from assistant_gateway.agents.rules.language.plain import plain
from assistant_gateway.agents.rules.language.replies import agrees
from assistant_gateway.agents.rules.plans import air, lights, openings, telling, warmth
from assistant_gateway.agents.rules.plans.energy import charge_limit
from assistant_gateway.agents.rules.talk.outcomes import Declined, NewRequest
from assistant_gateway.agents.rules.talk.steps import Dialogue, Prepared, Steps
from assistant_gateway.agents.rules.wishes.comfort import Comfort
from assistant_gateway.agents.rules.wishes.wish import Adjust

PLANS: Mapping[str, Callable[[Adjust, Dialogue], Steps[Prepared]]] = {
    "air_conditioning": air.air_conditioning,
    "airflow": air.airflow,
    "ambient": lights.ambient,
    "charge_limit": charge_limit,
    "circulation": air.circulation,
    "defrost": air.defrost,
    "exterior_lights": lights.some_lights,
    "fan": air.fan,
    "fog": lights.fog,
    "high_beams": lights.high_beams,
    "lights": lights.some_lights,
    "low_beams": lights.low_beams,
    "reading": lights.reading,
    "seat_heating": warmth.seat_heating,
    "sunroof": openings.sunroof,
    "sunshade": openings.sunshade,
    "temperature": warmth.temperature,
    "trunk": openings.trunk,
    "wheel_heating": warmth.wheel_heating,
    "window": openings.window,
}


def adjust(wish: Adjust, talk: Dialogue) -> Steps[Prepared]:
    plan = PLANS.get(wish.thing)
    if plan is None:
        raise Declined(f"I'm sorry, I can't change {telling.NAMES.get(wish.thing, 'that')}.")
    return (yield from plan(wish, talk))


def comfort(wish: Comfort, talk: Dialogue) -> Steps[Prepared]:
    """Ask once; the answer is a wish like any other."""
    answer = yield from talk.ask(wish.question)
    if agrees(plain(answer)) is False:
        raise Declined("Alright, I leave everything as it is.")
    raise NewRequest(answer if talk.is_request(answer) else wish.otherwise)
